/** Waits past a finalizer on a real control plane: fields and events of deleting custom resources are read for them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis, FindingList } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.ops.example.org}
spec:
  group: ops.example.org
  scope: Namespaced
  names: {kind: Gear, plural: gears, singular: gear}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const others = [
  definition.replaceAll('gear', 'cog').replace('Gear', 'Cog'),
  definition.replaceAll('gear', 'frame').replace('Gear', 'Frame').replace('Namespaced', 'Cluster'),
];

const objects = `
apiVersion: ops.example.org/v1
kind: Gear
metadata: {name: used, namespace: shop, finalizers: [ops.example.org/cleanup]}
---
apiVersion: ops.example.org/v1
kind: Cog
metadata: {name: user, namespace: shop}
spec: {parts: [{gearRef: {name: used}}]}
---
apiVersion: ops.example.org/v1
kind: Gear
metadata: {name: idle, namespace: shop, annotations: {crossplane.io/paused: "true"}, finalizers: [ops.example.org/cleanup]}
---
apiVersion: ops.example.org/v1
kind: Frame
metadata: {name: base, finalizers: [ops.example.org/cleanup]}
---
apiVersion: ops.example.org/v1
kind: Gear
metadata: {name: root, namespace: shop, finalizers: [ops.example.org/cleanup]}
---
apiVersion: ops.example.org/v1
kind: Gear
metadata: {name: top, namespace: shop, finalizers: [ops.example.org/cleanup]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ops-operator, namespace: ops}
spec:
  replicas: 1
  selector: {matchLabels: {app: ops}}
  template: {metadata: {labels: {app: ops}}, spec: {containers: [{name: c, image: x}]}}
`;

describe('a custom resource that waits for another one', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  async function answer<T>(words: string): Promise<T> {
    const { stdout } = await runTool([...words.split(' '), '-o', 'json'], { kubeconfig });
    return JSON.parse(stdout) as T;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 1,
    });
    kubeconfig = await cluster.kubeconfig();
    for (const namespace of ['shop', 'ops']) await cluster.kubectl(['create', 'namespace', namespace]);
    const grant = ['create', 'clusterrolebinding', 'ops', '--clusterrole=cluster-admin'];
    await cluster.kubectl([...grant, '--serviceaccount=ops:default']);
    for (const each of [definition, ...others]) await cluster.apply(each);
    await eventually(() => cluster.apply(objects));
    const message = 'cannot clean up: secrets "login" not found';
    const condition = { type: 'Ready', status: 'False', reason: 'Error', message };
    const status = JSON.stringify({ status: { conditions: [condition] } });
    const patch = ['patch', 'gear', 'root', '-n', 'shop', '--subresource=status', '--type=merge', '-p'];
    await cluster.kubectl([...patch, status]);
    const frame = JSON.stringify({
      status: { conditions: [{ ...condition, message: 'Secret "other-login" not found' }] },
    });
    await cluster.kubectl(['patch', 'frame', 'base', '--subresource=status', '--type=merge', '-p', frame]);
    await cluster.kubectl(['delete', 'gear', 'root', 'top', 'used', 'idle', '-n', 'shop', '--wait=false']);
    await cluster.kubectl(['delete', 'frame', 'base', '--wait=false']);
    const uid = await cluster.kubectl(['get', 'gear', 'top', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}']);
    const at = new Date(Date.now() + 1000).toISOString().replace(/\.\d+/u, '');
    await cluster.apply(`
apiVersion: v1
kind: Event
metadata: {name: top.1, namespace: shop}
involvedObject: {apiVersion: ops.example.org/v1, kind: Gear, name: top, namespace: shop, uid: ${uid}}
type: Normal
reason: Waiting
message: Waiting for Gear root to be deleted
firstTimestamp: "${at}"
lastTimestamp: "${at}"
source: {component: ops}
`);
    const ready = [
      'wait',
      'deployment/ops-operator',
      '-n',
      'ops',
      '--for=condition=Available',
      '--timeout=120s',
    ];
    await cluster.kubectl(ready);
  });
  afterAll(() => cluster?.stop());

  it('leads to what decides, named by its event and by the status of the other', async () => {
    const { items } = await answer<Diagnosis>('why gear/top -n shop');
    expect(items[0]?.summary).toContain(
      "waits until Gear root is gone; in the end, Gear root needs Secret login, which doesn't exist",
    );
    expect(items[0]?.chain.map(({ object }) => `${object.kind} ${object.name}`)).toEqual([
      'Gear top',
      'Gear top',
      'Gear root',
      'Gear root',
      'Secret login',
    ]);
    expect(items[0]?.remedies[0]?.title).toMatch(/^bring Secret shop\/login back/u);
  });

  it('has the same cause as the other in check', async () => {
    const { causes } = await answer<FindingList>('check -n shop --fail-on=never');
    const held = causes.map(({ id, holds }) => [id, holds.map(({ name }) => name)]);
    expect(held).toContainEqual(['Secret/shop/login', ['root', 'top']]);
  });

  /** Reads all namespaces, and so the operator's. */
  async function heldRoot(): Promise<FindingList['items'][number] | undefined> {
    const { items } = await answer<FindingList>('check -A --fail-on=never');
    return items.find(({ object }) => object.kind === 'Gear' && object.name === 'root');
  }

  it('waits while the Lease of its operator is not renewed', async () => {
    const pod = await cluster.kubectl([
      'get',
      'pods',
      '-n',
      'ops',
      '-o',
      'jsonpath={.items[0].metadata.name}',
    ]);
    const at = (age: number): string => new Date(Date.now() - age).toISOString().replace('Z', '000Z');
    await cluster.apply(`
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: ops-leader, namespace: ops}
spec: {holderIdentity: ${pod}_1, leaseDurationSeconds: 15, acquireTime: "${at(7_200_000)}", renewTime: "${at(3_600_000)}"}
`);
    const silent = await heldRoot();
    expect(silent?.message).toMatch(/none of its replicas seems to lead: Lease ops\/ops-leader/u);
    expect(silent?.remedies[0]?.title).toMatch(/^restart Deployment ops\/ops-operator/u);
    const renewal = JSON.stringify({ spec: { renewTime: at(0) } });
    await cluster.kubectl(['patch', 'lease', 'ops-leader', '-n', 'ops', '--type=merge', '-p', renewal]);
    expect((await heldRoot())?.message).not.toContain('seems to lead');
    await cluster.kubectl(['delete', 'lease', 'ops-leader', '-n', 'ops']);
  });

  it('waits while an ended pod of its operator owns the lock, and no longer once that pod is deleted', async () => {
    const ended = [
      'get',
      'pods',
      '-n',
      'ops',
      '-o',
      'jsonpath={.items[0].metadata.name} {.items[0].metadata.uid}',
    ];
    const [pod = '', uid = ''] = (await cluster.kubectl(ended)).split(' ');
    const failed = JSON.stringify({ status: { phase: 'Failed', reason: 'Evicted' } });
    const patch = ['patch', 'pod', pod, '-n', 'ops', '--subresource=status', '--type=merge', '-p', failed];
    await cluster.kubectl(patch);
    await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: ops-lock
  namespace: ops
  ownerReferences: [{apiVersion: v1, kind: Pod, name: ${pod}, uid: ${uid}}]
`);
    const found = await eventually(async () => {
      const held = await heldRoot();
      expect(held?.message).toContain(`Pod ops/${pod}, which has ended, still owns their lock`);
      return held;
    });
    const [remedy] = found?.remedies ?? [];
    expect(remedy?.title).toMatch(new RegExp(`^delete Pod ops/${pod}: its lock is deleted with it`, 'u'));
    await cluster.kubectl((remedy?.kubectl ?? '').split(' ').slice(1));
    await eventually(async () =>
      expect(await cluster.kubectl(['get', 'cm', 'ops-lock', '-n', 'ops', '--ignore-not-found'])).toBe(''),
    );
    expect((await heldRoot())?.message).not.toContain('seems to lead');
  });

  it('is paused, until the command of the remedy ends that', async () => {
    const { items } = await answer<Diagnosis>('why gear/idle -n shop');
    expect(items[0]?.summary).toContain('the object is paused (annotation crossplane.io/paused)');
    await cluster.kubectl((items[0]?.remedies[0]?.kubectl ?? '').split(' ').slice(1));
    const after = await answer<Diagnosis>('why gear/idle -n shop');
    expect(after.items[0]?.summary).not.toContain('paused');
  });

  it('names a missing object of an unknown namespace only if none has that name', async () => {
    const missing = await answer<Diagnosis>('why frame/base');
    expect(missing.items[0]?.summary).toContain("needs Secret other-login, which doesn't exist");
    await cluster.kubectl(['create', 'secret', 'generic', 'other-login', '-n', 'ops']);
    const there = await answer<Diagnosis>('why frame/base');
    expect(there.items[0]?.summary).not.toContain("doesn't exist");
  });

  it('may wait for a live object that names it', async () => {
    await eventually(async () => {
      const { items } = await answer<Diagnosis>('why gear/used -n shop');
      expect(items[0]?.summary).toContain('may be waiting until Cog user is gone');
      expect(items[0]?.findings[0]?.certainty).toBe('assumed');
    });
    await cluster.kubectl(['delete', 'cog', 'user', '-n', 'shop']);
    const { items } = await answer<Diagnosis>('why gear/used -n shop');
    expect(items[0]?.summary).not.toContain('may be waiting');
  });

  it('is freed by what the remedy says, if its operator then acts', async () => {
    await cluster.kubectl(['create', 'secret', 'generic', 'login', '-n', 'shop']);
    const { items } = await answer<Diagnosis>('why gear/root -n shop');
    expect(items[0]?.summary).not.toContain("doesn't exist");
    const patch = ['patch', 'gear', '-n', 'shop', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await cluster.kubectl([...patch.slice(0, 2), 'root', ...patch.slice(2)]);
    await eventually(async () => {
      const after = await answer<Diagnosis>('why gear/top -n shop');
      expect(after.items[0]?.summary).not.toContain('Gear root is gone;');
    });
  });
});

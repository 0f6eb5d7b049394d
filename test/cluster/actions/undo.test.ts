/** What was deleted is made again from its backup, and a real API server takes it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { type Actor, deleting, openActor } from './acting.ts';

const template = `
  template:
    metadata: {labels: {app: x}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]`;

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: x}}${template}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  serviceName: web
  selector: {matchLabels: {app: x}}${template}
---
apiVersion: batch/v1
kind: Job
metadata: {name: work, namespace: default}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: app, image: registry.example.com/app}]
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: default}
spec: {selector: {app: x}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: default}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: app, image: registry.example.com/app}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], storageClassName: nobody, resources: {requests: {storage: 1Mi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: default}
stringData: {password: opensesame}
`;

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const refusing = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: unwanted}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.metadata.name != 'unwanted'", message: nobody wants it}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: unwanted}
spec: {policyName: unwanted, validationActions: [Deny]}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('undo on a real cluster', () => {
  let cluster: Cluster;
  let actor: Actor;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-journal-'));
    guardFolder(folder);
    await cluster.apply(manifests);
    await settled(cluster, 'default');
    // What is forecast from must not be older than that.
    actor = await openActor({ kubeconfig: await cluster.kubeconfig(), folder });
  });
  afterAll(async () => {
    await actor?.close();
    await cluster?.stop();
  });

  async function remove(kind: string, name: string, cascade: Cascade, secretData = false): Promise<Ended> {
    const target = await actor.find(kind, 'default', name);
    return actor.act(actor.prepare(deleting(cascade, target)), { secretData });
  }

  async function undo(ended: Ended): Promise<Ended> {
    const entry = await actor.journal.entry(ended.entries.at(-1) ?? '');
    if (entry === undefined) throw new Error('no entry');
    const kept = await actor.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, actor.view), kept, actor.view);
    if (intent === undefined) throw new Error('nothing to do');
    return actor.act(actor.prepare(intent));
  }

  it.each([
    ['Deployment', 'api', 'background'],
    ['StatefulSet', 'web', 'foreground'],
    ['Job', 'work', 'background'],
    ['Service', 'front', 'background'],
    ['Pod', 'bare', 'background'],
    ['PersistentVolumeClaim', 'data', 'background'],
  ] as const)('makes %s %s again', async (kind, name, cascade) => {
    const before = await actor.find(kind, 'default', name);
    const removed = await remove(kind, name, cascade);
    expect(removed).toMatchObject({ state: 'reached', departures: [] });
    expect(await undo(removed)).toMatchObject({ state: 'reached', departures: [] });
    const after = await actor.find(kind, 'default', name);
    expect(after.uid).not.toBe(before.uid);
  });

  it('gives orphaned pods back to the StatefulSet that is made again, without a restart', async () => {
    // It was made anew before, with its pods one after the other.
    await settled(cluster, 'default');
    await actor.find('Pod', 'default', 'web-1');
    const before = (await actor.find('Pod', 'default', 'web-0')).uid;
    const ended = await remove('StatefulSet', 'web', 'orphan');
    expect(ended.state).toBe('reached');
    expect((await actor.find('Pod', 'default', 'web-0')).owners).toEqual([]);
    expect(await undo(ended)).toMatchObject({ state: 'reached', departures: [] });
    const { uid } = await actor.find('StatefulSet', 'default', 'web');
    await actor.until(() => actor.view.graph.get(before)?.object?.owners[0]?.uid === uid);
  });

  it('takes an undo back, and that once more', async () => {
    await settled(cluster, 'default');
    const before = await actor.find('Deployment', 'default', 'api');
    const removed = await remove('Deployment', 'api', 'background');
    const made = await undo(removed);
    await settled(cluster, 'default');
    const again = await actor.find('Deployment', 'default', 'api');
    expect(again.uid).not.toBe(before.uid);
    const taken = await undo(made);
    expect(taken).toMatchObject({ state: 'reached', departures: [] });
    await actor.until(() => actor.view.graph.get(again.uid) === undefined);
    expect(await undo(taken)).toMatchObject({ state: 'reached', departures: [] });
    await actor.find('Deployment', 'default', 'api');
  });

  it('makes a Secret again only where its backup was to hold its data', async () => {
    const blind = await remove('Secret', 'key', 'background');
    expect(blind.state).toBe('reached');
    await expect(undo(blind)).rejects.toThrow('nothing to do');
    await cluster.apply(manifests.slice(manifests.lastIndexOf('---') + 4));
    const seen = await remove('Secret', 'key', 'background', true);
    expect(await undo(seen)).toMatchObject({ state: 'reached' });
    const { data } = await cluster.api.json<{ data: unknown }>({
      path: '/api/v1/namespaces/default/secrets/key',
    });
    expect(data).toEqual({ password: Buffer.from('opensesame').toString('base64') });
  });

  it('makes a definition again with its instances, which wait until it is served', async () => {
    await cluster.apply(definition);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const make = (name: string, metadata: JsonRecord): Promise<{ metadata: { uid: string } }> =>
      eventually(() =>
        cluster.api.json({
          method: 'POST',
          path: widgets,
          body: {
            apiVersion: 'example.com/v1',
            kind: 'Widget',
            metadata: { name, ...metadata },
            spec: { of: name },
          },
        }),
      );
    const { uid } = (await make('one', {})).metadata;
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'one', uid };
    await make('two', { ownerReferences: [owner] });
    const target = await actor.find('CustomResourceDefinition', '', 'widgets.example.com');
    await actor.find('Widget', 'default', 'two');
    const deletion = actor.prepare(deleting('background', target));
    expect(deletion.losses).toEqual([]);
    const removed = await actor.act(deletion);
    expect(removed).toMatchObject({ state: 'reached', departures: [] });
    const undone = await undo(removed);
    expect(undone).toMatchObject({ state: 'reached', departures: [], taken: 3 });
    expect(undone.entries).toHaveLength(1);
    expect(undone.examination?.untried).toMatchObject([
      { before: 'CustomResourceDefinition widgets.example.com is there', requests: { length: 2 } },
    ]);
    const one = await actor.find('Widget', 'default', 'one');
    expect(one.uid).not.toBe(uid);
    expect((await actor.find('Widget', 'default', 'two')).owners.map(each => each.uid)).toEqual([one.uid]);
    expect(await cluster.api.json({ path: `${widgets}/two` })).toMatchObject({ spec: { of: 'two' } });
    const taken = await undo(undone);
    expect(taken).toMatchObject({ state: 'reached', departures: [], taken: 3 });
  });

  it('sends nothing where the API server would not take what is to be made again', async () => {
    await cluster.kubectl(['create', 'configmap', 'unwanted', '-n', 'default']);
    const removed = await remove('ConfigMap', 'unwanted', 'background');
    expect(removed.state).toBe('reached');
    await cluster.apply(refusing);
    await eventually(async () => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unwanted' } };
      const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
      expect((await cluster.api.send({ method: 'POST', path, body })).status).toBe(422);
    });
    const count = (await actor.journal.list()).length;
    const undone = await undo(removed);
    expect(undone).toMatchObject({ state: 'refused', entries: [] });
    expect(undone.because).toContain('nobody wants it');
    expect(await actor.journal.list()).toHaveLength(count);
  });
});

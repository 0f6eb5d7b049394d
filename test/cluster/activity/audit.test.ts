/** `activity` against the audit log: each change of the garbage collector has its line, and none is invented. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { type RunningTool, startTool } from '../tool.ts';
import { auditFlags, collectorsDeeds, entriesOf, ownerNames, toldDeeds, unmatched } from './audit.ts';

const deployment = (namespace: string, name: string, image = 'one'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: 2
  revisionHistoryLimit: 0
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: "registry.example.com/${image}"}]
---`;

const configMap = (name: string, ...owners: readonly { name: string; uid: string }[]): string => `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: work
  ownerReferences: ${JSON.stringify(owners.map(each => ({ apiVersion: 'v1', kind: 'ConfigMap', ...each })))}
---`;

/** Custom resources outside of namespaces: the collector's patches of these are others. */
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const widget = (name: string, ...owners: readonly { name: string; uid: string }[]): string => `
apiVersion: example.com/v1
kind: Widget
metadata:
  name: ${name}
  ownerReferences: ${JSON.stringify(owners.map(each => ({ apiVersion: 'example.com/v1', kind: 'Widget', ...each })))}
---`;

const replicaSet = `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: adopting, namespace: work}
spec:
  replicas: 1
  selector: {matchLabels: {app: adopting}}
  template:
    metadata: {labels: {app: adopting}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/one}]
---`;

/** As the ReplicaSet's, and owned by nobody. */
const stray = `
apiVersion: v1
kind: Pod
metadata: {name: stray, namespace: work, labels: {app: adopting}}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: app, image: registry.example.com/one}]
`;

const beacon = `
apiVersion: v1
kind: ConfigMap
metadata: {name: beacon, namespace: default, finalizers: [example.com/keep]}
`;

const folder = mkdtempSync(join(tmpdir(), 'gc-tree-audit-'));
guardFolder(folder);
let cluster: Cluster;
let tool: RunningTool;

beforeAll(async () => {
  cluster = await startControlPlane({
    nodes: 1,
    apiServerFlags: auditFlags(folder),
    controllerManagerFlags: ['--use-service-account-credentials=true'],
  });
  await cluster.kubectl(['create', 'namespace', 'work']);
  await cluster.kubectl(['create', 'namespace', 'doomed']);
  await cluster.apply(
    ['back', 'front', 'left', 'rolled'].map(name => deployment('work', name)).join('') +
      deployment('doomed', 'inside') +
      replicaSet,
  );
  await cluster.apply(configMap('first') + configMap('second'));
  const [first, second] = [await known('configmap', 'first'), await known('configmap', 'second')];
  await cluster.apply(configMap('shared', first, second) + configMap('of-first', first));
  await cycle();
  await widgets();
  await settled(cluster, 'work');
  await settled(cluster, 'doomed');
  await cluster.apply(beacon);
  await cluster.kubectl(['delete', 'configmap/beacon', '--wait=false']);
  tool = startTool(['activity', '-A', '-w', '-o', 'json'], { kubeconfig: await cluster.kubeconfig() });
  // What is being deleted at the start is told once it follows.
  await eventually(() => expect(tool.stdout()).toContain('"beacon"'));
});

async function known(kind: string, name: string): Promise<{ name: string; uid: string }> {
  const words = ['get', kind, name, '-n', 'work', '-o', 'jsonpath={.metadata.uid}'];
  return { name, uid: await cluster.kubectl(words) };
}

/** Two that own and block each other. */
async function cycle(): Promise<void> {
  await cluster.apply(configMap('round'));
  await cluster.apply(configMap('about', { ...(await known('configmap', 'round')), ...blocking }));
  await cluster.apply(configMap('round', { ...(await known('configmap', 'about')), ...blocking }));
}

const blocking = { blockOwnerDeletion: true };

async function widgets(): Promise<void> {
  await cluster.apply(definition);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd/widgets.example.com']);
  await cluster.apply(widget('spare') + widget('behind') + widget('in-front'));
  const of = (name: string): Promise<{ name: string; uid: string }> => known('widget', name);
  const [spare, behind, inFront] = [await of('spare'), await of('behind'), await of('in-front')];
  await cluster.apply(
    widget('kept', behind) +
      widget('shared', spare, inFront) +
      widget('waited-for', { ...inFront, ...blocking }),
  );
}

afterAll(async () => {
  tool.child.kill('SIGINT');
  await tool.exit;
  await cluster.stop();
});

it('tells each change of the collector, and none that is not its own', async () => {
  const remove = (...words: readonly string[]): Promise<string> => cluster.kubectl(['delete', ...words]);
  await remove('deployment/back', '-n', 'work', '--cascade=background');
  await remove('deployment/front', '-n', 'work', '--cascade=foreground');
  await remove('deployment/left', '-n', 'work', '--cascade=orphan');
  await remove('configmap/first', '-n', 'work');
  await remove('configmap/round', '-n', 'work', '--cascade=foreground');
  await remove('widget/behind', '--cascade=orphan');
  await remove('widget/in-front', '--cascade=foreground');
  // Its ReplicaSet takes the pod, and has one too many.
  await cluster.apply(stray);
  // Not the collector's: a pod whose owner is there, and what a rollout leaves.
  const pods = await cluster.kubectl(['get', 'pods', '-n', 'work', '-l', 'app=rolled', '-o', 'name']);
  await remove(pods.split('\n')[0] ?? '', '-n', 'work');
  await cluster.apply(deployment('work', 'rolled', 'two'));
  await settled(cluster, 'work');
  await cluster.apply(deployment('work', 'left'));
  await remove('namespace/doomed');
  await settled(cluster, 'work');
  await eventually(async () => {
    const owners = await cluster.kubectl(['get', 'rs', '-n', 'work', '-l', 'app=left', '-o', 'json']);
    expect(ownerNames(owners)).toEqual(['left']);
  });

  await eventually(() => {
    expect(unmatched(collectorsDeeds(folder), toldDeeds(entriesOf(tool.stdout()), false))).toEqual([]);
  });
  // What the namespace controller does comes last.
  const entries = await eventually(() => {
    const found = entriesOf(tool.stdout());
    expect(found.map(({ what, object }) => `${what} ${object.name}`)).toContain('Deleted doomed');
    return found;
  });
  const done = collectorsDeeds(folder);
  expect(done.length).toBeGreaterThanOrEqual(20);
  expect(unmatched(toldDeeds(entries, true), done)).toEqual([]);

  const told = (what: string, kind: string, action: string): number =>
    entries.filter(
      entry => entry.what === what && entry.object.kind === kind && entry.action.object.name === action,
    ).length;
  // Grouped under what caused them.
  expect(told('Collected', 'ReplicaSet', 'back')).toBe(1);
  expect(told('Collected', 'Pod', 'back')).toBe(2);
  expect(told('Collected', 'Pod', 'front')).toBe(2);
  expect(told('Orphaned', 'ReplicaSet', 'left')).toBe(1);
  expect(told('Stripped', 'ConfigMap', 'first')).toBe(1);
  expect(told('Collected', 'ConfigMap', 'first')).toBe(1);
  expect(told('Deleted', 'Pod', 'doomed')).toBe(2);
  expect(told('Unblocked', 'ConfigMap', 'round')).toBe(1);
  expect(told('Collected', 'ConfigMap', 'round')).toBe(1);
  expect(told('Orphaned', 'Widget', 'behind')).toBe(1);
  expect(told('Stripped', 'Widget', 'in-front')).toBe(1);
  expect(told('Collected', 'Widget', 'in-front')).toBe(1);
  const adopted = entries.filter(({ what }) => what === 'Adopted');
  expect(adopted.map(({ object, by }) => `${object.kind} ${by.join()}`).sort()).toEqual([
    'Pod controller',
    'ReplicaSet controller',
  ]);
  // What ends is told after its beginning.
  const ids = entries.map(({ id }) => id);
  expect(entries.filter(({ causedBy = 0 }, place) => ids.indexOf(causedBy) > place)).toEqual([]);
});

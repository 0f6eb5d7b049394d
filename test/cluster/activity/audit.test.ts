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
import { auditFlags, collectorsDeeds, entriesOf, ownerNames, toldDeeds } from './audit.ts';

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
      deployment('doomed', 'inside'),
  );
  await cluster.apply(configMap('first') + configMap('second'));
  const uid = (name: string): Promise<string> =>
    cluster.kubectl(['get', 'configmap', name, '-n', 'work', '-o', 'jsonpath={.metadata.uid}']);
  const [first, second] = [
    { name: 'first', uid: await uid('first') },
    { name: 'second', uid: await uid('second') },
  ];
  await cluster.apply(configMap('shared', first, second) + configMap('of-first', first));
  await settled(cluster, 'work');
  await settled(cluster, 'doomed');
  await cluster.apply(beacon);
  await cluster.kubectl(['delete', 'configmap/beacon', '--wait=false']);
  tool = startTool(['activity', '-A', '-w', '-o', 'json'], { kubeconfig: await cluster.kubeconfig() });
  // What is being deleted at the start is told once it follows.
  await eventually(() => expect(tool.stdout()).toContain('"beacon"'));
});

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
    const told = toldDeeds(entriesOf(tool.stdout()), false);
    expect([...collectorsDeeds(folder)].filter(deed => !told.has(deed))).toEqual([]);
  });
  // What the namespace controller does comes last.
  const entries = await eventually(() => {
    const found = entriesOf(tool.stdout());
    expect(found.map(({ what, object }) => `${what} ${object.name}`)).toContain('Deleted doomed');
    return found;
  });
  const done = collectorsDeeds(folder);
  expect(done.size).toBeGreaterThan(10);
  expect([...toldDeeds(entries, true)].filter(deed => !done.has(deed))).toEqual([]);

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
  const adopted = entries.filter(({ what }) => what === 'Adopted');
  expect(adopted.map(({ object, by }) => [object.kind, by])).toEqual([['ReplicaSet', ['controller']]]);
});

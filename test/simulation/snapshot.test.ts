import { describe, expect, test } from 'vitest';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { GarbageCollector } from '../../src/simulation/collector/garbage-collector.ts';
import type { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { blockingRefTo, object, refTo } from '../graph/fixtures.ts';
import { violations } from '../graph/invariant.ts';
import { builtIn, cluster, names } from './fixtures.ts';
import { ownerRefs } from './owners.ts';

const pods = builtIn('Pod');
const configMaps = builtIn('ConfigMap');

function onSnapshot(objects: readonly KubeObject[]): SimulatedCluster {
  const base = new OwnershipGraph();
  base.apply(objects.map(each => ({ op: 'upsert', object: each })));
  return cluster({
    base,
    processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
  });
}

function graphOf(running: SimulatedCluster): OwnershipGraph {
  const found = running.controller('garbage-collector');
  if (!(found instanceof GarbageCollector)) throw new Error('the collector is not running');
  return found.graph;
}

function rest(running: SimulatedCluster): void {
  expect(running.run({ tasks: 100_000 })).toBe('rest');
  expect(violations(graphOf(running))).toEqual([]);
}

function family(name: string): { root: KubeObject; all: KubeObject[] } {
  const root = object({ type: configMaps, uid: `${name}-root` });
  const middle = object({ type: configMaps, uid: `${name}-middle`, owners: [blockingRefTo(root)] });
  const leaves = ['1', '2'].map(n =>
    object({ type: pods, uid: `${name}-leaf-${n}`, owners: [blockingRefTo(middle)] }),
  );
  return { root, all: [root, middle, ...leaves] };
}

describe('a collector that has been running all along', () => {
  test('it takes over only the component that an action touches', () => {
    const [a, b] = [family('a'), family('b')];
    const running = onSnapshot([...a.all, ...b.all]);
    running.start('resume');
    expect(graphOf(running).size).toBe(0);
    running.as('user').delete(a.root, { propagationPolicy: 'Foreground' });
    rest(running);
    expect(names(running.store.all())).toEqual(['b-leaf-1', 'b-leaf-2', 'b-middle', 'b-root']);
    expect(graphOf(running).size).toBe(0);
    expect(graphOf(running).get(b.root.uid)).toBeUndefined();
    expect([...running.store.changes()]).toHaveLength(4);
  });

  test('a reference from a new object joins it to the component of its owner', () => {
    const a = family('a');
    const running = onSnapshot(a.all);
    running.start('resume');
    running.as('user').create({ type: pods, namespace: 'ns1', name: 'new', owners: [refTo(a.root)] });
    rest(running);
    expect(names(running.store.all())).toContain('new');
    running.as('user').delete(a.root, { propagationPolicy: 'Background' });
    rest(running);
    expect(names(running.store.all())).toEqual([]);
  });

  test('what was under way for the component goes on', () => {
    const root = object({ type: configMaps, uid: 'root' });
    const orphaning = object({
      type: configMaps,
      uid: 'orphaning',
      owners: [refTo(root)],
      finalizers: ['orphan'],
      deletionTimestamp: 1,
      deletionGracePeriodSeconds: 0,
    });
    const child = object({ type: pods, uid: 'child', owners: [refTo(orphaning)] });
    const running = onSnapshot([root, orphaning, child]);
    running.start('resume');
    running.as('user').patch(root, { labels: ['a', 'b'] });
    rest(running);
    expect(names(running.store.all())).toEqual(['child', 'root']);
    expect(running.store.byUid(child.uid)?.owners).toEqual([]);
  });

  test('a mismatched reference stays dormant until the controller manager is restarted (docs/kubernetes.md §1.2)', () => {
    const root = object({ type: configMaps, uid: 'root' });
    const misnamed = object({ type: pods, uid: 'misnamed', owners: [refTo(root, { name: 'other' })] });
    const sibling = object({ type: pods, uid: 'sibling', owners: [refTo(root)] });
    const bystanders = family('b').all;
    const running = onSnapshot([root, misnamed, sibling, ...bystanders]);
    running.start('resume');
    running.as('user').patch(root, { labels: ['a', 'b'] });
    rest(running);
    expect(names(running.store.list(pods))).toContain('misnamed');
    running.stop();
    running.start('replay');
    rest(running);
    expect(names(running.store.list(pods))).not.toContain('misnamed');
    expect(names(running.store.list(pods))).toContain('sibling');
    expect(graphOf(running).get(bystanders[0]?.uid ?? root.uid)).toBeUndefined();
  });
});

describe('a new collector on a snapshot', () => {
  test('it collects what dangles, and leaves alone what cannot be resolved', () => {
    const gone = object({ type: configMaps, uid: 'gone' });
    const dangling = object({ type: pods, uid: 'dangling', owners: [refTo(gone)] });
    const unknown = object({
      type: pods,
      uid: 'unknown',
      owners: [ownerRefs.unknown({ name: 'x', uid: 'x' })],
    });
    const elsewhere = object({ type: pods, uid: 'elsewhere', namespace: 'ns2' });
    const crossing = object({ type: pods, uid: 'crossing', owners: [refTo(elsewhere)] });
    const running = onSnapshot([dangling, unknown, elsewhere, crossing]);
    running.start('replay');
    rest(running);
    expect(names(running.store.all())).toEqual(['elsewhere', 'unknown']);
  });

  test('deletions from before its start are taken up', () => {
    const { root, all } = family('a');
    const deleting = object({
      type: configMaps,
      uid: root.uid,
      finalizers: ['foregroundDeletion'],
      deletionTimestamp: 1,
      deletionGracePeriodSeconds: 0,
    });
    const running = onSnapshot([deleting, ...all.slice(1)]);
    running.start('replay');
    rest(running);
    expect(names(running.store.all())).toEqual([]);
  });

  test('deletions while it was stopped are taken up too', () => {
    const { root, all } = family('a');
    const running = onSnapshot(all);
    running.as('user').delete(root, { propagationPolicy: 'Background' });
    running.start('replay');
    rest(running);
    expect(names(running.store.all())).toEqual([]);
  });
});

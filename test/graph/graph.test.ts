import { describe, expect, test } from 'vitest';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import type { GraphNode } from '../../src/graph/node.ts';
import type { KubeObject, OwnerReference } from '../../src/model/object.ts';
import { blockingRefTo, object, refTo, types, uid } from './fixtures.ts';
import { uidOf, violations } from './invariant.ts';

const names = ['1', '2', '3', '4'] as const;
const plain = Object.fromEntries(names.map(name => [name, object({ uid: name })]));

function plainRef(name: string): OwnerReference {
  return refTo(plain[name] ?? object({ uid: name }));
}

function owned(name: string, ...owners: string[]): KubeObject {
  return object({ uid: name, owners: owners.map(plainRef) });
}

interface Collector {
  readonly graph: OwnershipGraph;
  /** What waits already isn't queued twice. */
  readonly toDelete: Set<GraphNode>;
  readonly toOrphan: Set<GraphNode>;
  readonly upsert: (next: KubeObject) => void;
  readonly drop: (gone: KubeObject) => void;
  /** Uids of the delete queue, which is emptied. */
  readonly takeQueued: () => string[];
}

function collector(): Collector {
  const toDelete = new Set<GraphNode>();
  const toOrphan = new Set<GraphNode>();
  const graph = new OwnershipGraph({
    virtualOwners: 'until-collected',
    effects: {
      attemptToDelete: node => toDelete.add(node),
      attemptToOrphan: node => toOrphan.add(node),
      invalidNamespace: () => undefined,
    },
  });
  return {
    graph,
    toDelete,
    toOrphan,
    upsert: next => {
      graph.process({ op: 'upsert', object: next, old: graph.get(next.uid)?.object });
      expect(violations(graph)).toEqual([]);
    },
    drop: gone => {
      graph.process({ op: 'delete', object: gone });
      expect(violations(graph)).toEqual([]);
    },
    takeQueued: () => {
      const queued = [...toDelete].map(uidOf);
      toDelete.clear();
      return queued;
    },
  };
}

function dependentsOf(graph: OwnershipGraph, name: string): string[] {
  return [...(graph.get(uid(name))?.dependents ?? [])].map(uidOf).sort();
}

describe('the invariant holds after each event', () => {
  test('G5: objects that arrive after their owners', () => {
    const { graph, upsert } = collector();
    for (const next of [owned('1'), owned('2', '1'), owned('3', '1', '2')]) upsert(next);
    expect(dependentsOf(graph, '1')).toEqual(['2', '3']);
    expect(dependentsOf(graph, '2')).toEqual(['3']);
  });

  test('G6: an owner that is deleted while others refer to it', () => {
    const { graph, upsert, drop } = collector();
    for (const next of [owned('1'), owned('2', '1'), owned('3', '1', '2'), owned('4', '2')]) upsert(next);
    drop(owned('2', '1'));
    expect(graph.get(uid('2'))).toBeUndefined();
    expect(dependentsOf(graph, '1')).toEqual(['3']);
  });

  test('G7: an update that closes a cycle', () => {
    const { graph, upsert } = collector();
    for (const next of [
      owned('1'),
      owned('2', '1'),
      owned('3', '1', '2'),
      owned('4', '3'),
      owned('2', '4'),
    ]) {
      upsert(next);
    }
    expect(dependentsOf(graph, '1')).toEqual(['3']);
    expect(dependentsOf(graph, '4')).toEqual(['2']);
  });

  test('G8: owners that arrive after their dependents, the last of them being deleted', () => {
    const { graph, upsert, drop } = collector();
    upsert(owned('4', '2'));
    expect(graph.get(uid('2'))?.virtual).toBe(true);
    upsert(owned('3', '1', '2'));
    upsert(owned('2', '1'));
    expect(graph.get(uid('2'))?.virtual).toBe(false);
    upsert(owned('1'));
    expect([...graph.nodes()].filter(node => node.virtual)).toEqual([]);
    drop(owned('2', '1'));
    expect(dependentsOf(graph, '1')).toEqual(['3']);
  });

  test('G9: owners that arrive after their dependents, in a cycle', () => {
    const { graph, upsert } = collector();
    for (const next of [owned('4', '3'), owned('3', '1', '2'), owned('2', '4'), owned('1')]) upsert(next);
    expect([...graph.nodes()].filter(node => node.virtual)).toEqual([]);
    expect(dependentsOf(graph, '4')).toEqual(['2']);
    expect(dependentsOf(graph, '3')).toEqual(['4']);
  });

  test('a self-owner comes and goes', () => {
    const { graph, upsert, drop } = collector();
    upsert(owned('1', '1'));
    expect(dependentsOf(graph, '1')).toEqual(['1']);
    drop(owned('1', '1'));
    expect(graph.size).toBe(0);
  });
});

describe('what the collector queues', () => {
  const owner = object({ uid: 'owner' });
  const deleting = { deletionTimestamp: 1000 };

  test('the dependents of a deleted owner, which is remembered as absent', () => {
    const c = collector();
    c.upsert(owner);
    c.upsert(object({ uid: 'a', owners: [refTo(owner)] }));
    c.upsert(object({ uid: 'b', owners: [refTo(owner)] }));
    expect(c.takeQueued()).toEqual([]);
    c.drop(owner);
    expect(c.takeQueued()).toEqual(['a', 'b']);
    expect([...c.graph.absent.values()].map(({ name }) => name)).toEqual(['owner']);
  });

  test('an owner without dependents is not worth remembering', () => {
    const c = collector();
    c.upsert(owner);
    c.drop(owner);
    expect(c.graph.absent.size).toBe(0);
  });

  test('on the edge into foreground deletion, and on that edge alone, the dependents and then the owner', () => {
    const c = collector();
    const waiting = object({ uid: 'owner', ...deleting, finalizers: ['foregroundDeletion'] });
    c.upsert(owner);
    c.upsert(object({ uid: 'a', owners: [blockingRefTo(owner)] }));
    c.upsert(waiting);
    expect(c.takeQueued()).toEqual(['a', 'owner']);
    expect(c.graph.get(uid('owner'))?.deletingDependents).toBe(true);
    c.upsert(object({ uid: 'owner', ...deleting, finalizers: ['foregroundDeletion', 'x/y'] }));
    expect(c.takeQueued()).toEqual([]);
    c.drop(object({ uid: 'a', owners: [blockingRefTo(owner)] }));
    expect(c.takeQueued()).toEqual(['owner']);
  });

  test('on the edge into orphaning, the owner for orphaning and nothing for deletion', () => {
    const c = collector();
    c.upsert(owner);
    c.upsert(object({ uid: 'a', owners: [refTo(owner)] }));
    c.upsert(object({ uid: 'owner', ...deleting, finalizers: ['orphan'] }));
    expect([...c.toOrphan].map(uidOf)).toEqual(['owner']);
    expect(c.takeQueued()).toEqual([]);
  });

  test('that a node waits for its dependents is never taken back', () => {
    const c = collector();
    c.upsert(object({ uid: 'owner', ...deleting, finalizers: ['foregroundDeletion'] }));
    c.upsert(object({ uid: 'owner', ...deleting, finalizers: ['x/y'] }));
    expect(c.graph.get(uid('owner'))?.deletingDependents).toBe(true);
  });

  test.each([
    ['is removed', []],
    ['stops blocking', [refTo(owner)]],
    ['blocks no more in so many words', [refTo(owner, { controller: true, blockOwnerDeletion: false })]],
  ])('the owner when a blocking reference to it %s', (_, owners) => {
    const c = collector();
    c.upsert(owner);
    c.upsert(object({ uid: 'a', owners: [blockingRefTo(owner)] }));
    c.upsert(object({ uid: 'a', owners }));
    expect(c.takeQueued()).toEqual(['owner']);
  });

  test('nobody when the name in a reference is corrupted under the same uid', () => {
    const c = collector();
    c.upsert(owner);
    c.upsert(object({ uid: 'a', owners: [refTo(owner)] }));
    c.upsert(object({ uid: 'a', owners: [refTo(owner, { name: 'other' })] }));
    expect(c.takeQueued()).toEqual([]);
    expect(dependentsOf(c.graph, 'owner')).toEqual(['a']);
  });

  test('a dependent that lists one uid by two names, again with each of its updates', () => {
    const c = collector();
    c.upsert(owner);
    const twice = object({ uid: 'a', owners: [refTo(owner), refTo(owner, { name: 'other' })] });
    c.upsert(twice);
    expect(c.takeQueued()).toEqual(['a']);
    c.upsert(twice);
    expect(c.takeQueued()).toEqual(['a']);
  });
});

describe('a graph without workers', () => {
  const owner = object({ type: types.replicaSet, uid: 'owner' });
  const child = (name: string, owners = [refTo(owner)]) => object({ uid: name, owners });

  test('keeps a virtual node exactly while somebody refers to it', () => {
    const graph = new OwnershipGraph();
    graph.apply([{ op: 'upsert', object: child('a') }]);
    expect(graph.get(owner.uid)?.virtual).toBe(true);
    const { removed } = graph.apply([{ op: 'delete', uid: uid('a'), type: types.pod }]);
    expect(graph.size).toBe(0);
    expect([...removed].map(uidOf).sort()).toEqual(['a', 'owner']);
  });

  test('shows a deleted owner as virtual for as long as dependents name it', () => {
    const graph = new OwnershipGraph();
    graph.apply([owner, child('a')].map(next => ({ op: 'upsert', object: next }) as const));
    graph.apply([{ op: 'delete', uid: owner.uid, type: types.replicaSet }]);
    expect(graph.get(owner.uid)?.virtual).toBe(true);
    graph.apply([{ op: 'upsert', object: child('a', []) }]);
    expect(graph.get(owner.uid)).toBeUndefined();
  });

  test('touches an owner and its dependents when the owner begins to wait', () => {
    const graph = new OwnershipGraph();
    graph.apply([owner, child('a'), child('b')].map(next => ({ op: 'upsert', object: next }) as const));
    const waiting = object({
      type: types.replicaSet,
      uid: 'owner',
      deletionTimestamp: 1,
      finalizers: ['foregroundDeletion'],
    });
    const { touched } = graph.apply([{ op: 'upsert', object: waiting }]);
    expect([...touched].map(uidOf).sort()).toEqual(['a', 'b', 'owner']);
  });

  test('touches the owners of an object that begins to wait, and its dependents when it stops', () => {
    const graph = new OwnershipGraph();
    const middle = (...finalizers: string[]) =>
      object({ uid: 'middle', owners: [refTo(owner)], deletionTimestamp: 1, finalizers });
    const leaf = child('leaf', [refTo(middle())]);
    graph.apply([owner, middle('x/y'), leaf].map(next => ({ op: 'upsert', object: next }) as const));
    for (const finalizers of [['foregroundDeletion', 'x/y'], ['x/y']]) {
      const { touched } = graph.apply([{ op: 'upsert', object: middle(...finalizers) }]);
      expect([...touched].map(uidOf).sort()).toEqual(['leaf', 'middle', 'owner']);
    }
  });

  test('touches nothing but the object when only its state changes', () => {
    const graph = new OwnershipGraph();
    graph.apply([owner, child('a'), child('b')].map(next => ({ op: 'upsert', object: next }) as const));
    const { touched } = graph.apply([{ op: 'upsert', object: child('a') }]);
    expect([...touched].map(uidOf)).toEqual(['a']);
  });

  test('touches the lost and the new owner of an object', () => {
    const graph = new OwnershipGraph();
    const other = object({ type: types.replicaSet, uid: 'other' });
    graph.apply([owner, other, child('a')].map(next => ({ op: 'upsert', object: next }) as const));
    const { touched } = graph.apply([{ op: 'upsert', object: child('a', [refTo(other)]) }]);
    expect([...touched].map(uidOf).sort()).toEqual(['a', 'other', 'owner']);
  });

  test('follows an object to the version that is watched now', () => {
    const graph = new OwnershipGraph();
    graph.apply([{ op: 'upsert', object: object({ type: types.autoscalerV1, uid: 'h' }) }]);
    graph.apply([{ op: 'upsert', object: object({ type: types.autoscaler, uid: 'h' }) }]);
    expect(graph.get(uid('h'))?.identity.apiVersion).toBe('autoscaling/v2');
  });

  test('finds objects by type and name in any version, from the first question on', () => {
    const graph = new OwnershipGraph();
    const a = child('a');
    graph.apply([{ op: 'upsert', object: a }]);
    expect(graph.find(types.pod, 'ns1', 'a')?.object).toBe(a);
    graph.apply([{ op: 'upsert', object: child('b') }]);
    expect([...graph.ofType(types.pod)].map(uidOf)).toEqual(['a', 'b']);
    const recreated = object({ uid: 'a2', name: 'a' });
    graph.apply([
      { op: 'upsert', object: recreated },
      { op: 'delete', uid: uid('a'), type: types.pod },
    ]);
    expect(graph.find(types.pod, 'ns1', 'a')?.object).toBe(recreated);
    expect(graph.find(types.secret, 'ns1', 'a')).toBeUndefined();
    graph.apply([{ op: 'upsert', object: object({ type: types.roleBeta, uid: 'r' }) }]);
    expect(graph.find(types.role, 'ns1', 'r')?.identity.uid).toBe('r');
  });
});

test('a virtual delete of an owner that is claimed at /v1 matches no claim, so nobody is queued', () => {
  const { graph, upsert, takeQueued } = collector();
  upsert(object({ uid: 'child', owners: [{ ...plainRef('1'), apiVersion: '/v1' }] }));
  takeQueued();
  const claimed = graph.get(uid('1'));
  if (claimed === undefined) throw new Error('no virtual node');
  graph.process({ op: 'virtualDelete', identity: claimed.identity });
  expect(graph.get(uid('1'))).toBe(claimed);
  expect(takeQueued()).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { OwnershipGraph } from '../../../src/graph/graph.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ApiStore } from '../../../src/simulation/api/object-store.ts';
import { GraphBase } from '../../../src/simulation/runtime/graph-base.ts';
import { object, refTo, types } from '../../graph/fixtures.ts';
import { names } from '../fixtures.ts';

const owner = object({ type: types.configMap, uid: 'owner' });
const a = object({ uid: 'a', owners: [refTo(owner)] });
const b = object({ uid: 'b', namespace: 'ns2' });

function over(...objects: KubeObject[]): ApiStore {
  const graph = new OwnershipGraph();
  graph.apply(objects.map(each => ({ op: 'upsert', object: each })));
  return new ApiStore(new GraphBase(graph));
}

describe('a store over a snapshot', () => {
  test('what wasn’t written is the snapshot’s', () => {
    const store = over(owner, a, b);
    expect(store.byUid(a.uid)).toBe(a);
    expect(store.find(types.pod, 'ns2', 'b')).toBe(b);
    expect(names(store.list(types.pod))).toEqual(['a', 'b']);
    expect(names(store.list(types.pod, 'ns1'))).toEqual(['a']);
    expect(names(store.ownedBy(owner.uid))).toEqual(['a']);
    expect([...store.changes()]).toEqual([]);
  });

  test('what was written or removed hides the snapshot’s, and the snapshot stays', () => {
    const store = over(owner, a, b);
    const freed = object({ uid: 'a', resourceVersion: '2' });
    store.put(freed);
    store.remove(b);
    expect(store.byUid(a.uid)).toBe(freed);
    expect(store.find(types.pod, 'ns1', 'a')).toBe(freed);
    expect(store.find(types.pod, 'ns2', 'b')).toBeUndefined();
    expect(store.ownedBy(owner.uid)).toEqual([]);
    expect(store.list(types.pod)).toEqual([freed]);
    expect(names(store.all())).toEqual(['a', 'owner']);
    expect([...store.changes()]).toEqual([
      ['a', freed],
      ['b', null],
    ]);
    expect(over(owner, a, b).byUid(a.uid)).toBe(a);
  });

  test('a new object of an old name takes its place, and going it leaves none', () => {
    const store = over(a);
    const again = object({ uid: 'a2', name: 'a', owners: [refTo(owner)] });
    store.remove(a);
    store.put(again);
    expect(store.find(types.pod, 'ns1', 'a')).toBe(again);
    expect(names(store.ownedBy(owner.uid))).toEqual(['a']);
    store.remove(again);
    expect(store.find(types.pod, 'ns1', 'a')).toBeUndefined();
    expect([...store.changes()]).toEqual([['a', null]]);
  });

  test('a fork goes its own way', () => {
    const store = over(a, b);
    store.remove(b);
    const fork = store.fork();
    fork.remove(a);
    expect(names(store.all())).toEqual(['a']);
    expect(names(fork.all())).toEqual([]);
  });

  test('names are found in more namespaces than are indexed, and in no other', () => {
    const many = Array.from({ length: 20 }, (_, n) =>
      object({ uid: `p${n}`, name: 'same', namespace: `ns${n}` }),
    );
    const store = over(...many);
    for (const each of many) {
      expect(store.find(types.pod, each.namespace, 'same')).toBe(each);
      expect(store.list(types.pod, each.namespace)).toEqual([each]);
    }
    expect(store.find(types.pod, 'elsewhere', 'same')).toBeUndefined();
  });
});

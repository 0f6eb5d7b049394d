/** A first list of everything, in which one namespace is known by a list of its own. */
import { describe, expect, test } from 'vitest';
import { ObjectStore } from '../../../src/kube/watch/object-store.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { widget } from '../follow.ts';

/** The namespace `shop` was read by itself as of this version, while a list of everything was under way. */
function readBefore(version: string, ...objects: readonly KubeObject[]) {
  const log: string[] = [];
  const store = new ObjectStore({
    upsert: ({ uid, resourceVersion }) => log.push(`${uid}@${resourceVersion}`),
    remove: ({ uid }) => log.push(`${uid} gone`),
  });
  const own = store.beginList('shop', false);
  for (const object of objects) own.add(object);
  own.end();
  store.reached('shop', version);
  log.length = 0;
  return { store, log };
}

function list(store: ObjectStore, version: string, ...objects: readonly KubeObject[]): void {
  const all = store.beginList(undefined, false);
  all.begin(version);
  for (const object of objects) all.add(object);
  all.end();
}

describe('a namespace that was read by itself', () => {
  test('is left as it is by an older list of everything', () => {
    const { store, log } = readBefore('110', widget('shop', 'changed', '107'), widget('shop', 'new', '108'));
    const old = [widget('shop', 'changed', '101'), widget('shop', 'deleted', '102')];
    list(store, '105', ...old, widget('other', 'any', '103'));
    expect(log).toEqual(['other-any@103']);
    expect(store.count).toBe(3);
  });

  test('takes over what a newer one holds, and what it lacks', () => {
    const { store, log } = readBefore('110', widget('shop', 'same', '107'), widget('shop', 'gone', '108'));
    list(store, '120', widget('shop', 'same', '107'), widget('shop', 'new', '115'));
    expect(log).toEqual(['shop-new@115', 'shop-gone gone']);
  });

  test('is compared with any list where the history may be another one', () => {
    const { store, log } = readBefore('110', widget('shop', 'changed', '107'), widget('shop', 'gone', '108'));
    store.doubt();
    list(store, '90', widget('shop', 'changed', '80'));
    expect(log).toEqual(['shop-changed@80', 'shop-gone gone']);
  });

  test('is told again, though nothing seems to have changed, where the history may be another one', () => {
    const { store, log } = readBefore('110', widget('shop', 'same', '107'));
    list(store, '120', widget('shop', 'same', '107'));
    expect(log).toEqual([]);
    store.doubt();
    list(store, '120', widget('shop', 'same', '107'));
    expect(log).toEqual(['shop-same@107']);
  });
});

test('a list that goes on after three million objects ends with a sentence', () => {
  const all = new ObjectStore({ upsert: () => {}, remove: () => {} }).beginList(undefined, false);
  const object = widget('shop', 'one', '1');
  const addAll = (): void => {
    for (let count = 0; count <= 3_000_000; count += 1) all.add(object);
  };
  expect(addAll).toThrow('its list goes on after 3,000,000 objects');
});

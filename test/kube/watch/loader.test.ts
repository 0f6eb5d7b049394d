/** What a WatchList leaves behind, by the events that come of it. */
import { expect, test } from 'vitest';
import { systemTiming } from '../../../src/kube/transport/timing.ts';
import type { CollectionRequests } from '../../../src/kube/watch/collection-requests.ts';
import { Gate } from '../../../src/kube/watch/gate.ts';
import { Loader } from '../../../src/kube/watch/loader.ts';
import { ObjectStore } from '../../../src/kube/watch/object-store.ts';
import type { WatchEvent } from '../../../src/kube/wire/watch-stream.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { widget } from '../follow.ts';

const named = (name: string, version = '101'): KubeObject => widget('shop', name, version);

const bookmark: WatchEvent = { type: 'BOOKMARK', resourceVersion: '110', initial: true };

/** `a` and `b` are known, and are compared with what comes of a stream of these events, which ends after them. */
async function compare(...events: readonly WatchEvent[]) {
  const store = new ObjectStore({ upsert: () => {}, remove: () => {} });
  for (const name of ['a', 'b']) store.upsert(named(name));
  const watch = ({ event }: { readonly event: (event: WatchEvent) => void }): Promise<void> => {
    for (const each of events) event(each);
    return Promise.resolve();
  };
  const loader = new Loader({
    requests: { watch } as unknown as CollectionRequests,
    store,
    namespace: undefined,
    rank: 0,
    after: undefined,
    gate: new Gate(1, 1),
    timing: systemTiming,
    signal: new AbortController().signal,
  });
  const nothing = (): void => {};
  const load = { depth: 'metadata', defer: true, timeoutSeconds: '60' } as const;
  const outcome = await loader
    .watchList({ ...load, noAnswer: nothing, loaded: nothing, event: nothing })
    .catch((error: unknown) => String(error));
  return {
    outcome,
    names: [...store.uids()].map(uid => uid.replace('shop-', '')).toSorted((a, b) => (a < b ? -1 : 1)),
  };
}

test('what was not among its events is gone once a bookmark ends them', async () => {
  const found = await compare({ type: 'ADDED', object: named('a') }, bookmark);
  expect(found).toEqual({ outcome: true, names: ['a'] });
});

test('nothing is gone where the stream ends before them', async () => {
  const found = await compare({ type: 'ADDED', object: named('a') });
  expect(found).toEqual({ outcome: expect.stringContaining('broke off'), names: ['a', 'b'] });
});

test('what is deleted before they end is gone, though it was among them', async () => {
  const found = await compare(
    { type: 'ADDED', object: named('a') },
    { type: 'ADDED', object: named('b') },
    { type: 'ADDED', object: named('c') },
    { type: 'DELETED', object: named('b', '105') },
    { type: 'DELETED', object: named('c', '106') },
    bookmark,
  );
  expect(found).toEqual({ outcome: true, names: ['a'] });
});

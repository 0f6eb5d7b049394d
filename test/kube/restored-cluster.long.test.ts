/** An API server whose data went back to an earlier state, as by restoring etcd from a backup, while it is followed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { FakeApi, type Fault } from './fake-api.ts';
import { claims, Follower, soon, stateOf, widgets } from './follow.ts';

let api: FakeApi;
const followers: Follower[] = [];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  for (const name of ['a', 'b', 'c']) api.put('shop', name);
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map(follower => follower.source.close()));
  await api.stop();
});

async function follow(types: readonly ResourceType[] = [widgets]): Promise<Follower> {
  const follower = new Follower(api, types);
  followers.push(follower);
  await follower.start();
  await follower.source.factsComplete;
  await soon(() => expect(api.watching).toBe(types.length));
  return follower;
}

async function same(follower: Follower): Promise<void> {
  await soon(() => expect(follower.seen).toEqual(stateOf(api)));
}

/** The source has asked how far the server is, so that it has something to compare with later on. */
async function looked(): Promise<void> {
  const before = api.looks;
  await soon(() => expect(api.looks).toBeGreaterThan(before + 1));
}

function refuseLooks(): void {
  api.standing.set('/leases', { kind: 'status', code: 403 });
  api.standing.set('/api/v1/namespaces?', { kind: 'status', code: 403 });
}

function refuseWhatIsAskedAfterSilence(): void {
  api.standing.set('/widgets?limit=1', { kind: 'status', code: 500 });
  api.standing.set('/persistentvolumeclaims?limit=1', { kind: 'status', code: 500 });
}

/** Some changes, all of which a restored backup forgets. */
async function changeMuch(follower: Follower): Promise<void> {
  api.put('shop', 'a', { labels: { app: 'changed' } });
  api.remove('shop', 'b');
  for (let index = 0; index < 20; index++) api.put('shop', `late-${index}`);
  await same(follower);
}

function watches(): string[] {
  return api.requests.filter(request => request.includes('watch=1'));
}

function lists(): string[] {
  return api.requests.filter(request => !request.includes('watch=1'));
}

describe('a cluster that was restored from a backup', () => {
  it('is read anew when its API server comes back at an earlier version', async () => {
    const follower = await follow();
    await looked();
    const saved = api.save();
    await changeMuch(follower);
    await api.stop();
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('lost'));
    api.restore(saved);
    await api.start();
    await same(follower);
    expect(follower.objects.size).toBe(3);
  });

  it('is read anew when its API server has passed the version seen last by the time it comes back', async () => {
    const follower = await follow([claims]);
    await looked();
    const saved = api.save();
    await changeMuch(follower);
    await api.stop();
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('lost'));
    api.restore(saved);
    for (let index = 0; index < 40; index++) api.put('shop', `other-${index}`);
    await api.start();
    await same(follower);
  });

  it('is read anew where every watch stays open and is silent, before the silence of one is noticed', async () => {
    const follower = await follow([widgets, claims]);
    const saved = api.save();
    await changeMuch(follower);
    await looked();
    refuseWhatIsAskedAfterSilence();
    api.restore(saved);
    await same(follower);
    expect(follower.connections).toContainEqual(expect.objectContaining({ cause: 'restored' }));
  });

  it('is read anew by who may not list the leases of API servers', async () => {
    api.standing.set('/leases', { kind: 'status', code: 403 });
    const follower = await follow();
    const saved = api.save();
    await changeMuch(follower);
    await looked();
    refuseWhatIsAskedAfterSilence();
    api.restore(saved);
    await same(follower);
    expect(api.requests.filter(request => request.includes('/leases'))).toHaveLength(1);
  });

  it('is read anew by who may list nothing but one kind, once the silence of its watch is noticed', async () => {
    refuseLooks();
    const follower = await follow();
    const saved = api.save();
    await changeMuch(follower);
    api.restore(saved);
    await same(follower);
    // Its list was of an earlier version than it knew, which concerns all that is known of the cluster.
    expect(follower.connections).toContainEqual(expect.objectContaining({ cause: 'restored' }));
  });

  it.each<[string, string, Fault]>([
    ['has not been listed yet', '/persistentvolumeclaims', { kind: 'stall', after: 0 }],
    ['is read anew by a list', 'sendInitialEvents', { kind: 'status', code: 422 }],
  ])('is not asked for a state of its former history where a kind %s', async (_name, part, fault) => {
    api.standing.set(part, fault);
    // One whose lists of the newest state are dear.
    const follower = new Follower(api, [widgets, claims], [], 'v1.30.4');
    followers.push(follower);
    await follower.start();
    await soon(() => expect(follower.objects.size).toBeGreaterThan(2));
    const saved = api.save();
    api.put('shop', 'a');
    api.remove('shop', 'b');
    await looked();
    api.restore(saved);
    await soon(() =>
      expect(follower.connections).toContainEqual(expect.objectContaining({ cause: 'restored' })),
    );
    const before = lists().length;
    await soon(() => expect(lists().length).toBeGreaterThan(before));
    expect(lists().slice(before).join()).not.toContain('resourceVersion=');
  });

  it('shows what an object is now although it was another thing at the same version', async () => {
    const follower = await follow();
    const saved = api.save();
    api.put('shop', 'a', { labels: { app: 'before' }, finalizers: ['example.com/before'] });
    await same(follower);
    await looked();
    await api.stop();
    api.restore(saved);
    api.put('shop', 'a', { labels: { app: 'after' }, finalizers: ['example.com/after'] });
    await api.start();
    await soon(() =>
      expect([...follower.objects.values()].find(({ name }) => name === 'a')?.finalizers).toEqual([
        'example.com/after',
      ]),
    );
  });

  it('is not called live before everything was read again', async () => {
    const follower = await follow();
    await looked();
    const saved = api.save();
    await changeMuch(follower);
    await api.stop();
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('lost'));
    api.restore(saved);
    api.standing.set('/widgets', { kind: 'stall', after: 0 });
    await api.start();
    await soon(() => expect(follower.connections.at(-1)).toMatchObject({ state: 'catchingUp' }));
    const asked = api.requests.length;
    await soon(() => expect(api.requests.length).toBeGreaterThan(asked));
    expect(follower.connections.at(-1)).toMatchObject({ state: 'catchingUp' });
    api.standing.clear();
    await same(follower);
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('live'));
  });
});

describe('a process that stood still', () => {
  it('reads everything anew where nothing proves that the history is the same', async () => {
    refuseLooks();
    const follower = await follow();
    const saved = api.save();
    await changeMuch(follower);
    api.restore(saved);
    for (let index = 0; index < 40; index++) api.put('shop', `other-${index}`);
    follower.timing.standStill(600_000);
    await same(follower);
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('live'));
  });

  it('opens its watches again, and reads nothing anew where the API server ran on', async () => {
    const follower = await follow();
    await looked();
    const before = { lists: lists().length, watches: watches().length };
    follower.timing.standStill(600_000);
    await soon(() => expect(watches().length).toBeGreaterThan(before.watches));
    api.put('shop', 'd');
    await same(follower);
    expect(lists().length).toBe(before.lists);
    expect(watches().some(request => request.includes('sendInitialEvents'))).toBe(false);
  });
});

describe('a kind that is no longer followed', () => {
  it('keeps the cluster from being called live until its watch is open again', async () => {
    const follower = await follow();
    api.standing.set('watch=1', { kind: 'status', code: 429 });
    api.endWatches();
    await soon(() =>
      expect(follower.connections.at(-1)).toMatchObject({ state: 'catchingUp', cause: 'delayed' }),
    );
    api.standing.clear();
    await soon(() => expect(follower.connections.at(-1)).toEqual({ state: 'live' }));
  });
});

describe('a cluster that was merely out of reach', () => {
  it('is followed from where it was left, without a new list, where its API server ran on', async () => {
    const follower = await follow();
    await looked();
    await changeMuch(follower);
    const before = lists().length;
    api.setReachable(false);
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('lost'));
    api.put('shop', 'd');
    api.setReachable(true);
    await same(follower);
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('live'));
    expect(lists().length).toBe(before);
    expect(watches().at(-1)).toMatch(/resourceVersion=[1-9]/);
  });

  it('is read anew where its API server was started again meanwhile', async () => {
    const follower = await follow();
    await looked();
    const before = lists().length;
    await api.stop();
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('lost'));
    await api.start();
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('live'));
    expect(lists().length + watches().filter(request => request.includes('sendInitialEvents')).length).toBe(
      before + 1,
    );
  });
});

describe('a kind that was away', () => {
  it('may come back with a history of its own, and is read once', async () => {
    refuseLooks();
    const saved = api.save();
    const follower = await follow();
    await changeMuch(follower);
    api.standing.set('/widgets', { kind: 'status', code: 404 });
    api.endWatches();
    await soon(() => expect(follower.statuses.get(widgets)?.state).toBe('blind'));
    api.restore(saved);
    const before = watches().length;
    api.standing.delete('/widgets');
    await same(follower);
    const since = follower.timing.now();
    await soon(() => expect(follower.timing.now()).toBeGreaterThan(since + 10_000));
    expect(watches()).toHaveLength(before + 1);
  });
});

describe('a replica that lags behind', () => {
  it('is asked again for the newest state, and nothing else is read anew', async () => {
    const follower = await follow([claims]);
    // Neither watched nor read again at the version that is known.
    const message = 'Too large resource version';
    api.standing.set('sendInitialEvents', { kind: 'status', code: 422 });
    api.standing.set('resourceVersion=10', { kind: 'status', code: 504, message });
    api.endWatches();
    api.put('shop', 'd');
    await same(follower);
    const tried = lists().filter(request => request.includes('resourceVersion=10'));
    expect(tried).not.toEqual([]);
    expect(lists()).toHaveLength(2 + tried.length);
    expect(follower.connections).not.toContainEqual(expect.objectContaining({ cause: 'restored' }));
  });
});

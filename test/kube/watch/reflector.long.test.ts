/** The live source against a small API server that breaks in every way that real ones do. */
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObjectStore } from '../../../src/kube/watch/object-store.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { FakeApi, type Fault } from '../fake-api.ts';
import { catalogueOf, claims, Follower, soon, stateOf, widgets } from '../follow.ts';
import { VirtualClock } from '../virtual-clock.ts';

let api: FakeApi;
const followers: Pick<Follower, 'source'>[] = [];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  for (const name of ['a', 'b', 'c']) api.put('shop', name, { labels: { app: name } });
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map(follower => follower.source.close()));
  await api.stop();
});

async function follow(
  types: readonly ResourceType[] = [widgets],
  namespaces?: readonly string[],
  serverVersion?: string,
): Promise<Follower> {
  const follower = new Follower(api, types, namespaces, serverVersion);
  followers.push(follower);
  return follower.start();
}

async function same(follower: Follower): Promise<void> {
  await soon(() => expect(follower.seen).toEqual(stateOf(api)));
}

async function synced(follower: Follower): Promise<void> {
  await follower.source.factsComplete;
  await soon(() => expect(api.watching).toBe(1));
}

function watches(): string[] {
  return api.requests.filter(request => request.includes('watch=1'));
}

function factsOf(follower: Follower): string[] {
  return [...follower.objects.values()].flatMap(({ facts }) => facts?.kind ?? []);
}

function lists(): string[] {
  return api.requests.filter(request => !request.includes('watch=1'));
}

describe('a watched type', () => {
  it('has everything when the graph is complete, then follows creations, changes and deletions', async () => {
    const follower = await follow();
    await follower.source.graphComplete;
    expect(follower.seen).toEqual(stateOf(api));
    expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced', count: 3, facts: true });
    await synced(follower);
    api.put('shop', 'd');
    api.put('shop', 'a', { finalizers: ['example.com/hold'] });
    api.remove('shop', 'b');
    await same(follower);
    await soon(() => expect(follower.statuses.get(widgets)?.count).toBe(3));
    expect([...follower.objects.values()].find(object => object.name === 'a')?.finalizers).toEqual([
      'example.com/hold',
    ]);
  });

  it('goes on from its last bookmark, though the server has forgotten all before it', async () => {
    const follower = await follow();
    await synced(follower);
    api.bookmark();
    api.compact();
    api.closeWatches();
    await synced(follower);
    api.put('shop', 'd');
    await same(follower);
    expect(watches().some(request => request.includes('sendInitialEvents'))).toBe(false);
    expect(lists()).toHaveLength(1);
  });

  it('with facts is listed once, whole, then watched from that version on', async () => {
    const follower = await follow([claims]);
    await synced(follower);
    // At no version: from what is stored, not from what the server has in its memory.
    expect(lists()).toEqual([expect.not.stringContaining('resourceVersion')]);
    expect(factsOf(follower)).toEqual(Array.from({ length: 3 }, () => 'PersistentVolumeClaim'));
    api.put('shop', 'd');
    await same(follower);
    expect(watches()).toEqual([expect.stringMatching(/resourceVersion=[1-9]/)]);
    expect(lists()).toHaveLength(1);
    expect(factsOf(follower)).toEqual(Array.from({ length: 4 }, () => 'PersistentVolumeClaim'));
  });

  it('with facts is listed and watched as metadata where the graph is enough, and says that it has none', async () => {
    const follower = new Follower(api, [claims]);
    followers.push(follower);
    await follower.start({ facts: false });
    await follower.source.graphComplete;
    expect(follower.seen).toEqual(stateOf(api));
    await soon(() => expect(api.watching).toBe(1));
    api.put('shop', 'd');
    await same(follower);
    expect(lists()).toHaveLength(1);
    expect(factsOf(follower)).toEqual([]);
    expect(follower.statuses.get(claims)).toMatchObject({ state: 'synced', facts: false });
  });

  it('is listed first from the memory of a server that would read all of it from its store', async () => {
    const follower = await follow([widgets], undefined, 'v1.30.4-gke.100');
    await synced(follower);
    expect(lists()).toEqual([expect.stringContaining('resourceVersion=0')]);
  });

  it('is listed at its newest where the server answers that from its memory', async () => {
    const follower = await follow([widgets], undefined, 'v1.31.0');
    await synced(follower);
    expect(lists()).toEqual([expect.not.stringContaining('resourceVersion')]);
  });

  it('is listed first from the memory of the server where its store does not answer', async () => {
    api.faults.push({ kind: 'status', code: 500 });
    const follower = await follow();
    await synced(follower);
    expect(lists().map(request => request.includes('resourceVersion=0'))).toEqual([false, true]);
    expect(follower.seen).toEqual(stateOf(api));
  });

  it('is not listed from a memory that may lag once a part of a newer list has arrived', async () => {
    for (let index = 0; index < 200; index += 1)
      api.put('shop', `many-${index}`, { labels: { app: 'many' } });
    api.faults.push({ kind: 'cut', after: 6_000 });
    const follower = await follow([widgets], undefined, 'v1.30.4');
    await synced(follower);
    const [first, ...others] = lists();
    expect(first).toContain('resourceVersion=0');
    expect(others).toEqual([expect.not.stringContaining('resourceVersion')]);
    expect(follower.log.filter(line => line.startsWith('delete'))).toEqual([]);
  });

  it('is resumed from the last version when the watch breaks, without a new list', async () => {
    const follower = await follow();
    await synced(follower);
    api.put('shop', 'd');
    await same(follower);
    const version = api.objects.get('shop/d')?.resourceVersion;
    api.endWatches();
    api.remove('shop', 'd');
    api.put('shop', 'e');
    await same(follower);
    expect(lists()).toHaveLength(1);
    expect(watches().at(-1)).toContain(`resourceVersion=${version}`);
  });

  it('is followed again soon when its watch breaks, however often it broke before', async () => {
    const follower = await follow();
    const { timing } = follower;
    for (let breaks = 0; breaks < 12; breaks++) {
      const before = timing.now();
      await soon(() => expect(timing.now()).toBeGreaterThan(before + 60_000));
      await soon(() => expect(api.watching).toBe(1));
      api.endWatches();
    }
    expect(follower.connections).toEqual([{ state: 'live' }]);
  });

  it('is followed again at once when its watch ends soon, if that brought something', async () => {
    const clock = new VirtualClock();
    const follower = new Follower(api, [widgets], [], 'v1.36.3', clock);
    followers.push(follower);
    await follower.start();
    while (api.watching === 0) await clock.pass(1);
    for (const name of ['d', 'e', 'f']) {
      const before = watches().length;
      api.put('shop', name);
      api.closeWatches();
      // No time passes.
      await soon(() => expect([watches().length, api.watching]).toEqual([before + 1, 1]));
    }
  });

  it.each<[string, Fault]>([
    ['an answer of 410', { kind: 'none' }],
    ['an ERROR event of 410', { kind: 'gone-event' }],
  ])('is listed again after %s, and what is missing is deleted', async (_name, fault) => {
    const follower = await follow();
    await synced(follower);
    api.faults.push(fault);
    api.endWatches();
    api.remove('shop', 'b');
    api.put('shop', 'd');
    api.compact();
    await same(follower);
    expect(follower.log.filter(line => line === 'delete uid-2')).toHaveLength(1);
    // What the new list holds unchanged says nothing.
    expect(follower.log.filter(line => line.includes('shop/a'))).toHaveLength(1);
  });

  it('is said to be behind while its watch, which the server ended, is not to be opened again yet', async () => {
    const follower = await follow();
    await synced(follower);
    await soon(() => expect(follower.timing.now()).toBeGreaterThan(Date.UTC(2026, 0, 1) + 10_000));
    api.failWatches(429, 60);
    await soon(() =>
      expect(follower.connections.at(-1)).toMatchObject({ state: 'catchingUp', cause: 'delayed' }),
    );
    await soon(() => expect(follower.connections.at(-1)).toEqual({ state: 'live' }));
  });

  it('is listed again where every watch at its version begins with an ERROR event', async () => {
    const follower = await follow();
    await synced(follower);
    const version = /resourceVersion=\d+/u.exec(watches().at(-1) ?? '')?.[0] ?? 'none';
    api.standing.set(version, { kind: 'gone-event' });
    api.endWatches();
    api.put('shop', 'd');
    await same(follower);
  });

  it('that was created again under its name is deleted before it is added', async () => {
    const follower = await follow();
    await synced(follower);
    api.endWatches();
    api.remove('shop', 'a');
    api.put('shop', 'a');
    api.compact();
    await same(follower);
    const deleted = follower.log.indexOf('delete uid-1');
    const added = follower.log.findIndex(line => line.startsWith('upsert shop/a uid-4'));
    expect(deleted).toBeGreaterThan(0);
    expect(added).toBeGreaterThan(deleted);
  });

  it('passes repeated events on once', async () => {
    const follower = await follow();
    await synced(follower);
    api.put('shop', 'd');
    api.repeatLast();
    api.repeatLast();
    api.put('shop', 'e');
    await same(follower);
    expect(follower.log.filter(line => line.includes('shop/d'))).toHaveLength(1);
  });

  it.each<[string, Fault]>([
    ['breaks in the middle', { kind: 'cut', after: 150 }],
    ['is garbage', { kind: 'garbage' }],
    ['stalls', { kind: 'stall', after: 150 }],
    ['is refused with 429', { kind: 'status', code: 429, retryAfter: 1 }],
    ['is refused with 500', { kind: 'status', code: 500 }],
    ['is refused with 503', { kind: 'status', code: 503 }],
    ['is refused with 410', { kind: 'status', code: 410 }],
  ])('is complete in the end when its list %s', async (_name, fault) => {
    api.faults.push(fault);
    const follower = await follow();
    await same(follower);
    await follower.source.graphComplete;
    expect(api.faults).toEqual([]);
  });

  it.each<[string, Fault]>([
    ['breaks inside a frame', { kind: 'cut', after: 30 }],
    ['is garbage', { kind: 'garbage' }],
    ['falls silent inside a frame', { kind: 'stall', after: 30 }],
    ['is refused with 429', { kind: 'status', code: 429, retryAfter: 1 }],
    ['is refused with 504', { kind: 'status', code: 504 }],
  ])('misses nothing when its watch %s', async (_name, fault) => {
    api.faults.push({ kind: 'none' }, fault);
    const follower = await follow();
    await follower.source.graphComplete;
    await soon(() => expect(watches()).not.toEqual([]));
    api.put('shop', 'd');
    api.remove('shop', 'a');
    await same(follower);
    expect(api.faults).toEqual([]);
  });

  it('is loaded by a plain list where the server knows no WatchList', async () => {
    api.standing.set('sendInitialEvents', {
      kind: 'status',
      code: 422,
      message: 'sendInitialEvents is forbidden',
    });
    const follower = await follow([claims]);
    await synced(follower);
    expect(follower.seen).toEqual(stateOf(api));
    expect([...follower.objects.values()].every(object => object.facts !== undefined)).toBe(true);
    api.put('shop', 'd');
    await same(follower);
  });
});

describe('a type that cannot be seen', () => {
  it('is a blind spot while it is forbidden, and is listed once it is allowed', async () => {
    api.standing.set('/widgets', { kind: 'status', code: 403, message: 'no' });
    const follower = await follow();
    await follower.source.graphComplete;
    await follower.source.factsComplete;
    expect(follower.statuses.get(widgets)).toMatchObject({ state: 'blind', reason: '403', count: 0 });
    api.standing.clear();
    await same(follower);
    await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced', count: 3 }));
  });

  it('is listed in the known namespace where the whole cluster is forbidden, and says so', async () => {
    api.put('other', 'x');
    api.standing.set('v1/widgets', { kind: 'status', code: 403 });
    const follower = await follow([widgets], ['shop']);
    await follower.source.graphComplete;
    expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced', count: 3, namespaces: ['shop'] });
    expect(follower.seen).toEqual(stateOf(api).filter(line => line.startsWith('shop/')));
    api.put('shop', 'd');
    await soon(() => expect(follower.objects.size).toBe(4));
    api.standing.clear();
    await same(follower);
    await soon(() => expect(follower.statuses.get(widgets)).not.toHaveProperty('namespaces'));
  });

  it('tells what a broken conversion webhook says, on one line', async () => {
    const message = 'conversion webhook for example.com/v1 failed:\n\u001b[31mconnection refused\u0007';
    api.standing.set('/widgets', { kind: 'status', code: 500, message });
    const follower = await follow();
    await follower.source.graphComplete;
    expect(follower.statuses.get(widgets)).toMatchObject({
      state: 'blind',
      reason: '500: conversion webhook for example.com/v1 failed: connection refused',
    });
  });

  it.each([403, 405])(
    'is listed again and again where watching alone is refused with %i, and says so',
    async code => {
      api.standing.set('watch=1', { kind: 'status', code });
      const follower = await follow([widgets, claims]);
      await follower.source.factsComplete;
      api.put('shop', 'd');
      api.remove('shop', 'a');
      await same(follower);
      const polled = {
        state: 'synced',
        facts: true,
        count: 3,
        polled: expect.stringContaining(String(code)),
      };
      await soon(() => expect(follower.statuses.get(widgets)).toMatchObject(polled));
      expect(follower.statuses.get(claims)).toMatchObject(polled);
      expect(follower.connections.at(-1)).toEqual({ state: 'live' });
      // It stays so from one list to the next.
      const before = lists().length;
      const said = follower.statusLog.length;
      await soon(() => expect(lists().length).toBeGreaterThan(before + 4));
      expect(follower.statusLog.slice(said).map(({ polled }) => polled)).not.toContain(undefined);
    },
  );

  it('is followed from its last list on as soon as watching is allowed, and counts as live again', async () => {
    api.standing.set('watch=1', { kind: 'status', code: 403 });
    const follower = await follow();
    await soon(() => expect(follower.statuses.get(widgets)).toHaveProperty('polled'));
    api.standing.clear();
    await soon(() => expect(follower.statuses.get(widgets)).not.toHaveProperty('polled'));
    const before = lists().length;
    api.put('shop', 'd');
    await same(follower);
    expect(lists()).toHaveLength(before);
  });

  it('does not keep the others from being complete', async () => {
    api.standing.set('/widgets', { kind: 'stall', after: 0 });
    const follower = await follow([widgets, claims]);
    await follower.source.graphComplete;
    expect(follower.statuses.get(claims)).toMatchObject({ state: 'synced' });
    expect(follower.statuses.get(widgets)).toMatchObject({ state: 'blind', reason: 'no answer yet' });
    api.standing.clear();
    await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced' }));
  });
});

describe('types that come and go', () => {
  it('are picked up while running', async () => {
    const follower = await follow([]);
    follower.catalogue = catalogueOf([claims]);
    follower.catalogue = catalogueOf([claims, widgets]);
    await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced' }));
  });

  it('leave their objects behind, which are deleted when they come back without them', async () => {
    const other: ResourceType = { ...widgets, resource: 'gadgets', kind: 'Gadget' };
    const follower = await follow([widgets, other]);
    await follower.source.factsComplete;
    follower.catalogue = catalogueOf([other]);
    await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'gone' }));
    expect(follower.log.filter(line => line.startsWith('delete'))).toEqual([]);
    api.standing.set('/gadgets', { kind: 'status', code: 404 });
    api.objects.clear();
    follower.catalogue = catalogueOf([widgets, other]);
    await soon(() =>
      expect(follower.log.filter(line => line.startsWith('delete')).toSorted()).toEqual([
        'delete uid-1',
        'delete uid-2',
        'delete uid-3',
      ]),
    );
  });

  it('are not remembered once they are gone with all their objects', async () => {
    api.objects.clear();
    const follower = await follow([widgets]);
    await follower.source.factsComplete;
    const stores = (): number => queryObjects(ObjectStore, { format: 'count' });
    const before = stores();
    for (let nth = 0; nth < 20; nth++) {
      const group = `group${nth}.example.com`;
      const passing: ResourceType = { ...widgets, group, apiVersion: `${group}/v1` };
      follower.catalogue = catalogueOf([widgets, passing]);
      await soon(() => expect(follower.statuses.get(passing)).toMatchObject({ state: 'synced' }));
      follower.catalogue = catalogueOf([widgets]);
      await soon(() => expect(follower.statuses.get(passing)).toMatchObject({ state: 'gone' }));
    }
    // One may be on its way out.
    expect(stores() - before).toBeLessThan(3);
  });

  describe('with a definition', () => {
    const crds: ResourceType = {
      ...widgets,
      group: 'apiextensions.k8s.io',
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      resource: 'customresourcedefinitions',
      singular: 'customresourcedefinition',
      namespaced: false,
    };
    const definition = 'widgets.example.com';
    const define = (): void => api.put('', definition, { resource: crds.resource });
    beforeEach(() => {
      for (const name of ['a', 'b', 'c']) api.put('shop', name, { resource: 'widgets' });
      define();
    });

    const notFound: Fault = { kind: 'status', code: 404 };
    const left = (follower: Follower): string[] =>
      [...follower.objects.values()].flatMap(({ type, name }) => (type === widgets ? name : [])).toSorted();

    async function followed(): Promise<Follower> {
      const follower = await follow([crds, widgets]);
      await follower.source.factsComplete;
      await soon(() => expect(api.watching).toBe(2));
      return follower;
    }

    /** Instances first, as the API server does; nobody hears of anything. */
    function deleteAll(): void {
      api.endWatches();
      api.setReachable(false);
      for (const name of ['a', 'b', 'c']) api.remove('shop', name);
      api.remove('', definition);
      api.standing.set('/widgets', notFound);
    }

    async function passes(follower: Follower): Promise<void> {
      const before = follower.timing.now();
      await soon(() => expect(follower.timing.now() - before).toBeGreaterThan(100_000));
    }

    /** The kind is known to be gone, and its objects are there, however long it takes. */
    async function staysWhole(follower: Follower): Promise<void> {
      await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'gone', count: 3 }));
      await passes(follower);
      expect(left(follower)).toEqual(['a', 'b', 'c']);
    }

    it.each(['resumed', 'listed again'])(
      'go with it though nobody saw them go, once the definitions are %s',
      async how => {
        const follower = await followed();
        deleteAll();
        if (how === 'listed again') api.compact();
        follower.catalogue = catalogueOf([crds]);
        api.setReachable(true);
        await soon(() => expect(left(follower)).toEqual([]));
        await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'gone', count: 0 }));
        expect(follower.unseen.toSorted()).toEqual(['uid-1', 'uid-2', 'uid-3']);
      },
    );

    it('go with it where it is known to be gone only after discovery lacks the kind', async () => {
      const follower = await followed();
      api.standing.set('/customresourcedefinitions', { kind: 'status', code: 503 });
      deleteAll();
      follower.catalogue = catalogueOf([crds]);
      api.setReachable(true);
      await staysWhole(follower);
      api.standing.delete('/customresourcedefinitions');
      await soon(() => expect(left(follower)).toEqual([]));
    });

    it('stay while it is there, whatever discovery lacks', async () => {
      const follower = await followed();
      api.standing.set('/widgets', notFound);
      api.endWatches();
      follower.catalogue = catalogueOf([crds]);
      await staysWhole(follower);
    });

    it('stay where it cannot be listed any more', async () => {
      const follower = await followed();
      api.standing.set('/customresourcedefinitions', { kind: 'status', code: 403 });
      deleteAll();
      follower.catalogue = catalogueOf([crds]);
      api.setReachable(true);
      await staysWhole(follower);
    });

    it('stay where it was created again and nothing tells yet what is there', async () => {
      const follower = await followed();
      deleteAll();
      define();
      api.compact();
      follower.catalogue = catalogueOf([crds]);
      api.setReachable(true);
      await staysWhole(follower);
      // Served again, its list tells.
      api.standing.clear();
      api.put('shop', 'd', { resource: 'widgets' });
      follower.catalogue = catalogueOf([crds, widgets]);
      await soon(() => expect(left(follower)).toEqual(['d']));
    });

    it('stay where something else has served the kind since and is gone', async () => {
      const follower = await followed();
      deleteAll();
      api.standing.delete('/widgets');
      api.standing.set('/customresourcedefinitions', { kind: 'status', code: 503 });
      api.put('shop', 'd', { resource: 'widgets' });
      api.setReachable(true);
      await soon(() => expect(left(follower)).toEqual(['d']));
      api.standing.delete('/customresourcedefinitions');
      await soon(() => expect(follower.log).toContain('delete uid-4'));
      await passes(follower);
      api.standing.set('/widgets', notFound);
      follower.catalogue = catalogueOf([crds]);
      await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'gone', count: 1 }));
      await passes(follower);
      expect(left(follower)).toEqual(['d']);
    });
  });

  it('stay watched while the discovery of their group fails', async () => {
    const follower = await follow([widgets, claims]);
    await follower.source.factsComplete;
    const requests = api.requests.length;
    follower.catalogue = catalogueOf([claims], ['example.com/v1']);
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced' });
    api.put('shop', 'd');
    await same(follower);
    expect(api.requests.slice(requests).filter(request => !request.includes('watch=1'))).toEqual([]);
  });
});

describe('the connection', () => {
  it('is lost with a reason while the server is away, and everything is the same once it is back', async () => {
    const follower = await follow([widgets, claims]);
    await follower.source.factsComplete;
    await api.stop();
    await soon(() =>
      expect(follower.connections.at(-1)).toMatchObject({
        state: 'lost',
        reason: expect.stringContaining('cannot reach'),
      }),
    );
    api.put('shop', 'd');
    api.remove('shop', 'a');
    api.compact();
    await api.start();
    await same(follower);
    await soon(() => expect(follower.connections.at(-1)?.state).toBe('live'));
    const states = follower.connections.map(({ state }) => state);
    expect(states).toEqual(['live', 'lost', 'catchingUp', 'live']);
  });

  it('leaves no request behind when it is closed', async () => {
    const follower = await follow([widgets, claims]);
    await soon(() => expect(api.watching).toBe(2));
    await follower.source.close();
    await soon(() => expect(api.watching).toBe(0));
    const requests = api.requests.length;
    await new Promise(resolve => setTimeout(resolve, 200));
    expect(api.requests).toHaveLength(requests);
  });
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant('status' as const), code: fc.constantFrom(410, 429, 500, 503) }),
  fc.record({ kind: fc.constant('cut' as const), after: fc.integer({ min: 0, max: 800 }) }),
  fc.record({ kind: fc.constant('stall' as const), after: fc.integer({ min: 0, max: 800 }) }),
  fc.constant({ kind: 'garbage' as const }),
  fc.constant({ kind: 'gone-event' as const }),
  fc.constant({ kind: 'none' as const }),
);

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replace' as const), name }) },
  fc.record({
    do: fc.constantFrom('compact' as const, 'break' as const, 'repeat' as const, 'pause' as const),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
);

describe('whatever happens', () => {
  it('ends with the same objects as the server', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 3 }),
        fc.array(step, { maxLength: 25 }),
        fc.boolean(),
        async (first, steps, withFacts) => {
          const server = new FakeApi();
          await server.start();
          server.faults.push(...first);
          server.put('shop', 'a');
          server.put('shop', 'b');
          const follower = new Follower(server, [withFacts ? claims : widgets]);
          try {
            await follower.start();
            for (const each of steps) {
              if (each.do === 'put') server.put('shop', each.name);
              else if (each.do === 'remove') server.remove('shop', each.name);
              else if (each.do === 'replace') {
                server.remove('shop', each.name);
                server.put('shop', each.name);
              } else if (each.do === 'fault') server.faults.push(each.fault);
              else if (each.do === 'compact') server.compact();
              else if (each.do === 'break') server.endWatches();
              else if (each.do === 'repeat') server.repeatLast();
              else await new Promise(resolve => setTimeout(resolve, 8));
            }
            await soon(() => expect(follower.seen).toEqual(stateOf(server)));
          } finally {
            await follower.source.close();
            await server.stop();
          }
        },
      ),
      { numRuns: 120 },
    );
  });
});

/** The live source that reads everything, but one namespace before the rest. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReadPlan } from '../../src/model/exchange/reads.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { FakeApi } from './fake-api.ts';
import { claims, Follower, soon, stateOf, widgets } from './follow.ts';
import { VirtualClock } from './virtual-clock.ts';

const nodes: ResourceType = {
  ...claims,
  kind: 'Node',
  resource: 'nodes',
  singular: 'node',
  namespaced: false,
};
const served = [widgets, nodes, claims];

let api: FakeApi;
const followers: Pick<Follower, 'source'>[] = [];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  api.put('', 'n1', { resource: 'nodes' });
  for (const namespace of ['shop', 'other', 'third']) {
    api.put(namespace, 'data', { resource: 'persistentvolumeclaims' });
    api.put(namespace, 'gear', { resource: 'widgets' });
  }
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map(follower => follower.source.close()));
  await api.stop();
});

async function follow(first = 'shop', namespaces: readonly string[] = ['shop']): Promise<Follower> {
  const follower = new Follower(api, served, namespaces);
  followers.push(follower);
  return follower.start({ first });
}

function said(follower: Pick<Follower, 'statusLog'>, type: ResourceType): string[] {
  const all = follower.statusLog
    .filter(status => status.type === type)
    .map(({ state, facts, namespaces: where }) => `${state} ${facts} ${where?.join(' ') ?? ''}`.trimEnd());
  return all.filter((line, index) => line !== all[index - 1]);
}

function lists(): string[] {
  return api.requests
    .filter(request => !request.includes('watch=1'))
    .map(request => request.split('?')[0] ?? '');
}

const wide = ['/api/v1/persistentvolumeclaims', '/apis/example.com/v1/widgets'];
const rest = ['/api/v1/nodes', ...wide];

function asked(paths: readonly string[]): string[] {
  return lists().filter(path => paths.includes(path));
}

class SlowFollower extends Follower<VirtualClock> {
  /** Lets time pass, a moment at a time and none while an answer is awaited, until the check no longer throws. */
  async until(check: () => void): Promise<void> {
    for (const deadline = Date.now() + 25_000; ; await delay(1)) {
      try {
        return check();
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      if (api.unanswered === 0) await this.timing.pass(1);
    }
  }
}

/** Time passes when the test says so. */
async function followSlowly(reading: ReadPlan = {}): Promise<SlowFollower> {
  const follower = new SlowFollower(api, served, ['shop'], 'v1.36.3', new VirtualClock());
  followers.push(follower);
  return follower.start({ first: 'shop', ...reading });
}

describe('the namespace that is read first', () => {
  it('is known, facts included, before anything of the rest is asked for', async () => {
    // Its claims take their time.
    api.standing.set('/shop/persistentvolumeclaims', { kind: 'status', code: 429, retryAfter: 1 });
    const follower = await followSlowly();
    await follower.until(() => expect(follower.statuses.get(widgets)?.namespaces).toEqual(['shop']));
    expect(follower.seen.map(line => line.split(' ')[0])).toEqual(['shop/gear']);
    expect(asked(rest)).toEqual([]);
    api.standing.clear();
    await follower.until(() => expect(follower.statuses.get(widgets)?.state).toBe('synced'));
    await follower.until(() => expect(follower.seen).toEqual(stateOf(api)));
    expect(lists().slice(-3).toSorted()).toEqual(rest);
    expect(new Set(lists()).size).toBe(5);
    for (const type of [widgets, claims])
      expect(said(follower, type)).toEqual(['listing false', 'listing true shop', 'synced true']);
    expect(said(follower, nodes)).toEqual(['listing false', 'synced true']);
  });

  it('keeps the rest waiting until it has been shown, and is told before', async () => {
    const shown = Promise.withResolvers<void>();
    const told: (string | undefined)[] = [];
    const follower = await followSlowly({
      afterFirst: () => {
        told.push(...[widgets, claims].map(type => follower.statuses.get(type)?.namespaces?.join()));
        told.push(...follower.seen.map(line => line.split(' ')[0]));
        return shown.promise;
      },
    });
    await follower.until(() => expect(told).toEqual(['shop', 'shop', 'shop/data', 'shop/gear']));
    await follower.timing.pass(1_000);
    expect(asked(rest)).toEqual([]);
    shown.resolve();
    await follower.until(() => expect(follower.seen).toEqual(stateOf(api)));
    expect(told).toHaveLength(4);
  });

  it('is not waited for any longer where nobody says that it has been shown', async () => {
    const asks = vi.fn(() => new Promise<void>(() => {}));
    const follower = await followSlowly({ afterFirst: asks });
    await follower.until(() => expect(asks).toHaveBeenCalledOnce());
    expect(asked(rest)).toEqual([]);
    await follower.timing.pass(2_000);
    await follower.until(() => expect(follower.seen).toEqual(stateOf(api)));
    expect(asks).toHaveBeenCalledOnce();
  });

  it('is over where it may not be read, and another one that is preferred comes before the rest', async () => {
    for (const path of ['/shop/widgets', '/shop/persistentvolumeclaims'])
      api.standing.set(path, { kind: 'status', code: 403 });
    const shown = Promise.withResolvers<void>();
    const asks = vi.fn(() => shown.promise);
    const follower = await followSlowly({ afterFirst: asks });
    await follower.until(() => expect(asks).toHaveBeenCalledOnce());
    follower.source.prefer('other');
    await follower.until(() =>
      expect(follower.seen.map(line => line.split(' ')[0])).toEqual(['other/data', 'other/gear']),
    );
    expect(asked(rest)).toEqual([]);
    shown.resolve();
    await follower.until(() => expect(follower.seen).toEqual(stateOf(api)));
  });

  it('is not told again with the rest, and followed with it', async () => {
    const follower = await follow();
    await follower.source.factsComplete;
    expect(follower.log).toHaveLength(7);
    await soon(() => expect(api.watching).toBe(3));
    api.put('shop', 'late', { resource: 'widgets' });
    api.remove('shop', 'gear');
    await soon(() => expect(follower.seen).toEqual(stateOf(api)));
  });

  it('keeps the rest waiting for two seconds at most', async () => {
    api.standing.set('/shop/widgets', { kind: 'stall', after: 10 });
    const follower = await follow();
    await soon(() => expect(lists()).toEqual(expect.arrayContaining(wide)));
    await soon(() => expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced', count: 3 }));
  });

  it('is watched where the whole cluster may not be listed, with the known ones', async () => {
    for (const path of wide) api.standing.set(path.slice(path.indexOf('v1/')), { kind: 'status', code: 403 });
    const follower = await follow('shop', ['other']);
    await follower.source.factsComplete;
    expect(follower.statuses.get(widgets)).toMatchObject({
      state: 'synced',
      reason: '403',
      namespaces: ['shop', 'other'],
    });
    api.put('shop', 'late', { resource: 'widgets' });
    api.put('other', 'late', { resource: 'widgets' });
    await soon(() => expect(follower.objects.size).toBe(7));
  });
});

describe('a namespace that is preferred', () => {
  it('is read before the rest that has begun', async () => {
    for (const path of wide) api.standing.set(path.slice(path.indexOf('v1/')), { kind: 'stall', after: 0 });
    const follower = await follow();
    await soon(() => expect(lists()).toEqual(expect.arrayContaining(wide)));
    follower.source.prefer('other');
    follower.source.prefer('other');
    await soon(() => expect(follower.statuses.get(claims)?.namespaces).toEqual(['shop', 'other']));
    expect(follower.seen.map(line => line.split(' ')[0])).toEqual([
      '/n1',
      'other/data',
      'other/gear',
      'shop/data',
      'shop/gear',
    ]);
    expect(lists().filter(path => path.includes('/other/'))).toHaveLength(2);
  });

  it('costs nothing once everything is known', async () => {
    const follower = await follow();
    await follower.source.factsComplete;
    const before = lists().length;
    follower.source.prefer('other');
    api.put('other', 'late', { resource: 'widgets' });
    await soon(() => expect(follower.seen).toEqual(stateOf(api)));
    expect(lists()).toHaveLength(before);
  });
});

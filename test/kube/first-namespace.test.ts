/** The live source that reads everything, but one namespace before the rest. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { FakeApi } from './fake-api.ts';
import { claims, Follower, soon, stateOf, widgets } from './follow.ts';

const nodes: ResourceType = {
  ...claims,
  kind: 'Node',
  resource: 'nodes',
  singular: 'node',
  namespaced: false,
};
const types = [widgets, nodes, claims];

let api: FakeApi;
const followers: Follower[] = [];

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
  const follower = new Follower(api, types, namespaces);
  followers.push(follower);
  return follower.start({ first });
}

function said(follower: Follower, type: ResourceType): string[] {
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

describe('the namespace that is read first', () => {
  it('is known, facts included, before anything of the rest is asked for', async () => {
    // Its claims take their time.
    api.standing.set('/shop/persistentvolumeclaims', { kind: 'status', code: 429, retryAfter: 1 });
    const follower = await follow();
    await soon(() => expect(follower.statuses.get(widgets)?.namespaces).toEqual(['shop']));
    await soon(() => expect(follower.statuses.get(nodes)?.state).toBe('synced'));
    expect(follower.seen.map(line => line.split(' ')[0])).toEqual(['/n1', 'shop/gear']);
    expect(lists().filter(path => wide.includes(path))).toEqual([]);
    api.standing.clear();
    await follower.source.factsComplete;
    expect(follower.seen).toEqual(stateOf(api));
    expect(lists().slice(-2).toSorted()).toEqual(wide);
    expect(new Set(lists()).size).toBe(5);
    for (const type of [widgets, claims])
      expect(said(follower, type)).toEqual(['listing false', 'listing true shop', 'synced true']);
    expect(said(follower, nodes)).toEqual(['listing false', 'synced true']);
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

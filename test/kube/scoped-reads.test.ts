/** What the live source asks for where a question concerns a namespace, and what it reads beside because it is wanted. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReadPlan, Want } from '../../src/model/exchange/reads.ts';
import type { Uid } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { FakeApi } from './fake-api.ts';
import { catalogueOf, claims, Follower, soon, widgets } from './follow.ts';

const namespaces: ResourceType = kind('Namespace', 'namespaces');
const nodes: ResourceType = kind('Node', 'nodes');
const types = [namespaces, nodes, claims, widgets];

const shop: ReadPlan = { scope: () => ({ namespaces: ['shop'] }), follows: false };
const followed: ReadPlan = { ...shop, follows: true };

let api: FakeApi;
const followers: Follower[] = [];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  api.put('', 'shop', { resource: 'namespaces' });
  api.put('', 'n1', { resource: 'nodes' });
  api.put('', 'n2', { resource: 'nodes' });
  for (const namespace of ['shop', 'other']) {
    api.put(namespace, 'data', { resource: 'persistentvolumeclaims' });
    api.put(namespace, 'gear', { resource: 'widgets' });
  }
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map(follower => follower.source.close()));
  await api.stop();
});

function kind(name: string, resource: string): ResourceType {
  return { ...claims, kind: name, resource, singular: name.toLowerCase(), namespaced: false };
}

async function read(reading: ReadPlan = shop, served = types): Promise<Follower> {
  const follower = new Follower(api, served);
  followers.push(follower);
  await follower.start(reading);
  await follower.source.factsComplete;
  return follower;
}

function stateOf(follower: Follower, type: ResourceType): string {
  const { state, namespaces: where, reason } = follower.statuses.get(type) ?? {};
  return [state, where?.join(' '), reason].filter(part => part !== undefined).join(', ');
}

/** Longer than between any two things that a source does from time to time. */
function minutes(follower: Follower): Promise<void> {
  return follower.timing.sleep(120_000, new AbortController().signal);
}

const lists = [
  '/api/v1/namespaces/shop',
  '/api/v1/namespaces/shop/persistentvolumeclaims',
  '/apis/example.com/v1/namespaces/shop/widgets',
];

const all = (type: ResourceType, namespace?: string): Want => ({ type, namespace, name: undefined });
const node = (name: string): Want => ({ type: nodes, namespace: '', name });

describe('one answer about a namespace', () => {
  it('costs a list for each kind that is in namespaces, the namespace itself, and nothing after that', async () => {
    const follower = await read();
    expect(api.requests.toSorted()).toEqual(lists);
    expect(follower.scope).toEqual({ namespaces: ['shop'] });
    expect(follower.seen.map(line => line.split(' ')[0])).toEqual(['/shop', 'shop/data', 'shop/gear']);
    const facts = [...follower.objects.values()].flatMap(object => object.facts?.kind ?? []);
    expect(facts.toSorted()).toEqual(['Namespace', 'PersistentVolumeClaim']);
    expect(types.map(type => stateOf(follower, type))).toEqual([
      'unread',
      'unread',
      'synced, shop',
      'synced, shop',
    ]);
    expect(follower.answers).toEqual(['Namespace shop found']);
    await minutes(follower);
    expect(api.requests).toHaveLength(3);
    expect(api.looks).toBe(0);
    expect(follower.connections).toEqual([{ state: 'live' }]);
  });

  it('is reading a kind as long as one of several namespaces has yet to answer', async () => {
    api.standing.set('namespaces/other/widgets', { kind: 'status', code: 429, retryAfter: 60 });
    const follower = new Follower(api, types);
    followers.push(follower);
    await follower.start({ ...shop, scope: () => ({ namespaces: ['shop', 'other'] }) });
    const first = () =>
      follower.statusLog.find(({ type, namespaces: where }) => type === widgets && where?.join() === 'shop');
    await soon(() => expect(first()).toBeDefined());
    expect(first()?.state).toBe('listing');
  });

  it('is told of a namespace that is not there', async () => {
    const follower = await read({ ...shop, scope: () => ({ namespaces: ['nowhere'] }) });
    expect(follower.answers).toEqual(['Namespace nowhere absent']);
    expect(follower.objects.size).toBe(0);
  });

  it('is not begun where the question makes no sense', async () => {
    const follower = new Follower(api, types);
    followers.push(follower);
    const scope = (): never => {
      throw new Error('the server has no resource type "gear"');
    };
    await expect(follower.start({ scope })).rejects.toThrow('no resource type "gear"');
    expect(api.requests).toEqual([]);
  });

  it('is about everything where the question is', async () => {
    const follower = await read({ scope: () => undefined, follows: false });
    expect(follower.scope).toBeUndefined();
    expect(follower.objects.size).toBe(7);
    const before = api.requests.length;
    await minutes(follower);
    expect(api.requests).toHaveLength(before);
    expect(api.requests.filter(request => request.includes('watch'))).toEqual([]);
  });

  it('says why a kind cannot be listed, once', async () => {
    api.standing.set('/widgets', { kind: 'status', code: 403 });
    const follower = await read();
    expect(stateOf(follower, widgets)).toBe('blind, 403');
    await minutes(follower);
    expect(api.requests.filter(request => request.includes('widgets'))).toEqual([lists[2]]);
  });

  it('tries again what an overloaded server refuses', async () => {
    api.faults.push({ kind: 'status', code: 503 }, { kind: 'cut', after: 30 });
    const follower = await read();
    expect(stateOf(follower, claims)).toBe('synced, shop');
    expect(stateOf(follower, widgets)).toBe('synced, shop');
  });

  it('names what cannot be seen of two namespaces', async () => {
    api.standing.set('/other/widgets', { kind: 'status', code: 403 });
    const follower = await read({ ...shop, scope: () => ({ namespaces: ['shop', 'other'] }) });
    expect(stateOf(follower, widgets)).toBe('synced, shop, 403');
    expect(stateOf(follower, claims)).toBe('synced, shop other');
  });
});

describe('what is wanted beside', () => {
  it('is one object, which comes with its facts and the answer', async () => {
    const follower = await read();
    follower.source.want([node('n1'), node('n1')]);
    follower.source.want([node('n1'), node('n9')]);
    await soon(() =>
      expect(follower.answers.slice(1).toSorted()).toEqual(['Node n1 found', 'Node n9 absent']),
    );
    expect(api.requests.slice(3).toSorted()).toEqual(['/api/v1/nodes/n1', '/api/v1/nodes/n9']);
    expect([...follower.objects.values()].find(({ name }) => name === 'n1')?.facts?.kind).toBe('Node');
    expect(stateOf(follower, nodes)).toBe('unread');
    expect(follower.statuses.get(nodes)?.count).toBe(1);
  });

  it('is unknown where it may not be read', async () => {
    api.standing.set('/nodes/', { kind: 'status', code: 403 });
    const follower = await read();
    follower.source.want([node('n1')]);
    await soon(() => expect(follower.answers).toContain('Node n1 unknown'));
    expect(follower.objects.size).toBe(3);
  });

  it('is all of a kind that is in no namespace', async () => {
    const follower = await read();
    follower.source.want([all(nodes, ''), all(nodes)]);
    await soon(() => expect(stateOf(follower, nodes)).toBe('synced'));
    expect(api.requests.slice(3)).toEqual(['/api/v1/nodes']);
    follower.source.want([node('n2'), node('n9')]);
    await soon(() => expect(follower.answers.slice(1)).toEqual(['Node n2 found', 'Node n9 absent']));
    expect(api.requests).toHaveLength(4);
  });

  it('is a kind in one more namespace, and then in all', async () => {
    const follower = await read();
    const before = follower.statusLog.length;
    follower.source.want([all(widgets, 'other'), all(widgets, 'shop')]);
    await soon(() => expect(stateOf(follower, widgets)).toBe('synced, shop other'));
    expect(new Set(follower.statusLog.slice(before).map(({ state }) => state))).toEqual(new Set(['synced']));
    api.put('third', 'gear', { resource: 'widgets' });
    follower.source.want([all(widgets)]);
    await soon(() => expect(stateOf(follower, widgets)).toBe('synced'));
    expect(follower.statuses.get(widgets)?.count).toBe(3);
    expect(follower.log.filter(line => line.includes('shop/gear'))).toHaveLength(1);
    expect(api.requests.slice(3)).toEqual([
      '/apis/example.com/v1/namespaces/other/widgets',
      '/apis/example.com/v1/widgets',
    ]);
  });

  it('keeps what was seen where all of a kind may not be listed', async () => {
    api.standing.set('v1/widgets', { kind: 'status', code: 403 });
    const follower = await read();
    follower.source.want([all(widgets)]);
    await soon(() => expect(stateOf(follower, widgets)).toBe('synced, shop, 403'));
    expect(follower.objects.size).toBe(3);
  });

  it('is at most sixteen requests at once', async () => {
    const follower = await read();
    api.standing.set('/nodes/', { kind: 'stall', after: 0 });
    follower.source.want(Array.from({ length: 40 }, (_, index) => node(`many-${index}`)));
    await soon(() => expect(api.requests.filter(request => request.includes('/nodes/'))).toHaveLength(16));
  });

  it('is an owner in no namespace that a look-up finds', async () => {
    const follower = await read();
    const lookUp = { of: 'object', apiVersion: 'v1', kind: 'Node', namespace: '', name: 'n1' } as const;
    follower.source.lookUp([{ ...lookUp, uid: 'uid-2' as Uid }], { urgent: true });
    await soon(() => expect(follower.answers).toContain('Node n1 found'));
    expect([...follower.objects.values()].find(({ name }) => name === 'n1')?.facts?.kind).toBe('Node');
  });
});

describe('a namespace that is followed', () => {
  it('is watched as it was listed, and the definitions of types are not', async () => {
    const definitions = {
      ...kind('CustomResourceDefinition', 'customresourcedefinitions'),
      group: 'apiextensions.k8s.io',
      apiVersion: 'apiextensions.k8s.io/v1',
    };
    const follower = await read(followed, [...types, definitions]);
    // The namespace is followed with all others.
    await soon(() => expect(api.watching).toBe(3));
    api.put('shop', 'more', { resource: 'widgets' });
    api.put('other', 'more', { resource: 'widgets' });
    api.remove('shop', 'data');
    await soon(() =>
      expect(follower.seen.map(line => line.split(' ')[0])).toEqual(['/shop', 'shop/gear', 'shop/more']),
    );
    expect(stateOf(follower, definitions)).toBe('unread');
    expect(api.requests.filter(request => request.includes('customresourcedefinitions'))).toEqual([]);
  });

  it('gets the kinds that are served later', async () => {
    const follower = await read(followed, [namespaces, nodes, claims]);
    follower.catalogue = catalogueOf(types);
    await soon(() => expect(stateOf(follower, widgets)).toBe('synced, shop'));
    expect(stateOf(follower, nodes)).toBe('unread');
  });

  it('keeps an object that was wanted fresh, with the others of its kind', async () => {
    const follower = await read(followed);
    follower.source.want([node('n1')]);
    await soon(() => expect(stateOf(follower, nodes)).toBe('synced'));
    await soon(() => expect(api.watching).toBe(4));
    api.put('', 'n1', { finalizers: ['example.com/hold'] });
    await soon(() =>
      expect([...follower.objects.values()].find(({ name }) => name === 'n1')?.finalizers).toEqual([
        'example.com/hold',
      ]),
    );
    api.remove('', 'n1');
    await soon(() => expect([...follower.objects.values()].map(({ name }) => name)).not.toContain('n1'));
  });
});

import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import type { DeleteOptions } from '../../../src/simulation/api/api-client.ts';
import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { blockingRefTo, object, refTo, type, uid } from '../../graph/fixtures.ts';
import { violations } from '../../graph/invariant.ts';
import { builtIn, cluster, names, shuffled } from '../fixtures.ts';
import { ownerRefs } from '../owners.ts';

const pods = builtIn('Pod');
const configMaps = builtIn('ConfigMap');
const secrets = builtIn('Secret');
const controllers = builtIn('ReplicationController');
const widgets = type({ group: 'example.com', kind: 'Widget', resource: 'widgets' });

/** A cluster in which nothing but the collector runs, started and at rest. */
function collected(objects: readonly KubeObject[], options: Parameters<typeof cluster>[0] = {}) {
  const running = cluster({
    objects,
    processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
    ...options,
  });
  running.start();
  expect(running.run({ tasks: 100_000 })).toBe('rest');
  return running;
}

function collectorOf(running: SimulatedCluster): GarbageCollector {
  const found = running.controller('garbage-collector');
  if (!(found instanceof GarbageCollector)) throw new Error('the collector is not running');
  return found;
}

function remove(running: SimulatedCluster, target: KubeObject, options: DeleteOptions = {}): void {
  const answer = running.as('user').delete(target, options);
  if (!answer.ok) throw new Error(answer.message);
  expect(running.run({ tasks: 100_000 })).toBe('rest');
  expect(violations(collectorOf(running).graph)).toEqual([]);
}

function left(running: SimulatedCluster): string[] {
  return names(running.store.all());
}

function rc(name: string, init: Partial<Parameters<typeof object>[0]> = {}): KubeObject {
  return object({ type: controllers, uid: name, ...init });
}

function pod(name: string, ...owners: KubeObject[]): KubeObject {
  return object({ type: pods, uid: name, owners: owners.map(owner => refTo(owner)) });
}

describe('cascading deletion', () => {
  test('T2: only dependents without another owner go with their owner', () => {
    const [a, b] = [rc('a'), rc('b')];
    const running = collected([a, b, pod('of-a', a), pod('of-both', a, b), pod('unowned')]);
    remove(running, a, { orphanDependents: false });
    expect(left(running)).toEqual(['b', 'of-both', 'unowned']);
    expect(collectorOf(running).graph.get(a.uid)).toBeUndefined();
  });

  test('T4: presets, booleans, policies and defaults each do what they say', () => {
    const groups: [string, Partial<Parameters<typeof object>[0]>, DeleteOptions][] = [
      ['1', {}, {}],
      ['2', { finalizers: ['orphan'] }, {}],
      ['3', { finalizers: ['orphan'] }, { orphanDependents: false }],
      ['4', {}, { orphanDependents: true }],
      ['5', {}, { propagationPolicy: 'Orphan' }],
    ];
    const owners = groups.flatMap(([group, init, options]) =>
      Array.from({ length: 10 }, (_, n) => ({ owner: rc(`g${group}-${n}`, init), options })),
    );
    const dependents = owners.flatMap(({ owner }) =>
      ['a', 'b', 'c'].map(n => pod(`${owner.name}-${n}`, owner)),
    );
    const running = collected([...owners.map(({ owner }) => owner), ...dependents]);
    for (const { owner, options } of owners) running.as('user').delete(owner, options);
    running.run();
    const survivors = left(running);
    expect(survivors).toHaveLength(120);
    expect(survivors.filter(name => name.startsWith('g3'))).toEqual([]);
    expect(running.store.list(controllers)).toEqual([]);
    for (const { owner } of owners) expect(collectorOf(running).graph.get(owner.uid)).toBeUndefined();
  });

  test('T5: orphaning leaves every dependent without the reference', () => {
    const owner = rc('owner');
    const running = collected([owner, pod('a', owner), pod('b', owner), pod('c', owner)]);
    remove(running, owner, { orphanDependents: true });
    expect(left(running)).toEqual(['a', 'b', 'c']);
    for (const survivor of running.store.all()) expect(survivor.owners).toEqual([]);
  });

  test('T7: dependents that don’t block are not waited for', () => {
    const owner = rc('owner');
    const held = (name: string, blockOwnerDeletion: boolean | undefined): KubeObject =>
      object({ type: pods, uid: name, finalizers: ['x/y'], owners: [refTo(owner, { blockOwnerDeletion })] });
    const running = collected([owner, held('unset', undefined), held('false', false)]);
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['false', 'unset']);
    for (const survivor of running.store.all()) expect(survivor.deletionTimestamp).toBeDefined();
  });

  test('T8: deleting twice in the foreground changes nothing for a foreign finalizer', () => {
    const held = object({ type: pods, uid: 'held', finalizers: ['x/y'] });
    const running = collected([held]);
    for (let i = 0; i < 2; i++) {
      remove(running, held, { propagationPolicy: 'Foreground' });
      expect(running.store.byUid(held.uid)?.finalizers).toEqual(['x/y']);
    }
    running.as('user').patch(held, { finalizers: [] });
    running.run();
    expect(left(running)).toEqual([]);
  });

  test('T10: a custom owner goes after its custom dependent', () => {
    const owner = object({ type: widgets, uid: 'owner' });
    const dependent = object({ type: widgets, uid: 'dependent', owners: [blockingRefTo(owner)] });
    const running = collected([owner, dependent], { types: [pods, widgets] });
    const order: string[] = [];
    running.api.onWrite(event => {
      if (event.op === 'deleted') order.push(event.object.name);
    });
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(order).toEqual(['dependent', 'owner']);
  });

  test('T11: built-in and custom kinds own each other', () => {
    const custom = object({ type: widgets, uid: 'custom' });
    const builtin = object({ type: configMaps, uid: 'builtin' });
    const ofCustom = object({ type: configMaps, uid: 'of-custom', owners: [blockingRefTo(custom)] });
    const ofBuiltin = object({ type: widgets, uid: 'of-builtin', owners: [blockingRefTo(builtin)] });
    const running = collected([custom, builtin, ofCustom, ofBuiltin], { types: [configMaps, widgets] });
    remove(running, custom, { propagationPolicy: 'Foreground' });
    remove(running, builtin, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual([]);
  });

  test('dependents that describe an absent owner differently don’t keep the cluster from being at rest', () => {
    const owner = object({ type: configMaps, uid: 'never-made' });
    const held = object({
      type: secrets,
      uid: 'held',
      finalizers: ['x/y'],
      owners: [refTo(owner), refTo(owner, { name: 'another' })],
    });
    // `collected` and `remove` expect the simulation to come to rest.
    const running = collected([held]);
    expect(running.store.byUid(held.uid)?.deletionTimestamp).toBeDefined();
    const late = object({ type: secrets, uid: 'late' });
    const { type, name, namespace } = late;
    running.as('user').create({ type, name, namespace, owners: [refTo(owner, { name: 'third' })] });
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(left(running)).toEqual(['held']);
  });

  test('an owner that is referred to twice and changes between two looks at it loses both references', () => {
    const top = object({ type: configMaps, uid: 'top' });
    const middle = object({ type: secrets, uid: 'middle', owners: [blockingRefTo(top)] });
    const owners = [blockingRefTo(top), refTo(middle), blockingRefTo(middle)];
    const bottom = object({ type: secrets, uid: 'bottom', owners });
    const ends = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const chooser = shuffled(new Random(seed));
      const running = collected([top, middle, bottom], { anyOrder: true, chooser });
      remove(running, top, { propagationPolicy: 'Foreground' });
      ends.add(left(running).join());
    }
    expect([...ends].sort()).toEqual(['', 'bottom']);
  });

  test('unblocking alters the first of two references to an owner field by field, as a strategic merge does', () => {
    const waiting = object({
      type: configMaps,
      uid: 'waiting',
      finalizers: ['foregroundDeletion'],
      deletionTimestamp: 1,
      owners: [blockingRefTo(object({ type: secrets, uid: 'item' }))],
    });
    const another = { name: 'another', blockOwnerDeletion: true };
    const item = object({
      type: secrets,
      uid: 'item',
      finalizers: ['example.com/hold'],
      owners: [refTo(waiting, { controller: true, blockOwnerDeletion: true }), refTo(waiting, another)],
    });
    const running = collected([waiting, item]);
    // As v1.33.13 leaves them.
    expect(running.store.byUid(item.uid)?.owners).toMatchObject([
      { name: 'another', controller: true, blockOwnerDeletion: false },
      { name: 'another', controller: undefined, blockOwnerDeletion: true },
    ]);
  });

  test('E1: background deletion with a uid precondition takes the pods along', () => {
    const owner = rc('owner');
    const running = collected([owner, pod('a', owner), pod('b', owner)]);
    remove(running, owner, { propagationPolicy: 'Background', preconditions: { uid: owner.uid } });
    expect(left(running)).toEqual([]);
  });

  test('E2: pods that were orphaned by option are there half a minute later', () => {
    const owner = rc('owner');
    const running = collected([owner, ...['a', 'b', 'c'].map(name => pod(name, owner))]);
    remove(running, owner, { propagationPolicy: 'Orphan' });
    running.runFor(30_000);
    expect(left(running)).toEqual(['a', 'b', 'c']);
  });

  test('E7: a dependent with a valid owner beside the waiting one stays with that one', () => {
    const [first, second] = [rc('first'), rc('second')];
    const only = ['a', 'b'].map(name => object({ type: pods, uid: name, owners: [blockingRefTo(first)] }));
    const both = ['c', 'd'].map(name =>
      object({ type: pods, uid: name, owners: [blockingRefTo(first), refTo(second)] }),
    );
    const running = collected([first, second, ...only, ...both]);
    remove(running, first, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['c', 'd', 'second']);
    for (const survivor of running.store.list(pods)) {
      expect(survivor.owners.map(({ uid: owner }) => owner)).toEqual([second.uid]);
      expect(survivor.deletionTimestamp).toBeUndefined();
    }
  });

  test('E8: a cycle of blocking dependents is no obstacle', () => {
    const bare = (name: string): KubeObject => object({ type: pods, uid: name });
    const cycle = [
      ['pod1', 'pod3'],
      ['pod2', 'pod1'],
      ['pod3', 'pod2'],
    ].map(([name = '', owner = '']) =>
      object({ type: pods, uid: name, owners: [blockingRefTo(bare(owner))] }),
    );
    const running = collected(cycle);
    remove(running, bare('pod1'), { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual([]);
  });

  test('E10: a custom resource that is deleted as orphan leaves its dependent', () => {
    const owner = object({ type: widgets, uid: 'owner' });
    const dependent = object({ type: widgets, uid: 'dependent', owners: [refTo(owner)] });
    const running = collected([owner, dependent], { types: [widgets] });
    remove(running, owner, { propagationPolicy: 'Orphan' });
    expect(left(running)).toEqual(['dependent']);
    expect(running.store.byUid(dependent.uid)?.owners).toEqual([]);
  });
});

describe('deletion that gets stuck', () => {
  test('a blocking dependent with a foreign finalizer holds its owner (docs/kubernetes.md §10 row 1)', () => {
    const owner = object({ type: configMaps, uid: 'owner' });
    const held = object({ type: pods, uid: 'held', finalizers: ['x/y'], owners: [blockingRefTo(owner)] });
    const running = collected([owner, held]);
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['held', 'owner']);
    // The remedy: a reference that doesn't block lets the owner go, and the dependent with it.
    running.as('user').patch(held, { owners: [refTo(owner, { blockOwnerDeletion: false })] });
    running.run();
    expect(left(running)).toEqual(['held']);
  });

  test('an object that owns itself and blocks waits for itself (docs/kubernetes.md §10 row 4)', () => {
    const self = object({ type: configMaps, uid: 'self' });
    const snake = object({ type: configMaps, uid: 'self', owners: [blockingRefTo(self)] });
    const running = collected([snake]);
    remove(running, snake, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['self']);
    running.as('user').patch(snake, { owners: [] });
    running.run();
    expect(left(running)).toEqual([]);
  });

  test('a cycle is stuck when all of it was deleted before the collector looked (docs/kubernetes.md §10 row 5)', () => {
    const bare = (name: string): KubeObject => object({ type: pods, uid: name });
    const a = object({ type: pods, uid: 'a', owners: [blockingRefTo(bare('b'))] });
    const b = object({ type: pods, uid: 'b', owners: [blockingRefTo(bare('a'))] });
    const running = collected([a, b]);
    running.stop();
    for (const each of [a, b]) running.as('user').delete(each, { propagationPolicy: 'Foreground' });
    running.start();
    running.run();
    expect(left(running)).toEqual(['a', 'b']);
    remove(running, a, { propagationPolicy: 'Background' });
    expect(left(running)).toEqual([]);
  });

  test('a cluster-scoped dependent of a namespaced owner is waited for and never collected (docs/kubernetes.md §10 row 3)', () => {
    const owner = object({ type: configMaps, uid: 'owner' });
    const volume = object({ type: builtIn('PersistentVolume'), uid: 'pv', owners: [blockingRefTo(owner)] });
    const running = collected([owner, volume]);
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['owner', 'pv']);
    expect(running.store.byUid(volume.uid)?.deletionTimestamp).toBeUndefined();
  });

  test('an owner that is held by another finalizer is still solid (docs/kubernetes.md §10 row 11)', () => {
    const owner = object({ type: configMaps, uid: 'owner', finalizers: ['x/y'] });
    const running = collected([owner, pod('child', owner)]);
    remove(running, owner, { propagationPolicy: 'Background' });
    expect(left(running)).toEqual(['child', 'owner']);
    expect(running.store.byUid(uid('child'))?.deletionTimestamp).toBeUndefined();
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['owner']);
  });
});

describe('references that disagree with their owner', () => {
  test('T1: children in another namespace go, valid ones stay, and unknown kinds protect', () => {
    const parent = object({ type: configMaps, uid: 'parent', namespace: 'b' });
    const valid = Array.from({ length: 10 }, (_, n) =>
      object({ type: secrets, uid: `valid-${n}`, namespace: 'b', owners: [refTo(parent)] }),
    );
    const wrongKind = refTo(parent, { apiVersion: 'v1', kind: 'Pod' });
    const unknown = Array.from({ length: 25 }, (_, n) =>
      ownerRefs.unknown({ name: `unknown-${n}`, uid: `unknown-${n}` }),
    );
    const protectedOnes = Array.from({ length: 5 }, (_, n) =>
      object({ type: secrets, uid: `protected-${n}`, namespace: 'a', owners: [...unknown, wrongKind] }),
    );
    const bad = Array.from({ length: 5 }, (_, n) =>
      object({ type: secrets, uid: `bad-${n}`, namespace: 'a', owners: [wrongKind] }),
    );
    const running = collected([parent, ...valid, ...protectedOnes, ...bad]);
    expect(names(running.store.list(secrets)).filter(name => name.startsWith('bad'))).toEqual([]);
    expect(names(running.store.list(secrets, 'b'))).toHaveLength(10);
    expect(collectorOf(running).graph.get(parent.uid)?.virtual).toBe(false);
    running.as('user').create({ type: secrets, namespace: 'a', name: 'bad-later', owners: [wrongKind] });
    running.run();
    expect(names(running.store.list(secrets)).filter(name => name.startsWith('bad'))).toEqual([]);
  });

  test('T14: of a cluster-scoped owner only a missing one takes its children along', () => {
    const volume = object({ type: builtIn('PersistentVolume'), uid: 'pv' });
    const missing = object({ type: builtIn('PersistentVolume'), uid: 'no-pv' });
    const child = (name: string, owner: KubeObject['owners'][number]): KubeObject =>
      object({ type: configMaps, uid: name, owners: [owner] });
    const objects = [
      volume,
      child('valid', refTo(volume)),
      child('of-missing', refTo(missing)),
      child('of-unknown', ownerRefs.unknown({ name: 'x', uid: 'x' })),
    ];
    const running = cluster({
      objects,
      processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
    });
    // Volumes cannot be listed for a while, so the owner is only known by its children's word.
    running.discovery.setAvailability(volume.type, 'unlistable');
    running.start();
    running.runFor(31_000);
    expect(left(running)).toEqual(['of-unknown', 'pv', 'valid']);
    running.discovery.setAvailability(volume.type, 'served');
    running.run();
    expect(left(running)).toEqual(['of-unknown', 'pv', 'valid']);
  });

  test('a reference that was corrupted under its uid is only noticed after a restart (docs/kubernetes.md §1.2)', () => {
    const owner = object({ type: configMaps, uid: 'owner' });
    const running = collected([owner, pod('child', owner)]);
    const child = pod('child', owner);
    running.as('user').patch(child, { owners: [refTo(owner, { name: 'misspelt' })] });
    running.run();
    expect(left(running)).toEqual(['child', 'owner']);
    running.stop();
    running.start();
    running.run();
    expect(left(running)).toEqual(['owner']);
  });

  test('one uid in two references, one of them wrong, leaves the object without any (docs/kubernetes.md §10 row 21)', () => {
    const owner = object({ type: configMaps, uid: 'owner' });
    const twice = object({
      type: secrets,
      uid: 'twice',
      owners: [refTo(owner), refTo(owner, { name: 'other' })],
    });
    const running = collected([owner, twice]);
    expect(running.store.byUid(twice.uid)?.owners).toEqual([]);
  });
});

describe('what is under way at the same time', () => {
  test('a deletion that is always refused keeps nothing from being at rest', () => {
    const gone = object({ type: builtIn('PersistentVolume'), uid: 'gone' });
    const immortal = object({ type: builtIn('Namespace'), uid: 'default', owners: [refTo(gone)] });
    const running = collected([immortal]);
    expect(left(running)).toEqual(['default']);
    expect(running.api.log.entries.some(({ status }) => status === 403)).toBe(true);
  });

  test('dependents are judged while their owner still waits, although nothing blocks it', () => {
    const bare = object({ type: secrets, uid: 'owner' });
    const owner = object({ type: secrets, uid: 'owner', finalizers: ['x/y'], owners: [refTo(bare)] });
    const child = object({ type: configMaps, uid: 'child', finalizers: ['x/y'], owners: [refTo(owner)] });
    const running = collected([owner, child]);
    remove(running, owner, { propagationPolicy: 'Foreground' });
    expect(running.store.byUid(owner.uid)?.finalizers).toEqual(['x/y']);
    expect(running.store.byUid(child.uid)?.deletionTimestamp).toBeDefined();
  });

  test('an owner that orphans lets go before a dependent is judged by its other references', () => {
    const owner = object({ type: configMaps, uid: 'owner' });
    const child = object({
      type: secrets,
      uid: 'child',
      owners: [refTo(owner), refTo(owner, { uid: uid('child'), kind: 'ConfigMap' })],
    });
    const running = collected([owner]);
    running.stop();
    running.api.seed(child);
    running.as('user').delete(owner, { propagationPolicy: 'Orphan' });
    running.start();
    running.run();
    expect(left(running)).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/model/object.ts';
import type { Departure } from '../../../../src/simulation/collector/first/departures.ts';
import { blockingRefTo, object, refTo, type } from '../../../graph/fixtures.ts';
import { builtIn } from '../../fixtures.ts';
import { firstCollected, firstOf, left, ownersOf, pod, rc, removed, requests } from './world.ts';

const namespace = 'default';

function made(kind: string, name: string, init: Partial<Parameters<typeof object>[0]> = {}): KubeObject {
  return object({ type: builtIn(kind), uid: name, namespace, ...init });
}

/** The collector's departures from today's, by object. */
function noting(): { readonly seen: string[]; readonly departed: (departure: Departure) => void } {
  const seen: string[] = [];
  return { seen, departed: ({ code, uid }) => void seen.push(`${code} ${uid}`) };
}

describe('what it lacks', () => {
  test('foreground deletion: the owner is deleted at once, and nothing blocks', () => {
    const owner = made('ConfigMap', 'owner');
    const held = made('Secret', 'held', { finalizers: ['a.io/b'], owners: [blockingRefTo(owner)] });
    const running = firstCollected([owner, held]);
    removed(running, owner, { propagationPolicy: 'Foreground' });
    expect(left(running)).toEqual(['held']);
    expect(running.store.byUid(held.uid)?.finalizers).toEqual(['a.io/b']);
    expect(running.store.byUid(held.uid)?.deletionTimestamp).toBeDefined();
  });

  test('a policy of its own: a ReplicaSet that it deletes leaves its pods behind', () => {
    const deployment = made('Deployment', 'web');
    const set = made('ReplicaSet', 'web-1', { owners: [blockingRefTo(deployment)] });
    const web = pod('web-1-a', set);
    const running = firstCollected([deployment, set, web]);
    removed(running, deployment, { propagationPolicy: 'Background' });
    expect(left(running)).toEqual(['web-1-a']);
    expect(ownersOf(running, web)).toEqual([]);
  });

  test('a look at whether an object is being deleted: it is deleted again', () => {
    const owner = made('ConfigMap', 'owner');
    const held = made('Secret', 'held', { finalizers: ['a.io/b'], owners: [refTo(owner)] });
    const { seen, departed } = noting();
    const running = firstCollected([owner, held], { collector: { departed } });
    removed(running, held);
    removed(running, owner);
    expect(requests(running, ['delete'])).toEqual(['delete secrets default/held → 200']);
    expect(seen).toEqual(['DeletedAgain held']);
  });

  test('back-off: what failed comes back each second, and keeps nobody from resting', () => {
    const owner = { apiVersion: 'no.io/v1', kind: 'No', name: 'no', uid: made('Secret', 'no').uid };
    const reference = { ...owner, controller: undefined, blockOwnerDeletion: undefined };
    const running = firstCollected([made('Secret', 'kept', { owners: [reference] })]);
    const before = running.api.log.entries.length;
    running.runFor(60_000);
    expect(left(running)).toEqual(['kept']);
    const [, dirty] = firstOf(running).collectorState().queues;
    expect(dirty?.backingOff.length).toBeGreaterThan(0);
    // The item of an owner of unknown kind: there is nowhere to ask.
    expect(running.api.log.entries.length).toBe(before);
  });
});

describe('owners elsewhere', () => {
  test('a dependent in another namespace has the dependents of a living owner deleted', () => {
    const owner = made('ConfigMap', 'owner');
    const [near, far] = [
      made('Secret', 'near', { owners: [refTo(owner)] }),
      made('Secret', 'far', { namespace: 'other', owners: [refTo(owner)] }),
    ];
    const { seen, departed } = noting();
    // The dependents are observed first, so that the owner is looked for where the first of them is.
    const running = firstCollected([far, near, owner], { collector: { departed } });
    expect(left(running)).toEqual(['owner']);
    expect(seen).toContain('AbsentByUid near');
  });

  test('once the owner is observed, nobody looks at a dependent in another namespace', () => {
    const owner = made('ConfigMap', 'owner');
    const far = made('Secret', 'far', { namespace: 'other', owners: [refTo(owner)] });
    const { seen, departed } = noting();
    const running = firstCollected([owner, far], { collector: { departed } });
    expect(left(running)).toEqual(['far', 'owner']);
    expect(seen).toEqual(['UncheckedReference far']);
  });

  test('a cluster-scoped owner is looked for in the namespace of its dependent, and not found there', () => {
    const role = made('ClusterRole', 'admin', { namespace: '' });
    const { seen, departed } = noting();
    const binding = made('Secret', 'token', { owners: [refTo(role)] });
    const running = firstCollected([binding, role], { collector: { departed } });
    expect(left(running)).toEqual(['admin']);
    expect(requests(running, ['get'])).toContain('get clusterroles default/admin → 404');
    expect(seen).toContain('ClusterScopedOwner token');
  });

  test('a cluster-scoped object with an owner in a namespace is deleted', () => {
    const owner = made('ConfigMap', 'owner');
    const role = made('ClusterRole', 'admin', { namespace: '', owners: [refTo(owner)] });
    const { seen, departed } = noting();
    const running = firstCollected([role, owner], { collector: { departed } });
    expect(left(running)).toEqual(['owner']);
    expect(seen).toContain('NamespacedOwner admin');
  });

  test('custom resources are neither watched nor found', () => {
    const widgets = type({ group: 'example.com', kind: 'Widget', resource: 'widgets' });
    const absent = made('ConfigMap', 'absent');
    const widget = object({ type: widgets, uid: 'widget', namespace, owners: [refTo(absent)] });
    const gone = object({ type: widgets, uid: 'gone', namespace });
    const child = made('Secret', 'child', { owners: [refTo(gone)] });
    const { seen, departed } = noting();
    const types = [...new Set(['Secret', 'ConfigMap'].map(kind => builtIn(kind))), widgets];
    const running = firstCollected([widget, child], { cluster: { types }, collector: { departed } });
    expect(left(running)).toEqual(['child', 'widget']);
    expect(new Set(seen)).toEqual(new Set(['CustomResources widget', 'CustomResources gone']));
  });
});

describe('orphaning', () => {
  test('finalizers that stand behind orphan are lost', () => {
    const owner = rc('owner', { finalizers: ['a.io/first', 'orphan', 'b.io/last'] });
    const { seen, departed } = noting();
    const running = firstCollected([owner], { collector: { departed } });
    removed(running, owner);
    expect(running.store.byUid(owner.uid)?.finalizers).toEqual(['a.io/first']);
    expect(seen).toEqual(['LostFinalizers owner']);
  });

  test('dependents that could not be told are not told again, and deleted with the owner gone', () => {
    const owner = rc('owner');
    const secret = made('Secret', 'untold', { owners: [refTo(owner)] });
    const { seen, departed } = noting();
    const running = firstCollected([owner, secret], { collector: { departed } });
    running.discovery.setAvailability(builtIn('Secret'), 'failing');
    running.as('user').delete(owner);
    running.runFor(500);
    running.discovery.setAvailability(builtIn('Secret'), 'served');
    running.runFor(5000);
    expect(left(running)).toEqual([]);
    expect(seen).toEqual(['FailedOrphaning untold']);
  });

  test('a reference to an absent owner stays beside one that exists', () => {
    const [gone, stays] = [rc('gone'), rc('stays')];
    const shared = pod('shared', gone, stays);
    const { seen, departed } = noting();
    const running = firstCollected([gone, stays, shared], { collector: { departed } });
    removed(running, gone, { orphanDependents: false });
    expect(ownersOf(running, shared)).toEqual([gone.uid, stays.uid]);
    expect(seen).toEqual(['DanglingReferences shared']);
  });
});

describe('what it remembers and notices', () => {
  test('an owner whose deletion it has seen is not asked for', () => {
    const owner = rc('owner');
    const running = firstCollected([owner, pod('a', owner), pod('b', owner)]);
    removed(running, owner, { orphanDependents: false });
    expect(left(running)).toEqual([]);
    expect(requests(running, ['get']).filter(line => line.includes('replicationcontrollers'))).toEqual([]);
  });

  test('the finalizer orphan of an object that was being deleted already stays for ever', () => {
    const held = made('ConfigMap', 'held', { finalizers: ['a.io/b'] });
    const { seen, departed } = noting();
    const running = firstCollected([held], { collector: { departed } });
    removed(running, held);
    removed(running, held, { orphanDependents: true });
    expect(seen).toEqual(['LateOrphaning held']);
    expect(running.store.byUid(held.uid)?.finalizers).toEqual(['a.io/b', 'orphan']);
    expect(requests(running, ['update'])).toEqual([]);
  });
});

describe('the process', () => {
  test('nothing is done before every monitor is synced, which is looked at every ten seconds', () => {
    const running = firstCollected([]);
    running.stop('kube-controller-manager');
    running.api.seed(pod('late', rc('absent')));
    running.start('replay', 'kube-controller-manager');
    running.discovery.setAvailability(builtIn('Secret'), 'unlistable');
    running.runFor(35_000);
    expect(left(running)).toEqual(['late']);
    expect(firstOf(running).collectorState().workersWait).toBe(true);
    running.discovery.setAvailability(builtIn('Secret'), 'served');
    running.runFor(10_000);
    expect(left(running)).toEqual([]);
  });

  test('its state has the queues of the time', () => {
    const state = firstOf(firstCollected([pod('a', rc('absent'))])).collectorState();
    expect(state.version).toBe('1.5');
    expect(state.queues.map(({ name }) => name)).toEqual(['eventQueue', 'dirtyQueue', 'orphanQueue']);
    expect(state.absentOwners?.limit).toBe(500);
    expect(state.absentOwners?.owners.map(({ name }) => name)).toEqual(['absent']);
  });
});

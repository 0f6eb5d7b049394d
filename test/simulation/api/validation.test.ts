import { describe, expect, test } from 'vitest';
import type { OwnerReference } from '../../../src/model/object.ts';
import { object, refTo, uid, version } from '../../graph/fixtures.ts';
import { builtIn, cluster } from '../fixtures.ts';

const configMap = builtIn('ConfigMap');

function reference(kind: string, changes: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'v1',
    kind,
    name: 'owner',
    uid: uid(`${kind}-uid`),
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  };
}

describe('M10: owner references', () => {
  const { api } = cluster();
  const create = (name: string, ...owners: OwnerReference[]) =>
    api.as('user').create({ type: configMap, namespace: 'ns1', name, owners });

  test('one controller is accepted, of any kind', () => {
    const custom = reference('Widget', { apiVersion: 'example.com/v1', controller: true });
    expect(create('custom', custom)).toMatchObject({ status: 201 });
    expect(create('several', reference('Pod'), reference('Secret', { controller: true }))).toMatchObject({
      status: 201,
    });
  });

  test('an apiVersion without a version or with too many parts is refused, one of an empty group is not', () => {
    for (const apiVersion of ['/', 'apps/', 'a/b/c', 'apps/v1/'])
      expect(create('odd', reference('Pod', { apiVersion }))).toMatchObject({ status: 422 });
    expect(create('core', reference('Pod', { apiVersion: '/v1' }))).toMatchObject({ status: 201 });
    expect(create('core-event', reference('Event', { apiVersion: '/v1' }))).toMatchObject({ status: 422 });
    expect(create('odd-event', reference('event'))).toMatchObject({ status: 201 });
  });

  test('a v1 Event cannot be an owner, one of events.k8s.io can', () => {
    expect(create('event', reference('Event'))).toMatchObject({ status: 422 });
    expect(create('newer', reference('Event', { apiVersion: 'events.k8s.io/v1' }))).toMatchObject({
      status: 201,
    });
  });

  test('two controllers are refused', () => {
    const controller = { controller: true };
    expect(create('two', reference('Pod', controller), reference('Secret', controller))).toMatchObject({
      status: 422,
      message: expect.stringContaining('Only one reference can have Controller set to true'),
    });
  });

  test('missing coordinates are refused, missing owners are not', () => {
    for (const missing of ['apiVersion', 'kind', 'name', 'uid']) {
      expect(create(`no-${missing}`, reference('Pod', { [missing]: '' }))).toMatchObject({ status: 422 });
    }
  });

  test('exact duplicates are dropped with a warning, a uid under two names is not', () => {
    const twice = create('twice', reference('Pod'), reference('Pod'));
    expect(twice).toMatchObject({ object: { owners: [reference('Pod')] }, warnings: [expect.any(String)] });
    const alias = create('alias', reference('Pod'), reference('Pod', { name: 'alias' }));
    expect(alias).toMatchObject({ object: { owners: [{ name: 'owner' }, { name: 'alias' }] }, warnings: [] });
  });
});

describe('options of a DELETE', () => {
  const stored = object({ type: configMap, uid: 'it', resourceVersion: '7' });

  test('both ways to say the same, and unknown policies, are refused with 422', () => {
    const api = cluster({ objects: [stored] }).api.as('user');
    expect(api.delete(stored, { orphanDependents: true, propagationPolicy: 'Orphan' })).toMatchObject({
      status: 422,
    });
    expect(api.delete(stored, { propagationPolicy: 'Sideways' })).toMatchObject({ status: 422 });
  });

  test('preconditions that fail are answered with 409', () => {
    const api = cluster({ objects: [stored] }).api.as('user');
    expect(api.delete(stored, { preconditions: { uid: uid('other') } })).toMatchObject({ status: 409 });
    expect(api.delete(stored, { preconditions: { resourceVersion: version('6') } })).toMatchObject({
      status: 409,
    });
    expect(
      api.delete(stored, { preconditions: { uid: stored.uid, resourceVersion: version('7') } }),
    ).toMatchObject({ removed: true });
    expect(api.delete(stored)).toMatchObject({ status: 404 });
  });

  test('a dry run answers with the would-be object and changes nothing', () => {
    const { api, store } = cluster({ objects: [stored] });
    const dry = { dryRun: true, propagationPolicy: 'Foreground' };
    expect(api.as('user').delete(stored, dry)).toMatchObject({
      ok: true,
      object: { finalizers: ['foregroundDeletion'] },
    });
    expect(store.byUid(stored.uid)).toBe(stored);
  });

  test('202 is the answer only to orphanDependents false on an object that stays', () => {
    const held = object({ type: configMap, uid: 'held', finalizers: ['x/y'] });
    expect(
      cluster({ objects: [held] })
        .api.as('user')
        .delete(held),
    ).toMatchObject({ status: 200 });
    expect(
      cluster({ objects: [held] })
        .api.as('user')
        .delete(held, { orphanDependents: false }),
    ).toMatchObject({ status: 202 });
  });
});

describe('updates', () => {
  const deleting = object({
    type: configMap,
    uid: 'it',
    finalizers: ['x/y', 'x/z'],
    deletionTimestamp: 1,
    deletionGracePeriodSeconds: 0,
  });

  test('no finalizer can be added to an object that is being deleted', () => {
    const api = cluster({ objects: [deleting] }).api.as('user');
    expect(api.patch(deleting, { finalizers: ['x/y', 'x/new'] })).toMatchObject({ status: 422 });
    expect(api.patch(deleting, { finalizers: ['x/z'] })).toMatchObject({ status: 200, removed: false });
  });

  test('orphan and foregroundDeletion exclude each other', () => {
    const live = object({ type: configMap, uid: 'live' });
    const api = cluster({ objects: [live] }).api.as('user');
    expect(api.patch(live, { finalizers: ['orphan', 'foregroundDeletion'] })).toMatchObject({ status: 422 });
  });

  test('the last finalizer takes the object with it, and references stay editable until then', () => {
    const { api, store } = cluster({ objects: [deleting] });
    const user = api.as('user');
    const owner = object({ type: configMap, uid: 'owner' });
    expect(user.patch(deleting, { owners: [refTo(owner)] })).toMatchObject({ removed: false });
    expect(user.patch(deleting, { finalizers: [] })).toMatchObject({ removed: true });
    expect(store.byUid(deleting.uid)).toBeUndefined();
  });

  test('a stale update conflicts, a patch of another uid is invalid', () => {
    const { api, store } = cluster({ objects: [deleting] });
    const user = api.as('user');
    user.patch(deleting, { labels: ['a', 'b'] });
    expect(user.update(deleting)).toMatchObject({ status: 409 });
    expect(user.patch(deleting, {}, { uid: uid('other') })).toMatchObject({ status: 422 });
    const current = store.byUid(deleting.uid);
    if (current !== undefined) expect(user.update(current)).toMatchObject({ status: 200, object: current });
  });

  test('what changes nothing writes nothing', () => {
    const { api, clock } = cluster({ objects: [deleting] });
    const events: string[] = [];
    api.onWrite(event => events.push(event.op));
    expect(api.as('user').patch(deleting, { finalizers: ['x/y', 'x/z'] })).toMatchObject({
      object: deleting,
    });
    expect(events).toEqual([]);
    expect(clock.atRest).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { TypeStatus } from '../../src/model/exchange/changes.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { object, refTo, served, types } from './fixtures.ts';

function status(type: ResourceType, state: TypeStatus['state'], more: Partial<TypeStatus> = {}): TypeStatus {
  return { type, state, count: 0, facts: true, ...more };
}

function synced(): ClusterView {
  const view = new ClusterView();
  const statuses = served.filter(ResourceType.isMonitored).map(type => status(type, 'synced'));
  view.apply({ types: served, statuses, changes: [] }, 0);
  return view;
}

describe('what a view knows of a cluster', () => {
  test('is nothing before discovery', () => {
    const view = new ClusterView();
    expect(view.complete).toBe(false);
    expect(view.visibility(types.pod)).toBe('unserved');
  });

  test('is complete once every type that the collector watches is synced', () => {
    const view = new ClusterView();
    view.apply({ types: served, statuses: [status(types.pod, 'synced')], changes: [] }, 0);
    expect(view.complete).toBe(false);
    expect(synced().complete).toBe(true);
  });

  test('is about the watched version, whichever version is asked for', () => {
    expect(synced().visibility(types.autoscalerV1)).toBe('visible');
  });

  test('has a hole where a type cannot be listed, until it can', () => {
    const view = synced();
    view.apply({ statuses: [status(types.widget, 'blind', { reason: '403' })], changes: [] }, 0);
    expect(view.visibility(types.widget)).toBe('blind');
    expect(view.complete).toBe(false);
    expect(view.blindSpots()).toEqual([{ resource: 'widgets.example.com', reason: '403' }]);
    view.apply({ statuses: [status(types.widget, 'synced')], changes: [] }, 0);
    expect(view.complete).toBe(true);
    expect(view.blindSpots()).toEqual([]);
  });

  test('is partial where only some namespaces could be listed', () => {
    const view = synced();
    const namespaces = ['ns1', 'ns2'];
    view.apply({ statuses: [status(types.secret, 'synced', { reason: '403', namespaces })], changes: [] }, 0);
    expect(view.visibility(types.secret)).toBe('partial');
    expect(view.sees(types.secret, 'ns2')).toBe(true);
    expect(view.sees(types.secret, 'ns3')).toBe(false);
    expect(view.sees(types.secret, '')).toBe(false);
    expect(view.complete).toBe(false);
    expect(view.blindSpots()).toEqual([{ resource: 'secrets', reason: '403; seen only in ns1, ns2' }]);
  });

  test('sees the namespaces that are known while the others are listed', () => {
    const view = synced();
    view.apply({ statuses: [status(types.secret, 'listing', { namespaces: ['ns1'] })], changes: [] }, 0);
    expect(view.visibility(types.secret)).toBe('listing');
    expect(view.sees(types.secret, 'ns1')).toBe(true);
    expect(view.sees(types.secret, 'ns2')).toBe(false);
    expect(view.seesAll(types.secret)).toBe(false);
    expect(view.complete).toBe(false);
    expect(view.blindSpots()).toEqual([]);
  });

  test('is all of a namespace once every kind is known there, facts included, or cannot be listed', () => {
    const view = new ClusterView();
    expect(view.knows('ns1')).toBe(false);
    const inside = served.filter(type => ResourceType.isMonitored(type) && type.namespaced);
    const say = (...statuses: TypeStatus[]) => view.apply({ statuses, changes: [] }, 0);
    view.apply({ types: served, changes: [] }, 0);
    expect(view.knows('ns1')).toBe(false);
    say(...inside.map(type => status(type, 'listing', { namespaces: ['ns1'] })));
    expect([view.knows('ns1'), view.knows('ns2')]).toEqual([true, false]);
    say(status(types.secret, 'listing'));
    expect(view.knows('ns1')).toBe(false);
    say(status(types.secret, 'blind', { reason: '403' }));
    expect(view.knows('ns1')).toBe(true);
    say(status(types.pod, 'synced', { facts: false }));
    expect(view.knows('ns1')).toBe(false);
    say(status(types.pod, 'synced'));
    expect([view.knows('ns1'), view.knows('ns2'), view.complete]).toEqual([true, false, false]);
  });

  test('lacks groups whose discovery failed', () => {
    const view = synced();
    const failed = [{ resource: '*.metrics.k8s.io', reason: '503' }];
    view.apply({ failedGroups: failed, changes: [] }, 0);
    expect(view.complete).toBe(false);
    expect(view.blindSpots()).toEqual(failed);
    expect(view.groupFailed('metrics.k8s.io', 'v1beta1')).toBe(true);
    expect(view.groupFailed('apps', 'v1')).toBe(false);
  });

  test('forgets the hole of a type that is no longer served, and keeps its objects', () => {
    const view = synced();
    view.apply({ changes: [{ op: 'upsert', object: object({ type: types.widget, uid: 'w' }) }] }, 0);
    view.apply({ statuses: [status(types.widget, 'blind', { reason: '500' })], changes: [] }, 0);
    view.apply(
      {
        types: served.filter(type => type !== types.widget),
        statuses: [status(types.widget, 'gone')],
        changes: [],
      },
      0,
    );
    expect(view.visibility(types.widget)).toBe('unserved');
    expect(view.blindSpots()).toEqual([]);
    expect(view.complete).toBe(true);
    expect(view.graph.size).toBe(1);
  });

  test('says what each batch changed', () => {
    const view = synced();
    const changes = view.apply(
      {
        connection: { state: 'live' },
        changes: [{ op: 'upsert', object: object({ uid: 'a' }) }],
      },
      0,
    );
    expect(changes).toMatchObject({
      types: false,
      statuses: false,
      failedGroups: false,
      connection: true,
    });
    expect(changes.graph.touched.size).toBe(1);
    expect(view.connection).toEqual({ state: 'live' });
  });

  test('is not in doubt where no more than the number of objects is another one', () => {
    const view = synced();
    const tell = (more: Partial<TypeStatus>): boolean =>
      view.apply({ statuses: [status(types.pod, 'synced', more)], changes: [] }, 0).statuses;
    expect(tell({ count: 7 })).toBe(false);
    expect(view.statusOf(types.pod)?.count).toBe(7);
    expect(tell({ count: 7, polled: '403' })).toBe(true);
    expect(tell({ count: 8, polled: '403' })).toBe(false);
    expect(tell({ count: 8 })).toBe(true);
  });
});

describe('when an owner was seen to go', () => {
  const owner = object({ uid: 'owner' });
  const dependent = object({ uid: 'dependent', type: types.secret, owners: [refTo(owner)] });
  const comes = (each: typeof owner) => ({ op: 'upsert', object: each }) as const;
  const goes = (each: typeof owner) => ({ op: 'delete', uid: each.uid, type: each.type }) as const;

  test('is known as long as something refers to it and it has not come back', () => {
    const view = synced();
    view.apply({ changes: [comes(owner), comes(dependent)] }, 1000);
    expect(view.vanishedAt(owner.uid)).toBeUndefined();
    view.apply({ changes: [goes(owner)] }, 2000);
    view.apply({ changes: [comes(dependent)] }, 3000);
    expect(view.vanishedAt(owner.uid)).toBe(2000);
    view.apply({ changes: [comes(owner)] }, 4000);
    expect(view.vanishedAt(owner.uid)).toBeUndefined();
    view.apply({ changes: [goes(owner)] }, 5000);
    view.apply({ changes: [goes(dependent)] }, 6000);
    expect(view.vanishedAt(owner.uid)).toBeUndefined();
  });

  test('is not known of one that was never there', () => {
    const view = synced();
    view.apply({ changes: [comes(dependent)] }, 1000);
    expect(view.vanishedAt(owner.uid)).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { ActivityEntry } from '../../src/activity/activity-entry.ts';
import { Activity } from '../../src/activity/activity-log.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { KubeObject, ResourceVersion } from '../../src/model/object.ts';
import { becauseClause } from '../../src/text/activity/because.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

const shop = `
- {kind: Namespace, name: shop, namespace: "", status: {phase: Active}}
- {kind: Deployment, name: api}
- {kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b], spec: {selector: {matchLabels: {app: api}}}}
- {kind: Pod, name: api-1-x, labels: {app: api}, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b]}
- {kind: ConfigMap, name: shared, owners: [apps/v1 Deployment api, v1 ConfigMap platform]}
- {kind: ConfigMap, name: platform}
`;

class Followed {
  readonly view: ClusterView;
  readonly activity: Activity;
  time = now;
  #version = 100;

  constructor(yaml = shop, most?: number) {
    this.view = viewOf(yaml);
    this.activity = new Activity(this.view, most === undefined ? {} : { most });
    this.activity.begin(now);
  }

  /** One batch, 400 ms after the one before. */
  batch(...changes: readonly Change[]): readonly string[] {
    this.time += 400;
    this.activity.offer(changes, this.time);
    this.view.apply({ changes }, this.time);
    return this.activity.take(this.time).map(told);
  }

  object(name: string): KubeObject {
    for (const { object } of this.view.graph.nodes()) if (object?.name === name) return object;
    throw new Error(`no ${name}`);
  }

  change(name: string, changes: Partial<Parameters<KubeObject['with']>[0]>): Change {
    return { op: 'upsert', object: this.object(name).with(changes) };
  }

  mark(name: string, ...finalizers: readonly string[]): Change {
    return this.change(name, { deletionTimestamp: this.time, finalizers });
  }

  gone(name: string, version = String((this.#version += 1))): Change {
    return { ...this.missing(name), resourceVersion: version as ResourceVersion };
  }

  /** As a list finds it that no longer holds the object. */
  missing(name: string): Extract<Change, { op: 'delete' }> {
    const { uid, type } = this.object(name);
    return { op: 'delete', uid, type };
  }
}

function told(entry: ActivityEntry): string {
  const root = ActivityEntry.root(entry);
  const below = root === entry ? '' : ` [${root.object.name}]`;
  const by = entry.by.length === 0 ? '' : ` (${entry.by.join()})`;
  return `${entry.what} ${entry.object.kind} ${entry.object.name}${by}: ${becauseClause(entry)}${below}`;
}

describe('Activity', () => {
  test('tells a background deletion down the owners, below the action that caused it', () => {
    const cluster = new Followed();
    expect(cluster.batch(cluster.gone('api'))).toEqual(['Deleted Deployment api: by a request']);
    expect(cluster.batch(cluster.gone('api-1'))).toEqual([
      'Collected ReplicaSet api-1 (garbage-collector): its only owner Deployment api was deleted 0.4s before [api]',
    ]);
    expect(cluster.batch(cluster.mark('api-1-x'))).toEqual([
      'Marked Pod api-1-x (garbage-collector): its only owner ReplicaSet api-1 was deleted 0.4s before [api]',
    ]);
    expect(cluster.batch(cluster.gone('api-1-x'))).toEqual([
      'Collected Pod api-1-x: 0.4s after it was marked [api]',
    ]);
  });

  test('says that references of a deleted owner were stripped where another owner stays', () => {
    const cluster = new Followed();
    cluster.batch(cluster.gone('api'));
    const [, platform] = cluster.object('shared').owners;
    expect(cluster.batch(cluster.change('shared', { owners: platform ? [platform] : [] }))).toEqual([
      'Stripped ConfigMap shared (garbage-collector): its owner Deployment api was deleted 0.4s before; it still has ConfigMap platform [api]',
    ]);
  });

  test('does not take for the collector whoever deletes what has an owner', () => {
    const cluster = new Followed();
    expect(cluster.batch(cluster.mark('api-1-x'))).toEqual([
      'Marked Pod api-1-x: by a request: its owner ReplicaSet api-1 is there',
    ]);
    expect(cluster.batch(cluster.mark('shared', 'foregroundDeletion'))).toEqual([
      'Marked ConfigMap shared: by a request with the policy foreground: its owner Deployment api is there',
    ]);
  });

  test('does not take a foreground deletion for the collector’s where no owner waits', () => {
    const cluster = new Followed();
    cluster.batch(cluster.gone('api'));
    expect(cluster.batch(cluster.mark('api-1', 'foregroundDeletion'))).toEqual([
      'Marked ReplicaSet api-1: by a request with the policy foreground: its owner Deployment api was deleted 0.4s before; waits for 1 dependent, Pod api-1-x',
    ]);
  });

  test('tells a foreground deletion from its mark to the last dependent', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('api', 'foregroundDeletion'));
    expect(cluster.batch(cluster.mark('api-1', 'foregroundDeletion'))).toEqual([
      'Marked ReplicaSet api-1 (garbage-collector): its owner Deployment api is being deleted in the foreground; waits for 1 dependent, Pod api-1-x [api]',
    ]);
    expect(cluster.batch(cluster.gone('api-1-x'))).toEqual([
      'Collected Pod api-1-x (garbage-collector): its owner ReplicaSet api-1 is being deleted in the foreground [api]',
    ]);
    expect(cluster.batch(cluster.gone('api-1'), cluster.gone('api'))).toEqual([
      'Collected ReplicaSet api-1 (garbage-collector): 0.8s after it was marked: the last dependent that held it up, Pod api-1-x, was deleted 0.4s before [api]',
      'Deleted Deployment api (garbage-collector): 1.2s after it was marked: the last dependent that held it up, ReplicaSet api-1, was deleted just before [api]',
    ]);
  });

  test('takes no owner to be gone first that waited for its dependents, whatever a list missed first', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('api', 'foregroundDeletion'));
    cluster.batch(cluster.mark('api-1', 'foregroundDeletion'));
    expect(cluster.batch(...['api', 'api-1', 'api-1-x'].map(name => cluster.missing(name)))).toContain(
      'Collected Pod api-1-x (garbage-collector): its owner ReplicaSet api-1 is being deleted in the foreground [api]',
    );
  });

  test('does not say which was deleted first where a list missed the owner and its dependent', () => {
    const told =
      'its only owner ReplicaSet api-1 is gone by now; which of them was deleted first was not seen';
    for (const names of [
      ['api-1', 'api-1-x'],
      ['api-1-x', 'api-1'],
    ]) {
      const cluster = new Followed();
      expect(cluster.batch(...names.map(name => cluster.missing(name)))).toContain(
        `Collected Pod api-1-x (garbage-collector): ${told} [api-1]`,
      );
    }
  });

  test('takes what a list missed to have gone before its namespace', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('shop'));
    expect(cluster.batch(cluster.missing('shop'), cluster.missing('platform'))).toContain(
      'Deleted ConfigMap platform (namespace-controller): Namespace shop is being deleted [shop]',
    );
  });

  test('says that a person removed the finalizer of an owner that still has to wait', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('api-1', 'foregroundDeletion'));
    expect(cluster.batch(cluster.gone('api-1'))).toEqual([
      'Deleted ReplicaSet api-1: 0.4s after it was marked: finalizer foregroundDeletion was removed [api-1]',
    ]);
  });

  test('tells orphaning from its mark to the end', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('api-1', 'orphan'));
    expect(cluster.batch(cluster.change('api-1-x', { owners: [] }))).toEqual([
      'Orphaned Pod api-1-x (garbage-collector): its owner ReplicaSet api-1 is deleted with the policy orphan [api-1]',
    ]);
    expect(cluster.batch(cluster.gone('api-1'))).toEqual([
      'Deleted ReplicaSet api-1 (garbage-collector): 0.8s after it was marked: its dependent was orphaned first [api-1]',
    ]);
  });

  test('tells who lets go of a pod, and who takes it', () => {
    const cluster = new Followed();
    const { owners } = cluster.object('api-1-x');
    expect(cluster.batch(cluster.change('api-1-x', { owners: [], labels: ['app', 'other'] }))).toEqual([
      'Released Pod api-1-x (controller): ReplicaSet api-1 no longer selects its labels',
    ]);
    expect(cluster.batch(cluster.change('api-1-x', { owners, labels: ['app', 'api'] }))).toEqual([
      'Adopted Pod api-1-x (controller): ReplicaSet api-1 selects its labels',
    ]);
    expect(cluster.batch(cluster.change('api-1-x', { owners: [] }))).toEqual([
      'Released Pod api-1-x: ReplicaSet api-1 is still there, and no longer its controller',
    ]);
  });

  test('tells what is emptied with a namespace, and that the collector may have been first', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('shop'));
    expect(cluster.batch(cluster.gone('platform'))).toEqual([
      'Deleted ConfigMap platform (namespace-controller): Namespace shop is being deleted [shop]',
    ]);
    cluster.batch(cluster.gone('api'));
    expect(cluster.batch(cluster.gone('api-1'))).toEqual([
      'Deleted ReplicaSet api-1 (namespace-controller,garbage-collector): Namespace shop is being deleted; and its only owner Deployment api was deleted 0.4s before [shop]',
    ]);
  });

  test('tells what was emptied with a namespace that is gone by the time that it is known', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('shop'));
    expect(cluster.batch(cluster.gone('platform'), cluster.gone('shop'))[0]).toBe(
      'Deleted ConfigMap platform (namespace-controller): Namespace shop is being deleted [shop]',
    );
  });

  test('tells what went with its definition unseen as emptied with it, however much later it is found', () => {
    const definition = '- {kind: CustomResourceDefinition, name: deployments.apps, namespace: ""}';
    const found = (how: (cluster: Followed) => Change): readonly string[] => {
      const cluster = new Followed(`${shop}${definition}`);
      cluster.batch(cluster.gone('deployments.apps'));
      return cluster.batch(how(cluster));
    };
    expect(found(cluster => cluster.gone('api'))).toEqual(['Deleted Deployment api: by a request']);
    expect(found(cluster => ({ ...cluster.missing('api'), unseen: true }))).toEqual([
      'Deleted Deployment api (definition-controller): CustomResourceDefinition deployments.apps is being deleted [deployments.apps]',
    ]);
  });

  test('tells that an object came under the name of one that is gone', () => {
    const cluster = new Followed();
    const former = cluster.object('platform');
    cluster.batch(cluster.gone('platform'));
    const object = former.with({ uid: 'another' as KubeObject['uid'] });
    expect(cluster.batch({ op: 'upsert', object })).toEqual([
      'Recreated ConfigMap platform: another object came under this name, 0.4s after the one before was deleted [platform]',
    ]);
    expect(
      cluster.batch({ op: 'upsert', object: former.with({ name: 'new', uid: 'n' as KubeObject['uid'] }) }),
    ).toEqual([]);
  });

  test('tells once that a deletion is held, five seconds after it should have ended', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('platform', 'example.com/keep'));
    cluster.time += 4_000;
    expect(cluster.batch()).toEqual([]);
    cluster.time += 1_000;
    expect(cluster.batch()).toEqual([
      'Held ConfigMap platform: waits for finalizer example.com/keep [platform]',
    ]);
    cluster.time += 60_000;
    expect(cluster.batch()).toEqual([]);
    expect(cluster.batch(cluster.gone('platform'))).toEqual([
      'Deleted ConfigMap platform: 66s after it was marked: finalizer example.com/keep was removed [platform]',
    ]);
  });

  test('begins with what is being deleted, as far as its objects tell', () => {
    const view = viewOf(`
- {kind: Deployment, name: api, finalizers: [foregroundDeletion], deletionTimestamp: "2026-11-21T11:50:00Z"}
- {kind: ReplicaSet, name: api-1, finalizers: [example.com/keep], deletionTimestamp: "2026-11-21T11:50:01Z", owners: [apps/v1 Deployment api api +c +b]}
- {kind: ConfigMap, name: fresh, finalizers: [example.com/keep], deletionTimestamp: "2026-11-21T11:59:58Z"}
`);
    expect(new Activity(view).begin(now).map(told)).toEqual([
      'Held Deployment api: by a request with the policy foreground; waits for 1 dependent, ReplicaSet api-1',
      'Held ReplicaSet api-1 (garbage-collector): its owner Deployment api is being deleted in the foreground; waits for finalizer example.com/keep [api]',
      'Marked ConfigMap fresh: by a request; waits for finalizer example.com/keep',
    ]);
  });

  test('does not take an owner that is gone by then for one that was gone before', () => {
    const view = viewOf(`
- {kind: Pod, name: api-1-x, finalizers: [example.com/keep], deletionTimestamp: "2026-11-21T11:50:01Z", owners: [apps/v1 ReplicaSet api-1 api-1 +c]}
- {kind: ConfigMap, name: shared, finalizers: [orphan], deletionTimestamp: "2026-11-21T11:50:01Z", owners: [v1 ConfigMap platform]}
`);
    expect(new Activity(view).begin(now).map(told)).toEqual([
      'Held ConfigMap shared (garbage-collector): its only owner ConfigMap platform is gone by now; which of them was deleted first was not seen; waits for the garbage collector to orphan its dependents',
      'Held Pod api-1-x (garbage-collector): its only owner ReplicaSet api-1 is gone by now; which of them was deleted first was not seen; waits for finalizer example.com/keep',
    ]);
  });

  test('keeps the newest entries, and says how many it has forgotten', () => {
    const cluster = new Followed(shop, 2);
    for (const name of ['platform', 'shared', 'api-1-x']) cluster.batch(cluster.gone(name));
    expect(cluster.activity.entries.map(({ object }) => object.name)).toEqual(['shared', 'api-1-x']);
    expect(cluster.activity.forgotten).toBe(1);
  });
});

describe('what watches bring late', () => {
  test('explains a deletion as soon as that of its owner is known, where that one was first', () => {
    const cluster = new Followed();
    expect(cluster.batch(cluster.gone('api-1-x', '12'))).toEqual([
      'Deleted Pod api-1-x: by a request: its owner ReplicaSet api-1 is there',
    ]);
    expect(cluster.activity.entries.map(entry => cluster.activity.isSettled(entry))).toEqual([false]);
    expect(cluster.batch(cluster.gone('api-1', '11'))).toEqual([
      'Collected Pod api-1-x (garbage-collector): its only owner ReplicaSet api-1 was deleted just before [api-1]',
      'Deleted ReplicaSet api-1: by a request: its owner Deployment api is there',
    ]);
  });

  test('says of an owner that could not own it why, though that is gone by then', () => {
    const cluster = new Followed(`${shop}
- {kind: ConfigMap, name: far, namespace: other}
- {kind: ConfigMap, name: lost, owners: [v1 ConfigMap far]}
`);
    expect(cluster.batch(cluster.gone('lost'), cluster.gone('far'))[0]).toBe(
      'Collected ConfigMap lost (garbage-collector): its only owner ConfigMap far is in another namespace, where it cannot own this one',
    );
  });

  test('goes by the versions of a watch that is much later than another one', () => {
    const cluster = new Followed();
    cluster.batch(cluster.mark('api-1', 'foregroundDeletion'));
    const pod = cluster.gone('api-1-x', '11');
    cluster.batch(cluster.gone('api-1', '12'));
    cluster.time += 10_000;
    expect(cluster.batch(pod)).toEqual([
      'Collected Pod api-1-x (garbage-collector): its owner ReplicaSet api-1 is being deleted in the foreground [api-1]',
    ]);
  });

  test('leaves a deletion as it was told where its owner went after it', () => {
    const cluster = new Followed();
    cluster.batch(cluster.gone('api-1-x', '11'));
    expect(cluster.batch(cluster.gone('api-1', '12'))).toEqual([
      'Deleted ReplicaSet api-1: by a request: its owner Deployment api is there',
    ]);
    const [pod] = cluster.activity.entries;
    expect(pod && told(pod)).toBe('Deleted Pod api-1-x: by a request: its owner ReplicaSet api-1 is there');
    cluster.time += 2_000;
    cluster.batch();
    expect(cluster.activity.entries.every(entry => cluster.activity.isSettled(entry))).toBe(true);
  });
});

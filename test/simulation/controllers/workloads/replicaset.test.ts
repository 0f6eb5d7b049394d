import { describe, expect, it } from 'vitest';
import { ReplicaSetController } from '../../../../src/simulation/controllers/workloads/replicaset.ts';
import type { Uncertainty } from '../../../../src/simulation/runtime/controller.ts';
import { blockingRefTo } from '../../../graph/fixtures.ts';
import { all, app, named, podsSeenLate, requests, runningPod, workload, world } from '../world.ts';

const controllers = () => [new ReplicaSetController('ReplicaSet')];

function threePods() {
  const set = workload('ReplicaSet', 'web', { desired: 3, current: 3, ready: 3, available: 3 });
  const pods = ['web-a', 'web-b', 'web-c'].map(name => runningPod(name, set));
  return { set, pods };
}

describe('a ReplicaSet', () => {
  it('replaces a deleted pod at once and counts one that is terminating as gone', () => {
    const { set, pods } = threePods();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'web-a'));
    cluster.runFor(2000);
    expect(all(cluster, 'Pod')).toHaveLength(4);
    expect(cluster.run()).toBe('rest');
    const after = all(cluster, 'Pod');
    expect(after).toHaveLength(3);
    const created = after.find(({ uid }) => !pods.some(pod => pod.uid === uid));
    expect(created?.owners).toEqual([blockingRefTo(set)]);
    expect(created?.labels).toEqual(app);
    expect(created?.facts).toMatchObject({ phase: 'Running', nodeName: 'node-1', readyContainers: 1 });
  });

  it('creates all that are missing, once each, although its cache lags behind', () => {
    const set = workload('ReplicaSet', 'web', { desired: 7 });
    const cluster = world([set], controllers);
    cluster.start('replay');
    expect(cluster.run()).toBe('rest');
    expect(all(cluster, 'Pod')).toHaveLength(7);
    expect(requests(cluster, 'replicaset-controller').filter(each => each.startsWith('create'))).toHaveLength(
      7,
    );
    expect(named(cluster, 'ReplicaSet', 'web').facts).toMatchObject({ current: 7, ready: 7 });
  });

  it('leaves pods alone whose reference is wrong in kind, name or namespace, whatever its uid', () => {
    const set = workload('ReplicaSet', 'web', { desired: 0 });
    const wrong = [{ kind: 'Secret' }, { name: 'renamed' }].map(difference => [
      { ...blockingRefTo(set), controller: true, ...difference },
    ]);
    const right = [{ ...blockingRefTo(set), controller: true }];
    const labels = ['other', ''];
    const pods = [
      ...wrong.map((owners, index) => runningPod(`wrong-${index}`, set, { owners, labels })),
      runningPod('elsewhere', set, { owners: right, labels, namespace: 'elsewhere' }),
      runningPod('released', set, { owners: right, labels }),
    ];
    const cluster = world([set, ...pods], controllers);
    cluster.start('replay');
    expect(cluster.run()).toBe('rest');
    expect(all(cluster, 'Pod').filter(({ owners }) => owners.length === 0)).toMatchObject([
      { name: 'released' },
    ]);
  });

  it('creates none twice when it looks again before it has seen the first', () => {
    const set = workload('ReplicaSet', 'web', { desired: 3 });
    const cluster = world([set], controllers, { chooser: podsSeenLate });
    cluster.start('replay');
    for (const label of ['a', 'b']) {
      cluster.runFor(0);
      cluster.as('user').patch(set, { labels: [label, ''] });
    }
    expect(cluster.run()).toBe('rest');
    expect(requests(cluster, 'replicaset-controller').filter(each => each.startsWith('create'))).toHaveLength(
      3,
    );
  });

  it('creates no more than 500 at a time and goes on when it sees them', () => {
    const cluster = world([workload('ReplicaSet', 'web', { desired: 600 })], controllers);
    cluster.start('replay');
    cluster.run();
    expect(all(cluster, 'Pod')).toHaveLength(600);
  });

  it('adopts matching orphans and deletes the surplus', () => {
    const set = workload('ReplicaSet', 'web', { desired: 2 });
    const orphans = ['a', 'b', 'c'].map(name => runningPod(name, undefined));
    const other = runningPod('other', undefined, { labels: ['app', 'db'] });
    const reports: Uncertainty[] = [];
    const cluster = world([set, ...orphans, other], () => [
      new ReplicaSetController('ReplicaSet', report => reports.push(report)),
    ]);
    cluster.start('replay');
    cluster.run();
    const left = all(cluster, 'Pod').filter(({ labels }) => labels === app);
    expect(left).toHaveLength(2);
    expect(left.map(({ owners }) => owners)).toEqual([[blockingRefTo(set)], [blockingRefTo(set)]]);
    expect(named(cluster, 'Pod', 'other').owners).toEqual([]);
    expect(reports[0]?.objects.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('releases a pod whose labels changed, and replaces it', () => {
    const { set, pods } = threePods();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').patch(named(cluster, 'Pod', 'web-a'), { labels: ['app', 'debug'] });
    cluster.run();
    expect(named(cluster, 'Pod', 'web-a').owners).toEqual([]);
    expect(all(cluster, 'Pod')).toHaveLength(4);
  });

  it('neither scales, adopts nor releases while it is being deleted', () => {
    const set = workload(
      'ReplicaSet',
      'web',
      { desired: 3 },
      { finalizers: ['example.com/hold'], deletionTimestamp: 1, deletionGracePeriodSeconds: 0 },
    );
    const mine = runningPod('mine', set, { labels: ['app', 'debug'] });
    const cluster = world([set, mine, runningPod('orphan', undefined)], controllers);
    cluster.start('replay');
    cluster.run();
    expect(requests(cluster, 'replicaset-controller')).toEqual([]);
  });

  it('gives up on new pods in a namespace that is terminating', () => {
    const set = workload('ReplicaSet', 'web', { desired: 1 }, { namespace: 'going' });
    const cluster = world([set], controllers);
    const namespace = cluster.discovery.catalog.resolveKind('v1', 'Namespace');
    if (namespace === undefined) throw new Error('namespaces are served');
    cluster.as('user').create({ type: namespace, name: 'going' });
    cluster.as('user').delete({ type: namespace, namespace: '', name: 'going' });
    cluster.start('replay');
    expect(cluster.run({ tasks: 1000 })).toBe('rest');
    expect(all(cluster, 'Pod')).toEqual([]);
  });

  it('leaves pods of a controller that no longer exists alone', () => {
    const set = workload('ReplicaSet', 'web', { desired: 1 });
    const gone = workload('ReplicaSet', 'gone');
    const cluster = world([set, runningPod('a', gone)], controllers);
    cluster.start('replay');
    cluster.run();
    expect(named(cluster, 'Pod', 'a').owners).toEqual([blockingRefTo(gone)]);
    expect(all(cluster, 'Pod')).toHaveLength(2);
  });
});

it('a ReplicationController does the same under its own kind', () => {
  const set = workload('ReplicationController', 'web', { desired: 2 });
  const cluster = world([set, runningPod('a', undefined)], () => [
    new ReplicaSetController('ReplicationController'),
  ]);
  cluster.start('replay');
  cluster.run();
  expect(all(cluster, 'Pod').map(({ owners }) => owners)).toEqual([
    [blockingRefTo(set)],
    [blockingRefTo(set)],
  ]);
});

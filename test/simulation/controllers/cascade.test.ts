import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import type { DeleteOptions } from '../../../src/simulation/api/api-client.ts';
import type { Chooser } from '../../../src/simulation/clock.ts';
import { controlPlane } from '../../../src/simulation/controllers/control-plane.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { blockingRefTo, object, refTo } from '../../graph/fixtures.ts';
import { condition } from '../../podgc/fixtures.ts';
import { builtIn, cluster, NOW, shuffled } from '../fixtures.ts';
import { all, app, exists, named, nodeOf, runningPod, workload } from './world.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';

function settled(objects: readonly KubeObject[], chooser?: Chooser): SimulatedCluster {
  const running = cluster({
    objects: [nodeOf('node-1', true), nodeOf('node-2', true), ...objects],
    processes: controlPlane(),
    ...(chooser === undefined ? {} : { chooser }),
  });
  running.start('replay');
  expect(running.run({ tasks: 200_000 })).toBe('rest');
  return running;
}

function remove(running: SimulatedCluster, target: KubeObject, options: DeleteOptions): void {
  const answer = running.as('user').delete(target, options);
  if (!answer.ok) throw new Error(answer.message);
  expect(running.run({ tasks: 200_000 })).toBe('rest');
}

const hashed = [...app, 'pod-template-hash', 'aaa'];

function deploymentTree() {
  const deployment = workload('Deployment', 'web', { desired: 2, updated: 2 });
  const set = workload(
    'ReplicaSet',
    'web-aaa',
    {
      desired: 2,
      current: 2,
      ready: 2,
      available: 2,
      templateLabels: hashed,
      selector: { matchLabels: hashed, matchExpressions: [] },
    },
    { labels: hashed, owners: [blockingRefTo(deployment)] },
  );
  const pods = ['web-aaa-1', 'web-aaa-2'].map(name => runningPod(name, set, { labels: hashed }));
  return { deployment, set, pods, objects: [deployment, set, ...pods] };
}

function controllerTree(size: number) {
  const rc = workload('ReplicationController', 'rc', {
    desired: size,
    current: size,
    ready: size,
    available: size,
  });
  const pods = Array.from({ length: size }, (_, index) => runningPod(`rc-${index}`, rc));
  return { rc, pods };
}

describe('a cascade through workloads', () => {
  it('E1: a ReplicationController deleted in the background takes its pods along', () => {
    const { rc, pods } = controllerTree(2);
    const running = settled([rc, ...pods]);
    remove(running, rc, { propagationPolicy: 'Background', preconditions: { uid: rc.uid } });
    expect([...all(running, 'ReplicationController'), ...all(running, 'Pod')]).toEqual([]);
  });

  it('E2: an orphaned ReplicationController leaves its pods, ownerless', () => {
    const { rc, pods } = controllerTree(5);
    const running = settled([rc, ...pods]);
    remove(running, rc, { propagationPolicy: 'Orphan' });
    running.runFor(30_000);
    expect(exists(running, 'ReplicationController', 'rc')).toBe(false);
    expect(all(running, 'Pod').map(({ uid, owners }) => [uid, owners])).toEqual(
      pods.map(({ uid }) => [uid, []]),
    );
  });

  it.each(['Background', 'Foreground'])('E4: a Deployment deleted with %s leaves nothing', policy => {
    const { deployment, objects } = deploymentTree();
    const running = settled(objects);
    remove(running, deployment, { propagationPolicy: policy });
    for (const kind of ['Deployment', 'ReplicaSet', 'Pod']) expect(all(running, kind)).toEqual([]);
  });

  it('E5: an orphaned Deployment leaves its ReplicaSet ownerless, which keeps its pods', () => {
    const { deployment, objects, pods } = deploymentTree();
    const running = settled(objects);
    remove(running, deployment, { propagationPolicy: 'Orphan' });
    expect(exists(running, 'Deployment', 'web')).toBe(false);
    expect(all(running, 'ReplicaSet').map(({ owners }) => owners)).toEqual([[]]);
    expect(all(running, 'Pod').map(({ uid }) => uid)).toEqual(pods.map(({ uid }) => uid));
    remove(running, named(running, 'Pod', 'web-aaa-1'), {});
    expect(all(running, 'Pod')).toHaveLength(2);
  });

  it('E7: of pods with a second owner and without, the first stay, with that owner alone', () => {
    const rc = workload('ReplicationController', 'rc', { desired: 4, current: 4, ready: 4, available: 4 });
    const second = object({
      uid: 'second',
      name: 'second',
      namespace: 'default',
      type: builtIn('ConfigMap'),
    });
    const both = ['both-1', 'both-2'].map(name =>
      runningPod(name, undefined, { owners: [blockingRefTo(rc), refTo(second)] }),
    );
    const only = ['only-1', 'only-2'].map(name => runningPod(name, rc));
    const running = settled([rc, second, ...both, ...only]);
    remove(running, named(running, 'ReplicationController', 'rc'), { propagationPolicy: 'Foreground' });
    expect(exists(running, 'ReplicationController', 'rc')).toBe(false);
    expect(
      all(running, 'Pod').map(({ uid, owners, deletionTimestamp }) => [uid, owners, deletionTimestamp]),
    ).toEqual(both.map(({ uid }) => [uid, [refTo(second)], undefined]));
  });

  it('E11: a CronJob deleted in the background takes its Jobs and their pods along', () => {
    const cron = workload('CronJob', 'cron', { selector: undefined, active: 1 });
    const facts = { parallelism: 1, active: 1 };
    const job = workload('Job', 'cron-1', facts, { owners: [blockingRefTo(cron)] });
    const done = workload(
      'Job',
      'cron-0',
      { parallelism: 1, ready: 1, conditions: [condition('Complete', 'True')] },
      { owners: [blockingRefTo(cron)] },
    );
    const pod = runningPod('cron-1-a', job, { finalizers: [TRACKING] });
    const finished = runningPod('cron-0-a', done, {}, { phase: 'Succeeded', conditions: [] });
    const running = settled([cron, job, done, pod, finished]);
    remove(running, cron, { propagationPolicy: 'Background' });
    for (const kind of ['CronJob', 'Job', 'Pod']) expect(all(running, kind)).toEqual([]);
  });

  it.each(['Background', 'Foreground'])('a Job deleted with %s leaves no pods behind', policy => {
    const job = workload('Job', 'task', { parallelism: 1, active: 1 });
    const running = settled([job, runningPod('task-a', job, { finalizers: [TRACKING] })]);
    remove(running, job, { propagationPolicy: policy });
    expect([...all(running, 'Job'), ...all(running, 'Pod')]).toEqual([]);
  });

  it('a Job deleted without a policy leaves its pods, ownerless and without the tracking finalizer', () => {
    const job = workload('Job', 'task', { parallelism: 1, active: 1 });
    const running = settled([job, runningPod('task-a', job, { finalizers: [TRACKING] })]);
    remove(running, job, {});
    const pod = named(running, 'Pod', 'task-a');
    expect([pod.owners, pod.finalizers]).toEqual([[], []]);
  });

  it('a deleted ReplicaSet comes back, and with it the pods that went', () => {
    const { set, objects, pods } = deploymentTree();
    const running = settled(objects);
    remove(running, set, { propagationPolicy: 'Background' });
    expect(all(running, 'ReplicaSet').map(({ name }) => name)).toEqual(['web-aaa']);
    const after = all(running, 'Pod');
    expect(after).toHaveLength(2);
    expect(after.some(({ uid }) => pods.some(pod => pod.uid === uid))).toBe(false);
  });
});

function statefulTree(whenDeleted: string, whenScaled: string) {
  const set = workload('StatefulSet', 'db', {
    desired: 2,
    current: 2,
    ready: 2,
    available: 2,
    claimTemplates: ['data'],
    claimsWhenDeleted: whenDeleted,
    claimsWhenScaled: whenScaled,
  });
  const pods = [0, 1].map(ordinal =>
    runningPod(`db-${ordinal}`, set, {}, { claims: [`data-db-${ordinal}`] }),
  );
  const claims = [0, 1].map(ordinal =>
    object({
      uid: `uid-data-${ordinal}`,
      name: `data-db-${ordinal}`,
      namespace: 'default',
      type: builtIn('PersistentVolumeClaim'),
      finalizers: ['kubernetes.io/pvc-protection'],
    }),
  );
  return { set, objects: [set, ...pods, ...claims] };
}

describe('a StatefulSet and its claims', () => {
  it.each([
    ['Retain', 'Retain', 'Background', 2],
    ['Retain', 'Delete', 'Background', 2],
    ['Delete', 'Retain', 'Background', 0],
    ['Delete', 'Delete', 'Background', 0],
    ['Delete', 'Retain', 'Foreground', 0],
    ['Retain', 'Retain', 'Foreground', 2],
    ['Delete', 'Retain', 'Orphan', 2],
  ] as const)(
    'whenDeleted %s, whenScaled %s, deleted with %s: %i claims stay',
    (whenDeleted, whenScaled, policy, left) => {
      const { set, objects } = statefulTree(whenDeleted, whenScaled);
      const running = settled(objects);
      remove(running, named(running, 'StatefulSet', set.name), { propagationPolicy: policy });
      expect(exists(running, 'StatefulSet', 'db')).toBe(false);
      expect(all(running, 'Pod')).toHaveLength(policy === 'Orphan' ? 2 : 0);
      const claims = all(running, 'PersistentVolumeClaim');
      expect(claims).toHaveLength(left);
      expect(
        claims.every(
          ({ owners, deletionTimestamp }) => owners.length === 0 && deletionTimestamp === undefined,
        ),
      ).toBe(true);
    },
  );

  it('scaled down with whenScaled Delete loses the claims of the pods that went', () => {
    const { set, objects } = statefulTree('Retain', 'Delete');
    const running = settled(objects);
    const current = named(running, 'StatefulSet', set.name);
    const facts = current.facts?.kind === 'Workload' ? { ...current.facts, desired: 1 } : undefined;
    running.as('user').patch(current, { facts });
    expect(running.run({ tasks: 200_000 })).toBe('rest');
    expect(all(running, 'PersistentVolumeClaim').map(({ name }) => name)).toEqual(['data-db-0']);
  });
});

it('a namespace takes everything in it along, pods first, and nothing is made again', () => {
  const namespace = object({
    uid: 'ns',
    name: 'shop',
    type: builtIn('Namespace'),
    facts: { kind: 'Namespace', phase: 'Active', specFinalizers: ['kubernetes'], conditions: [] },
  });
  const inShop = { namespace: 'shop' };
  const set = workload('ReplicaSet', 'web', { desired: 2, current: 2, ready: 2, available: 2 }, inShop);
  const pods = ['a', 'b'].map(name => runningPod(name, set, inShop));
  const running = settled([namespace, set, ...pods]);
  remove(running, named(running, 'Namespace', 'shop'), { propagationPolicy: 'Background' });
  expect(exists(running, 'Namespace', 'shop')).toBe(false);
  expect([...all(running, 'ReplicaSet'), ...all(running, 'Pod')]).toEqual([]);
  expect(running.clock.now).toBeGreaterThan(NOW);
});

describe('in whatever order things are seen and done', () => {
  const seeds = Array.from({ length: 15 }, (_, index) => index + 1);

  it.each(['Background', 'Foreground', 'Orphan'])('a Deployment deleted with %s ends alike', policy => {
    for (const seed of seeds) {
      const { deployment, objects } = deploymentTree();
      const running = settled(objects, shuffled(new Random(seed)));
      remove(running, named(running, 'Deployment', deployment.name), { propagationPolicy: policy });
      const left = policy === 'Orphan' ? [0, 1, 2] : [0, 0, 0];
      expect(['Deployment', 'ReplicaSet', 'Pod'].map(kind => all(running, kind).length)).toEqual(left);
    }
  });

  it('a deleted pod of a ReplicaSet is replaced by exactly one', () => {
    for (const seed of seeds) {
      const { objects } = deploymentTree();
      const running = settled(objects, shuffled(new Random(seed)));
      remove(running, named(running, 'Pod', 'web-aaa-1'), {});
      expect(all(running, 'Pod')).toHaveLength(2);
    }
  });

  it('a deleted ReplicaSet comes back with as many pods as before', () => {
    for (const seed of seeds) {
      const { set, objects } = deploymentTree();
      const running = settled(objects, shuffled(new Random(seed)));
      remove(running, named(running, 'ReplicaSet', set.name), { propagationPolicy: 'Background' });
      expect(all(running, 'ReplicaSet')).toHaveLength(1);
      expect(all(running, 'Pod')).toHaveLength(2);
    }
  });

  it.each(['Background', 'Foreground'])(
    'a StatefulSet that deletes its claims ends alike with %s',
    policy => {
      for (const seed of seeds) {
        const { set, objects } = statefulTree('Delete', 'Delete');
        const running = settled(objects, shuffled(new Random(seed)));
        remove(running, named(running, 'StatefulSet', set.name), { propagationPolicy: policy });
        for (const kind of ['StatefulSet', 'Pod', 'PersistentVolumeClaim'])
          expect(all(running, kind)).toEqual([]);
      }
    },
  );

  it.each(['Background', 'Foreground'])('a Job deleted with %s ends alike', policy => {
    for (const seed of seeds) {
      const job = workload('Job', 'task', { parallelism: 1, active: 1 });
      const pod = runningPod('task-a', job, { finalizers: [TRACKING] });
      const running = settled([job, pod], shuffled(new Random(seed)));
      remove(running, named(running, 'Job', 'task'), { propagationPolicy: policy });
      expect([...all(running, 'Job'), ...all(running, 'Pod')]).toEqual([]);
    }
  });
});

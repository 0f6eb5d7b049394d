import { describe, expect, it } from 'vitest';
import type { PodFacts, WorkloadFacts } from '../../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { CronJobController } from '../../../../src/simulation/controllers/workloads/cronjob.ts';
import { JobController } from '../../../../src/simulation/controllers/workloads/job.ts';
import { blockingRefTo } from '../../../graph/fixtures.ts';
import { condition } from '../../../podgc/fixtures.ts';
import { NOW } from '../../fixtures.ts';
import { all, exists, named, podsSeenLate, runningPod, workload, world } from '../world.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';
const controllers = () => [new JobController()];

function job(name: string, facts: Partial<WorkloadFacts> = {}, owner?: KubeObject): KubeObject {
  const owners = owner === undefined ? [] : [blockingRefTo(owner)];
  return workload('Job', name, { desired: 1, parallelism: 1, ...facts }, { owners });
}

function podOf(name: string, owner: KubeObject | undefined, facts: Partial<PodFacts> = {}): KubeObject {
  return runningPod(name, owner, { finalizers: [TRACKING] }, facts);
}

describe('a Job', () => {
  it('counts a deleted pod as failed, lets it go, and replaces it after a pause of ten seconds', () => {
    const task = job('task', { active: 1 });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'task-a'));
    cluster.runFor(9000);
    expect(named(cluster, 'Pod', 'task-a').finalizers).toEqual([]);
    expect(all(cluster, 'Pod')).toHaveLength(1);
    expect(cluster.run()).toBe('rest');
    const [pod, ...others] = all(cluster, 'Pod');
    expect(others).toEqual([]);
    expect(pod?.finalizers).toEqual([TRACKING]);
    expect(pod?.owners).toEqual([blockingRefTo(task)]);
    expect(named(cluster, 'Job', 'task').facts).toMatchObject({ failed: 1, active: 1, ready: 0 });
  });

  it('counts each failure once, and ends after more than six with its pods deleted', () => {
    const task = job('task', { active: 1, failed: 6 });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'task-a'));
    expect(cluster.run()).toBe('rest');
    expect(all(cluster, 'Pod')).toEqual([]);
    const { facts } = named(cluster, 'Job', 'task');
    expect(facts).toMatchObject({ failed: 7, active: 0 });
    expect(facts?.kind === 'Workload' && facts.conditions.map(({ type }) => type)).toEqual(['Failed']);
  });

  it('is complete when enough pods have succeeded, and lets them go', () => {
    const task = job('task', { desired: 2, parallelism: 2 });
    const pods = ['a', 'b'].map(name => podOf(name, task, { phase: 'Succeeded', conditions: [] }));
    const cluster = world([task, ...pods], controllers);
    cluster.start('replay');
    cluster.run();
    expect(all(cluster, 'Pod').map(({ finalizers }) => finalizers)).toEqual([[], []]);
    const { facts } = named(cluster, 'Job', 'task');
    expect(facts).toMatchObject({ ready: 2, active: 0, failed: 0 });
    expect(facts?.kind === 'Workload' && facts.conditions.map(({ type }) => type)).toEqual(['Complete']);
  });

  it('counts no pod twice when it looks again before it has seen that the pod was let go', () => {
    const task = job('task', { desired: 3, parallelism: 3 });
    const pods = [
      podOf('done', task, { phase: 'Succeeded', conditions: [] }),
      podOf('a', task),
      podOf('b', task),
    ];
    const cluster = world([task, ...pods], controllers, { chooser: podsSeenLate });
    cluster.start('replay');
    expect(cluster.run()).toBe('rest');
    expect(named(cluster, 'Job', 'task').facts).toMatchObject({ ready: 1, failed: 0, active: 2 });
    expect(named(cluster, 'Pod', 'done').finalizers).toEqual([]);
  });

  it('lets running pods go as soon as it is being deleted', () => {
    const task = job('task', { active: 1 });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(task, { propagationPolicy: 'Foreground' });
    cluster.run();
    expect(named(cluster, 'Pod', 'task-a')).toMatchObject({ finalizers: [], deletionTimestamp: undefined });
  });

  it('lets all its pods go while it is being deleted, and creates none', () => {
    const task = job('task', { active: 1 });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(task, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(named(cluster, 'Pod', 'task-a'));
    expect(cluster.run()).toBe('rest');
    expect(all(cluster, 'Pod')).toEqual([]);
  });

  it('that is gone leaves no tracked pods behind', () => {
    const task = job('task', { active: 1 });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(task, { propagationPolicy: 'Background' });
    cluster.run();
    expect(named(cluster, 'Pod', 'task-a').finalizers).toEqual([]);
  });

  it('orphaned pods lose the finalizer too', () => {
    const cluster = world([podOf('a', undefined, { phase: 'Succeeded' })], controllers);
    cluster.start('replay');
    cluster.run();
    expect(named(cluster, 'Pod', 'a').finalizers).toEqual([]);
  });

  it('that is finished stays as it is, without new pods', () => {
    const done = job('task', { ready: 1, conditions: [condition('Complete', 'True')] });
    const cluster = world([done, runningPod('a', done, {}, { phase: 'Succeeded' })], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    cluster.run();
    expect(all(cluster, 'Pod')).toEqual([]);
  });

  it('deletes its pods when it is suspended', () => {
    const task = job('task', { active: 1, suspended: true });
    const cluster = world([task, podOf('task-a', task)], controllers);
    cluster.start('replay');
    cluster.run();
    expect(all(cluster, 'Pod')).toEqual([]);
  });

  it('adopts a matching pod and puts the finalizer on it', () => {
    const task = job('task');
    const cluster = world([task, runningPod('a', undefined)], controllers);
    cluster.start('replay');
    cluster.run();
    const pod = named(cluster, 'Pod', 'a');
    expect([pod.owners, pod.finalizers]).toEqual([[blockingRefTo(task)], [TRACKING]]);
    expect(all(cluster, 'Pod')).toHaveLength(1);
  });
});

describe('a CronJob', () => {
  const complete = (name: string, owner: KubeObject, age: number): KubeObject => {
    const facts = { ready: 1, conditions: [condition('Complete', 'True')] };
    const { facts: all } = job(name, facts);
    return workload('Job', name, all?.kind === 'Workload' ? all : {}, {
      owners: [blockingRefTo(owner)],
      creationTimestamp: NOW - age,
    });
  };

  it('keeps as many finished Jobs as it had, and deletes the oldest when another finishes', () => {
    const cron = workload('CronJob', 'cron', { selector: undefined });
    const jobs = [1, 2, 3, 4].map(age => complete(`old-${age}`, cron, (age + 1) * 3_600_000));
    const running = job('running', { active: 1 }, cron);
    const pod = podOf('running-a', running, { phase: 'Succeeded' });
    const cluster = world([cron, ...jobs, running], () => [new CronJobController(), new JobController()]);
    cluster.start('resume');
    cluster.wake([cron]);
    cluster.run();
    expect(all(cluster, 'Job')).toHaveLength(5);
    cluster.api.seed(pod);
    cluster.run();
    expect(exists(cluster, 'Job', 'old-4')).toBe(false);
    expect(all(cluster, 'Job')).toHaveLength(4);
  });

  it('starts no Job in place of a deleted one', () => {
    const cron = workload('CronJob', 'cron', { selector: undefined, active: 1 });
    const running = job('running', { active: 1 }, cron);
    const cluster = world([cron, running], () => [new CronJobController()]);
    cluster.start('resume');
    cluster.as('user').delete(running, { propagationPolicy: 'Background' });
    cluster.run();
    expect(all(cluster, 'Job')).toEqual([]);
    expect(named(cluster, 'CronJob', 'cron').facts).toMatchObject({ active: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/model/object.ts';
import { DeploymentController } from '../../../../src/simulation/controllers/workloads/deployment.ts';
import { ReplicaSetController } from '../../../../src/simulation/controllers/workloads/replicaset.ts';
import { blockingRefTo } from '../../../graph/fixtures.ts';
import { NOW } from '../../fixtures.ts';
import { all, app, exists, named, requests, runningPod, workload, world } from '../world.ts';

const controllers = () => [new DeploymentController(), new ReplicaSetController('ReplicaSet')];

/** A Deployment of `size` pods with its current ReplicaSet, and an old one at zero. */
function rolledOut(size: number): {
  deployment: KubeObject;
  current: KubeObject;
  old: KubeObject;
  pods: KubeObject[];
} {
  const deployment = workload('Deployment', 'web', { desired: size, updated: size });
  const set = (hash: string, desired: number, age: number): KubeObject => {
    const labels = [...app, 'pod-template-hash', hash];
    return workload(
      'ReplicaSet',
      `web-${hash}`,
      {
        desired,
        current: desired,
        ready: desired,
        available: desired,
        templateLabels: labels,
        selector: { matchLabels: labels, matchExpressions: [] },
      },
      { labels, owners: [blockingRefTo(deployment)], creationTimestamp: NOW - age },
    );
  };
  const current = set('aaa', size, 10_000);
  const old = set('bbb', 0, 20_000);
  const pods = Array.from({ length: size }, (_, index) =>
    runningPod(`web-aaa-${index}`, current, { labels: [...app, 'pod-template-hash', 'aaa'] }),
  );
  return { deployment, current, old, pods };
}

describe('a Deployment', () => {
  it('makes its ReplicaSet again under the same name, and that makes the pods', () => {
    const { deployment, current, old, pods } = rolledOut(3);
    const cluster = world([deployment, current, old], controllers);
    cluster.start('resume');
    cluster.as('user').delete(current, { propagationPolicy: 'Background' });
    expect(cluster.run()).toBe('rest');
    const again = named(cluster, 'ReplicaSet', 'web-aaa');
    expect(again.uid).not.toBe(current.uid);
    expect(again.owners).toEqual([blockingRefTo(deployment)]);
    expect(again.facts).toMatchObject({ desired: 3, ready: 3 });
    expect(all(cluster, 'Pod')).toHaveLength(pods.length);
  });

  it('does not bring back an old ReplicaSet', () => {
    const { deployment, current, old, pods } = rolledOut(2);
    const cluster = world([deployment, current, old, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(old, { propagationPolicy: 'Background' });
    cluster.run();
    expect(exists(cluster, 'ReplicaSet', 'web-bbb')).toBe(false);
    expect(requests(cluster, 'deployment-controller')).toEqual([]);
  });

  it('waits while its ReplicaSet is being deleted and still there', () => {
    const { deployment, current, old, pods } = rolledOut(2);
    const cluster = world([deployment, current, old, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').patch(current, { finalizers: ['example.com/hold'] });
    cluster.as('user').delete(current, { propagationPolicy: 'Background' });
    cluster.run();
    expect(all(cluster, 'ReplicaSet')).toHaveLength(2);
  });

  it('makes none while it is paused', () => {
    const { deployment, current, old } = rolledOut(2);
    const facts =
      deployment.facts?.kind === 'Workload' ? { ...deployment.facts, suspended: true } : undefined;
    const paused = workload('Deployment', 'web', facts);
    const cluster = world([paused, current, old], controllers);
    cluster.start('resume');
    cluster.as('user').delete(current, { propagationPolicy: 'Background' });
    cluster.run();
    expect(exists(cluster, 'ReplicaSet', 'web-aaa')).toBe(false);
  });

  it('does nothing any more while it is being deleted', () => {
    const { deployment, current, old, pods } = rolledOut(2);
    const cluster = world([deployment, current, old, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(deployment, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(current, { propagationPolicy: 'Background' });
    cluster.run();
    expect(requests(cluster, 'deployment-controller')).toEqual([]);
  });

  it('adopts an orphaned ReplicaSet and scales it away behind its own', () => {
    const { deployment, current, old, pods } = rolledOut(4);
    const labels = [...app, 'pod-template-hash', 'zzz'];
    const orphan = workload(
      'ReplicaSet',
      'stray',
      {
        desired: 2,
        current: 2,
        ready: 2,
        available: 2,
        templateLabels: labels,
        selector: { matchLabels: labels, matchExpressions: [] },
      },
      { labels },
    );
    const strays = ['stray-1', 'stray-2'].map(name => runningPod(name, orphan, { labels }));
    const cluster = world([deployment, current, old, ...pods, orphan, ...strays], controllers);
    cluster.start('resume');
    cluster.wake([orphan]);
    expect(cluster.run()).toBe('rest');
    expect(named(cluster, 'ReplicaSet', 'stray').owners).toEqual([blockingRefTo(deployment)]);
    expect(named(cluster, 'ReplicaSet', 'stray').facts).toMatchObject({ desired: 0 });
    expect(all(cluster, 'Pod').map(({ name }) => name)).toEqual(pods.map(({ name }) => name));
  });

  it('follows a new size with its ReplicaSet', () => {
    const { deployment, current, old, pods } = rolledOut(2);
    const cluster = world([deployment, current, old, ...pods], controllers);
    cluster.start('resume');
    const facts = deployment.facts?.kind === 'Workload' ? { ...deployment.facts, desired: 5 } : undefined;
    cluster.as('user').patch(deployment, { facts });
    cluster.run();
    expect(all(cluster, 'Pod')).toHaveLength(5);
  });
});

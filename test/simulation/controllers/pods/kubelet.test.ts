import { describe, expect, it } from 'vitest';
import { revised } from '../../../../src/simulation/api/revise.ts';
import { builtIn, NOW } from '../../fixtures.ts';
import { all, exists, named, nodeOf, requests, runningPod, world } from '../world.ts';

const none = () => [];

describe('the kubelet of a ready node', () => {
  it('confirms a deletion when the grace period is over', () => {
    const cluster = world([runningPod('a', undefined)], none);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    cluster.runFor(29_000);
    expect(named(cluster, 'Pod', 'a').facts).toMatchObject({ phase: 'Running' });
    expect(cluster.run()).toBe('rest');
    expect(exists(cluster, 'Pod', 'a')).toBe(false);
    expect(cluster.clock.now).toBe(NOW + 30_000);
    expect(requests(cluster, 'kubelet')).toEqual(['delete pods a']);
  });

  it('may confirm it at once where every order is tried, because containers may stop at once', () => {
    const ends = [1, 2, 3, 4, 5, 6, 7, 8].map(seed => {
      const cluster = world([runningPod('a', undefined)], none, { anyOrder: true, seed });
      cluster.start('resume');
      cluster.as('user').delete(named(cluster, 'Pod', 'a'));
      cluster.run();
      expect(exists(cluster, 'Pod', 'a')).toBe(false);
      return cluster.clock.now - NOW;
    });
    expect(new Set(ends)).toEqual(new Set([0, 30_000]));
  });

  it('leaves a pod that finalizers hold finished and without grace', () => {
    const cluster = world([runningPod('a', undefined, { finalizers: ['example.com/hold'] })], none);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    expect(cluster.run()).toBe('rest');
    expect(named(cluster, 'Pod', 'a')).toMatchObject({ deletionGracePeriodSeconds: 0 });
    expect(named(cluster, 'Pod', 'a').facts).toMatchObject({ phase: 'Failed' });
    expect(requests(cluster, 'kubelet')).toEqual(['patch pods/status a', 'delete pods a']);
  });

  it('confirms sooner when the grace period is cut short', () => {
    const cluster = world([runningPod('a', undefined)], none);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    cluster.runFor(1000);
    cluster.as('user').delete(named(cluster, 'Pod', 'a'), { gracePeriodSeconds: 5 });
    cluster.run();
    expect(exists(cluster, 'Pod', 'a')).toBe(false);
    expect(cluster.clock.now).toBeLessThan(NOW + 10_000);
  });

  it('takes up pods that were waiting for it once the node is ready', () => {
    const cluster = world(
      [nodeOf('lost', false), runningPod('a', undefined, {}, { nodeName: 'lost' })],
      none,
    );
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    expect(cluster.run()).toBe('rest');
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
    const back = nodeOf('lost', true);
    cluster
      .as('user')
      .patch(named(cluster, 'Node', 'lost'), { facts: back.facts }, { subresource: 'status' });
    cluster.run();
    expect(exists(cluster, 'Pod', 'a')).toBe(false);
  });
});

describe('a node without a kubelet at work', () => {
  it('confirms nothing when it is not ready', () => {
    const cluster = world(
      [nodeOf('lost', false), runningPod('a', undefined, {}, { nodeName: 'lost' })],
      none,
    );
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    expect(cluster.run()).toBe('rest');
    expect(named(cluster, 'Pod', 'a').deletionTimestamp).toBe(NOW + 30_000);
    expect(requests(cluster, 'kubelet')).toEqual([]);
  });

  it('confirms nothing when it is lost during the grace period', () => {
    const cluster = world([runningPod('a', undefined)], none);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'));
    cluster.runFor(1000);
    cluster
      .as('user')
      .patch(
        named(cluster, 'Node', 'node-1'),
        { facts: nodeOf('x', false).facts },
        { subresource: 'status' },
      );
    expect(cluster.run()).toBe('rest');
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
  });
});

describe('the scheduler', () => {
  it('binds new pods to ready nodes in turn, and not to cordoned ones', () => {
    const cordoned = nodeOf('node-3', true);
    const facts = cordoned.facts?.kind === 'Node' ? { ...cordoned.facts, unschedulable: true } : undefined;
    const cluster = world([revised(cordoned, { facts })], none);
    cluster.start('resume');
    for (const name of ['a', 'b', 'c']) {
      const draft = runningPod(name, undefined, {}, { phase: 'Pending', nodeName: '', conditions: [] });
      cluster.as('user').create(draft);
    }
    cluster.run();
    expect(all(cluster, 'Pod').map(({ facts: pod }) => pod)).toMatchObject([
      { nodeName: 'node-1', phase: 'Running' },
      { nodeName: 'node-2', phase: 'Running' },
      { nodeName: 'node-1', phase: 'Running' },
    ]);
  });

  it('leaves pods alone that were pending before the snapshot', () => {
    const pending = runningPod('a', undefined, {}, { phase: 'Pending', nodeName: '', conditions: [] });
    const cluster = world([pending], none);
    cluster.start('resume');
    cluster.wake([pending]);
    cluster.run();
    expect(requests(cluster, 'default-scheduler')).toEqual([]);
  });

  it('waits for a claim that is missing', () => {
    const cluster = world([], none);
    cluster.start('resume');
    const facts = { phase: 'Pending', nodeName: '', conditions: [], claims: ['data'] };
    cluster.as('user').create(runningPod('a', undefined, {}, facts));
    cluster.run();
    expect(named(cluster, 'Pod', 'a').facts).toMatchObject({ nodeName: '' });
    cluster.as('user').create({ type: builtIn('PersistentVolumeClaim'), namespace: 'default', name: 'data' });
    cluster.run();
    expect(named(cluster, 'Pod', 'a').facts).toMatchObject({ nodeName: 'node-1' });
  });
});

import { describe, expect, it } from 'vitest';
import { podFacts } from '../../../../src/model/object.ts';
import { DaemonSetController } from '../../../../src/simulation/controllers/workloads/daemonset.ts';
import { all, named, requests, runningPod, workload, world } from '../world.ts';

const controllers = () => [new DaemonSetController()];

function onBothNodes() {
  const set = workload('DaemonSet', 'agent', { desired: 2, current: 2, ready: 2 });
  const pods = ['node-1', 'node-2'].map((nodeName, index) =>
    runningPod(`agent-${index}`, set, {}, { nodeName }),
  );
  return { set, pods };
}

describe('a DaemonSet', () => {
  it('puts a new pod on the node of a deleted one, once that one is gone', () => {
    const { set, pods } = onBothNodes();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'agent-1'));
    cluster.runFor(20_000);
    expect(all(cluster, 'Pod')).toHaveLength(2);
    expect(cluster.run()).toBe('rest');
    const nodes = all(cluster, 'Pod').map(pod => podFacts(pod)?.nodeName ?? '');
    expect(nodes.toSorted()).toEqual(['node-1', 'node-2']);
  });

  it('puts none on a node that is gone', () => {
    const { set, pods } = onBothNodes();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Node', 'node-2'));
    cluster.as('user').delete(named(cluster, 'Pod', 'agent-1'), { gracePeriodSeconds: 0 });
    cluster.run();
    expect(all(cluster, 'Pod').map(({ name }) => name)).toEqual(['agent-0']);
  });

  it('replaces a failed pod and deletes a second one on a node', () => {
    const { set } = onBothNodes();
    const failed = runningPod('failed', set, {}, { nodeName: 'node-1', phase: 'Failed', conditions: [] });
    const first = runningPod('first', set, { creationTimestamp: 1000 }, { nodeName: 'node-2' });
    const second = runningPod('second', set, { creationTimestamp: 2000 }, { nodeName: 'node-2' });
    const cluster = world([set, failed, first, second], controllers);
    cluster.start('replay');
    cluster.run();
    const pods = all(cluster, 'Pod');
    expect(pods).toHaveLength(2);
    expect(pods.map(({ name }) => name)).toContain('first');
    expect(pods.map(pod => podFacts(pod)?.nodeName ?? '').toSorted()).toEqual(['node-1', 'node-2']);
  });

  function taint(cluster: ReturnType<typeof world>, effect: string): void {
    cluster.as('user').patch(named(cluster, 'Node', 'node-2'), ({ facts }) => ({
      facts:
        facts?.kind === 'Node'
          ? { ...facts, taints: [{ key: 'example.com/out', value: '', effect }] }
          : facts,
    }));
  }

  it('takes its pod from a node with a NoExecute taint that it does not tolerate, and brings it back after', () => {
    const { set, pods } = onBothNodes();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    taint(cluster, 'NoExecute');
    expect(cluster.run()).toBe('rest');
    expect(all(cluster, 'Pod').map(({ name }) => name)).toEqual(['agent-0']);
    cluster.as('user').patch(named(cluster, 'Node', 'node-2'), ({ facts }) => ({
      facts: facts?.kind === 'Node' ? { ...facts, taints: [] } : facts,
    }));
    cluster.run();
    expect(all(cluster, 'Pod').map(pod => podFacts(pod)?.nodeName)).toContain('node-2');
  });

  it('leaves a pod where only new ones are kept away, and makes none there', () => {
    const { set, pods } = onBothNodes();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    taint(cluster, 'NoSchedule');
    cluster.run();
    expect(all(cluster, 'Pod')).toHaveLength(2);
    cluster.as('user').delete(named(cluster, 'Pod', 'agent-1'));
    cluster.run();
    expect(all(cluster, 'Pod').map(({ name }) => name)).toEqual(['agent-0']);
  });

  it('does nothing while it is being deleted', () => {
    const { set, pods } = onBothNodes();
    const cluster = world([set, ...pods], controllers);
    cluster.start('resume');
    cluster.as('user').delete(set, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(named(cluster, 'Pod', 'agent-0'));
    cluster.run();
    expect(requests(cluster, 'daemon-set-controller')).toEqual([]);
  });
});

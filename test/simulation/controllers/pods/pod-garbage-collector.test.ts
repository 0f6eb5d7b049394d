import { describe, expect, it } from 'vitest';
import type { Taint } from '../../../../src/model/facts/facts.ts';
import { PodGarbageCollector } from '../../../../src/simulation/controllers/pods/pod-garbage-collector.ts';
import type { Controller, ControllerContext } from '../../../../src/simulation/runtime/controller.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { condition } from '../../../podgc/fixtures.ts';
import { builtIn, NOW, shuffled } from '../../fixtures.ts';
import { exists, named, nodeOf, requests, runningPod, world } from '../world.ts';

const controllers = () => [new PodGarbageCollector()];
const disruption = condition('DisruptionTarget', 'True', {
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
});
const held = { finalizers: ['example.com/hold'] };

function removeNode(cluster: ReturnType<typeof world>): void {
  cluster.as('user').delete(named(cluster, 'Node', 'node-1'), { propagationPolicy: 'Background' });
}

describe('pods whose node is deleted', () => {
  it('Q1: a pending pod with a finalizer becomes Failed, gains DisruptionTarget and stays deleting', () => {
    const pod = runningPod('a', undefined, held, { phase: 'Pending', conditions: [] });
    const cluster = world([pod], controllers);
    cluster.start('resume');
    removeNode(cluster);
    expect(cluster.run()).toBe('rest');
    const after = named(cluster, 'Pod', 'a');
    expect(after.deletionTimestamp).toBeGreaterThanOrEqual(NOW + 40_000);
    expect(after.facts).toMatchObject({ phase: 'Failed', conditions: [disruption] });
    expect(after.generation).toBe(2);
  });

  it('Q2: a succeeded pod with a finalizer is deleted without a change of phase or conditions', () => {
    const pod = runningPod('a', undefined, held, { phase: 'Succeeded', conditions: [] });
    const cluster = world([pod], controllers);
    cluster.start('resume');
    removeNode(cluster);
    cluster.run();
    const after = named(cluster, 'Pod', 'a');
    expect(after.deletionTimestamp).toBeDefined();
    expect(after.facts).toMatchObject({ phase: 'Succeeded', conditions: [] });
  });

  it('are gone after 40 to 60 seconds where nothing holds them', () => {
    const cluster = world([runningPod('a', undefined)], controllers);
    cluster.start('resume');
    removeNode(cluster);
    cluster.runFor(39_000);
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
    cluster.runFor(21_000);
    expect(exists(cluster, 'Pod', 'a')).toBe(false);
    expect(cluster.run()).toBe('rest');
    expect(requests(cluster, 'pod-garbage-collector')).toEqual(['patch pods/status a', 'delete pods a']);
  });

  it('are deleted one after the other, in any order, and others act in between', () => {
    // A watcher of pods releases b as soon as it sees that a is deleted.
    class Releasing implements Controller {
      readonly name = 'releasing';

      start(context: ControllerContext): void {
        const { api, clock } = context;
        const release = (): void => {
          const pod = context.find('Pod', 'default', 'b');
          if (pod !== undefined) api.patch(pod, { finalizers: [] });
        };
        context.informer('Pod', {
          updated: ({ name }) => void (name === 'a' && clock.schedule(this.name, release)),
        });
      }
    }
    const seen = new Set<string>();
    for (let seed = 1; seed <= 40; seed += 1) {
      const pods = ['a', 'b'].map(name => runningPod(name, undefined, held));
      const cluster = world(pods, () => [...controllers(), new Releasing()], {
        chooser: shuffled(new Random(seed)),
      });
      cluster.start('resume');
      removeNode(cluster);
      cluster.run();
      const all = cluster.api.log.entries.map(({ verb, actor, name }) => `${verb} ${name} by ${actor}`);
      const at = (request: string): number => all.indexOf(request);
      const [a, b] = [at('delete a by pod-garbage-collector'), at('delete b by pod-garbage-collector')];
      const released = at('patch b by releasing');
      seen.add(a < b ? 'a first' : 'b first');
      if (released < b) seen.add('released before b');
    }
    expect([...seen].sort()).toEqual(['a first', 'b first', 'released before b']);
  });

  it('stay when a node of the name is back in time', () => {
    const cluster = world([runningPod('a', undefined)], controllers);
    cluster.start('resume');
    removeNode(cluster);
    cluster.runFor(30_000);
    cluster.as('user').create({ type: builtIn('Node'), name: 'node-1', facts: nodeOf('node-1', true).facts });
    cluster.runFor(120_000);
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
  });

  it('count as there where nodes cannot be seen', () => {
    const cluster = world([runningPod('a', undefined, {}, { nodeName: 'unseen' })], () => [
      new PodGarbageCollector({ nodesKnown: false }),
    ]);
    cluster.start('replay');
    cluster.runFor(200_000);
    expect(requests(cluster, 'pod-garbage-collector')).toEqual([]);
  });
});

describe('deleting pods on a node that is not ready', () => {
  const outOfService: Taint = { key: 'node.kubernetes.io/out-of-service', value: '', effect: 'NoExecute' };

  function tainted(pod: Partial<Parameters<typeof runningPod>[2]> = {}) {
    const cluster = world(
      [nodeOf('lost', false), runningPod('a', undefined, pod, { nodeName: 'lost' })],
      controllers,
    );
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'a'), { gracePeriodSeconds: 300 });
    cluster.runFor(60_000);
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
    const { facts } = nodeOf('lost', false, [outOfService]);
    cluster.as('user').patch(named(cluster, 'Node', 'lost'), { facts });
    expect(cluster.run()).toBe('rest');
    return cluster;
  }

  it('Q4: become Failed without DisruptionTarget once it is out of service, where a finalizer holds them', () => {
    const after = named(tainted(held), 'Pod', 'a');
    expect(after.facts).toMatchObject({ phase: 'Failed', conditions: [condition('Ready', 'True')] });
    expect(after.deletionGracePeriodSeconds).toBe(0);
  });

  it('Q5: are gone once it is out of service, where nothing holds them', () => {
    expect(exists(tainted(), 'Pod', 'a')).toBe(false);
  });
});

it('a deleting pod that no node was chosen for is gone within a cycle', () => {
  const pod = runningPod(
    'a',
    undefined,
    { deletionTimestamp: NOW + 30_000, deletionGracePeriodSeconds: 30 },
    { phase: 'Pending', nodeName: '', conditions: [] },
  );
  const cluster = world([pod], controllers);
  cluster.start('resume');
  cluster.wake([pod]);
  cluster.runFor(20_000);
  expect(exists(cluster, 'Pod', 'a')).toBe(false);
});

it('finished pods beyond the threshold go, the oldest first', () => {
  const pods = ['a', 'b', 'c'].map((name, index) =>
    runningPod(name, undefined, { creationTimestamp: NOW - 1000 * (3 - index) }, { phase: 'Succeeded' }),
  );
  const cluster = world(pods, () => [new PodGarbageCollector({ threshold: 1 })]);
  cluster.start('replay');
  cluster.run();
  expect(['a', 'b', 'c'].map(name => exists(cluster, 'Pod', name))).toEqual([false, false, true]);
});

describe.each(['each cycle', 'once'])('where finished pods of a snapshot are looked for %s', looked => {
  const finished = (name: string, age: number) =>
    runningPod(name, undefined, { creationTimestamp: NOW - 1000 * age }, { phase: 'Succeeded' });
  const before = [finished('a', 4), finished('b', 3)];
  const running = runningPod('c', undefined, { creationTimestamp: NOW - 1000 });

  function resumed(threshold: number): ReturnType<typeof world> {
    const options = looked === 'once' ? { threshold, finishedPods: before } : { threshold };
    const cluster = world([...before, running], () => [new PodGarbageCollector(options)]);
    cluster.start('resume');
    return cluster;
  }

  function finish(cluster: ReturnType<typeof world>): readonly string[] {
    const pod = named(cluster, 'Pod', 'c');
    const facts = { ...pod.facts, phase: 'Succeeded' } as NonNullable<typeof pod.facts>;
    cluster.as('kubelet').patch(pod, { facts }, { uid: pod.uid, subresource: 'status' });
    cluster.run();
    return ['a', 'b', 'c'].filter(name => exists(cluster, 'Pod', name));
  }

  it('one that finishes beyond the threshold makes the oldest go, which nothing else has happened to', () => {
    expect(finish(resumed(2))).toEqual(['b', 'c']);
  });

  it('one that finishes within the threshold changes nothing', () => {
    expect(finish(resumed(3))).toEqual(['a', 'b', 'c']);
  });

  it('one that is gone meanwhile counts no more', () => {
    const cluster = resumed(2);
    cluster.as('user').delete(named(cluster, 'Pod', 'a'), { gracePeriodSeconds: 0 });
    expect(finish(cluster)).toEqual(['b', 'c']);
    expect(requests(cluster, 'pod-garbage-collector')).toEqual([]);
  });
});

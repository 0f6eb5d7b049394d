import { describe, expect, it } from 'vitest';
import type { PodFacts, Taint, Toleration } from '../../../../src/model/facts/facts.ts';
import { tolerationRules } from '../../../../src/model/facts/tolerations.ts';
import { TaintEvictionController } from '../../../../src/simulation/controllers/pods/taint-eviction.ts';
import { condition } from '../../../podgc/fixtures.ts';
import { NOW } from '../../fixtures.ts';
import { exists, named, nodeOf, requests, runningPod, world } from '../world.ts';

const ACTOR = 'taint-eviction-controller';
const tolerations = tolerationRules.admitted([]);
const outOfService: Taint = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
};
const unreachable: Taint = { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoExecute' };
const since = (seconds: number): Taint => ({ ...unreachable, timeAdded: NOW - seconds * 1000 });
const awaited = () => [new TaintEvictionController({ awaitsEvictions: true })];
const held = { finalizers: ['example.com/hold'] };
const disruption = condition('DisruptionTarget', 'True', {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
});

type World = ReturnType<typeof world>;

const podOn = (nodeName: string, facts: Partial<PodFacts> = {}, changes = {}) =>
  runningPod('a', undefined, changes, { nodeName, tolerations, ...facts });

/** A ready node-1 and a lost-1 with these taints. */
function lost(taints: readonly Taint[], pod = podOn('lost-1'), controllers = awaited): World {
  const made = world([nodeOf('lost-1', false, taints), pod], controllers);
  return made;
}

function taint(made: World, name: string, taints: readonly Taint[]): void {
  const answer = made.as('user').patch(named(made, 'Node', name), ({ facts }) => ({
    facts: facts?.kind === 'Node' ? { ...facts, taints } : facts,
  }));
  expect(answer.ok).toBe(true);
}

/** When the pod was deleted, in seconds from the beginning; undefined where it wasn't. */
function deletedAfter(made: World): number | undefined {
  const found = made.api.log.entries.find(({ actor, verb }) => actor === ACTOR && verb === 'delete');
  return found === undefined ? undefined : (found.at - NOW) / 1000;
}

describe('a taint put on a node', () => {
  it('that a pod does not tolerate has it marked as disrupted, then deleted', () => {
    const made = world([podOn('node-1', {}, held)], awaited);
    made.start('resume');
    taint(made, 'node-1', [outOfService]);
    made.run();
    expect(requests(made, ACTOR)).toEqual(['patch pods/status a', 'delete pods a']);
    expect(deletedAfter(made)).toBe(0);
    const { facts, deletionTimestamp } = named(made, 'Pod', 'a');
    expect(deletionTimestamp).toBe(NOW + 30_000);
    expect(facts).toMatchObject({ conditions: expect.arrayContaining([disruption]) });
  });

  it('with another effect evicts nobody', () => {
    const made = world([podOn('node-1')], awaited);
    made.start('resume');
    taint(made, 'node-1', [{ ...outOfService, effect: 'NoSchedule' }]);
    made.run();
    expect(requests(made, ACTOR)).toEqual([]);
  });

  it('leaves a pod that tolerates it, for ever or as long as it says', () => {
    const tolerating = (tolerationSeconds?: number): Toleration => ({
      key: outOfService.key,
      operator: 'Exists',
      value: '',
      effect: 'NoExecute',
      tolerationSeconds,
    });
    for (const [seconds, deleted] of [
      [undefined, undefined],
      [20, 20],
      [0, 0],
    ]) {
      const made = world([podOn('node-1', { tolerations: [tolerating(seconds)] })], awaited);
      made.start('resume');
      taint(made, 'node-1', [outOfService]);
      made.run();
      expect(deletedAfter(made)).toBe(deleted);
    }
  });

  it('evicts finished pods too, and marks one that is being deleted', () => {
    const finished = world([podOn('node-1', { phase: 'Succeeded' })], awaited);
    finished.start('resume');
    taint(finished, 'node-1', [outOfService]);
    finished.run();
    expect(exists(finished, 'Pod', 'a')).toBe(false);
    const deletion = { deletionTimestamp: NOW - 5000, deletionGracePeriodSeconds: 300, ...held };
    const deleting = world([nodeOf('lost-1', false), podOn('lost-1', {}, deletion)], awaited);
    deleting.start('resume');
    taint(deleting, 'lost-1', [outOfService]);
    deleting.run();
    const { facts, deletionTimestamp, finalizers } = named(deleting, 'Pod', 'a');
    expect(facts).toMatchObject({ conditions: expect.arrayContaining([disruption]) });
    expect([deletionTimestamp, finalizers]).toEqual([NOW - 5000, ['example.com/hold']]);
  });

  it('and taken off again in time, or with its node gone, is another matter', () => {
    const back = lost([]);
    back.start('resume');
    taint(back, 'lost-1', [unreachable]);
    back.runFor(200_000);
    taint(back, 'lost-1', []);
    back.run();
    expect(deletedAfter(back)).toBeUndefined();
    const gone = lost([]);
    gone.start('resume');
    taint(gone, 'lost-1', [unreachable]);
    gone.runFor(200_000);
    gone.as('user').delete(named(gone, 'Node', 'lost-1'));
    gone.run();
    expect(deletedAfter(gone)).toBe(300);
  });

  it('beside one that runs already does not begin the count anew, nor end it where it is tolerated for no time', () => {
    const atOnce: Toleration = {
      key: outOfService.key,
      operator: 'Exists',
      value: '',
      effect: 'NoExecute',
      tolerationSeconds: 0,
    };
    const made = lost([], podOn('lost-1', { tolerations: [...tolerations, atOnce] }));
    made.start('resume');
    taint(made, 'lost-1', [unreachable]);
    made.runFor(100_000);
    taint(made, 'lost-1', [
      unreachable,
      { ...unreachable, key: 'node.kubernetes.io/not-ready' },
      outOfService,
    ]);
    made.run();
    expect(deletedAfter(made)).toBe(300);
  });
});

describe('a pod that comes to a tainted node', () => {
  it('is evicted when the time that it tolerates is over, counted from then on', () => {
    const made = world([nodeOf('lost-1', false, [since(120)]), podOn('', { phase: 'Pending' })], awaited);
    made.start('resume');
    const pod = named(made, 'Pod', 'a');
    made.as('user').patch(pod, ({ facts }) => ({
      facts: facts?.kind === 'Pod' ? { ...facts, nodeName: 'lost-1' } : facts,
    }));
    made.run();
    // It is an hour old, and on the node only now.
    expect(deletedAfter(made)).toBe(300);
  });
});

describe('a snapshot with a tainted node', () => {
  it('has its evictions when they are due, counted from when the taint was added', () => {
    const made = lost([since(120)]);
    made.start('resume');
    made.wake([named(made, 'Pod', 'a')]);
    expect(made.run()).toBe('rest');
    expect(deletedAfter(made)).toBe(180);
  });

  it('has what is overdue at once, and keeps daemons', () => {
    const overdue = lost([since(900)]);
    overdue.start('resume');
    overdue.wake([named(overdue, 'Pod', 'a')]);
    overdue.run();
    expect(deletedAfter(overdue)).toBe(0);
    const daemon = lost([since(900)], podOn('lost-1', { tolerations: tolerationRules.ofDaemons }));
    daemon.start('resume');
    daemon.wake([named(daemon, 'Pod', 'a')]);
    daemon.run();
    expect(deletedAfter(daemon)).toBeUndefined();
  });

  it('loses its pods at once when another taint is added that they do not tolerate', () => {
    const made = lost([since(120)]);
    made.start('resume');
    made.wake([named(made, 'Pod', 'a')]);
    taint(made, 'lost-1', [since(120), outOfService]);
    made.run();
    expect(deletedAfter(made)).toBe(0);
  });

  it('begins to count anew with a controller manager that starts', () => {
    const made = lost([since(120)]);
    made.start('replay');
    made.run();
    expect(deletedAfter(made)).toBe(300);
  });

  it('rests before evictions that are minutes away where nobody waits for them', () => {
    const made = lost([since(120)], podOn('lost-1'), () => [new TaintEvictionController()]);
    made.start('replay');
    expect(made.run()).toBe('rest');
    expect(deletedAfter(made)).toBeUndefined();
    made.runFor(300_000);
    expect(deletedAfter(made)).toBe(300);
  });
});

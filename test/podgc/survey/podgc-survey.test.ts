import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LookUpAnswer } from '../../../src/model/exchange/changes.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { ForceDeleteRequest } from '../../../src/podgc/passes/force-delete.ts';
import { podGcNodes } from '../../../src/podgc/passes/node-condition.ts';
import type { PodGcSurvey } from '../../../src/podgc/survey/podgc-survey.ts';
import { types } from '../../graph/fixtures.ts';
import { node, pod } from '../fixtures.ts';
import { changesIn, deletedAt, inGrace, outOfService, steps, takenBy } from '../histories.ts';
import { gone, start, surveyed, told, upsert } from '../survey-cluster.ts';

describe('what kube-controller-manager was started with', () => {
  const manager = (name: string, ...managerFlags: string[]): KubeObject =>
    pod(`kube-controller-manager-${name}`, { phase: 'Running', managerFlags }, { namespace: 'kube-system' });
  const finished = [pod('old', { phase: 'Succeeded' }), pod('young', { phase: 'Succeeded' })];

  it('says what the threshold is, its own default where it was given none, and a user knows better', () => {
    const limit = ({ survey }: ReturnType<typeof surveyed>): unknown => [
      survey.finished.threshold,
      survey.thresholdFrom,
    ];
    expect(limit(surveyed(finished))).toEqual([12_500, 'assumed']);
    expect(limit(surveyed([...finished, manager('a', 'controllers=*')]))).toEqual([12_500, 'manager']);
    const one = manager('a', 'controllers=*', 'terminated-pod-gc-threshold=1');
    expect(limit(surveyed([...finished, one]))).toEqual([1, 'manager']);
    expect(limit(surveyed([...finished, one, manager('b', 'controllers=*')]))).toEqual([12_500, 'assumed']);
    expect(limit(surveyed([...finished, one], { threshold: 7 }))).toEqual([7, 'given']);
    expect(limit(surveyed([...finished, manager('a', 'terminated-pod-gc-threshold=$N')]))).toEqual([
      12_500,
      'assumed',
    ]);
  });

  it('is taken in when it is seen later, and when it changes', () => {
    const { survey, apply } = surveyed(finished);
    expect(told(survey, start)).toEqual([]);
    apply([upsert(manager('a', 'terminated-pod-gc-threshold=1'))], start);
    expect(told(survey, start)).toEqual(['Terminated old now OverThreshold']);
    apply([upsert(manager('a', 'terminated-pod-gc-threshold=1', 'controllers=*,-podgc'))], start);
    expect(survey.switchedOff?.flag).toBe('--controllers=*,-podgc');
    expect(told(survey, start)).toEqual([]);
  });

  it.each([
    ['*,-podgc', true],
    ['*,-pod-garbage-collector-controller', true],
    ['garbagecollector', true],
    ['*', false],
    ['podgc', false],
    ['*,-garbagecollector', false],
  ])('with --controllers=%s has PodGC off: %s', (controllers, isOff) => {
    const off = pod('never', { phase: 'Pending' }, deletedAt(start));
    const { survey } = surveyed([off, manager('a', `controllers=${controllers}`)]);
    expect(told(survey, start).length).toBe(isOff ? 0 : 1);
    expect(survey.switchedOff !== undefined).toBe(isOff);
  });

  it('has PodGC off only where all replicas say so', () => {
    const off = pod('never', { phase: 'Pending' }, deletedAt(start));
    const { survey } = surveyed([off, manager('a', 'controllers=*,-podgc'), manager('b', 'controllers=*')]);
    expect(told(survey, start)).toHaveLength(1);
  });
});

describe('pods on a node that no list holds', () => {
  const look = podGcNodes.lookUp('nowhere');
  const answered = (answer?: LookUpAnswer): unknown => {
    const { survey, view, apply } = surveyed([pod('web', { nodeName: 'nowhere', phase: 'Running' })]);
    view.settings = { ...view.settings, listsMayLag: true };
    apply([], start, answer && { lookUps: [{ lookUp: look, answer }] });
    return survey
      .items(start)
      .map(({ rule, reason }) => [rule, reason.kind, reason.kind === 'NodeGone' && reason.unconfirmed]);
  };

  it('are orphaned for certain once a look-up has confirmed that there is no such node', () => {
    expect(answered()).toEqual([['Orphaned', 'NodeGone', true]]);
    expect(answered({ state: 'unknown', reason: 'forbidden' })).toEqual([['Orphaned', 'NodeGone', true]]);
    expect(answered({ state: 'absent' })).toEqual([['Orphaned', 'NodeGone', false]]);
  });

  it('are not taken where a look-up has found the node', () => {
    expect(answered({ state: 'found', uid: 'n' as Uid, foreground: false })).toEqual([]);
  });
});

describe('what is told', () => {
  it('names the pods of each pass in the order of the passes, then those that only look like them', () => {
    const { survey } = surveyed(
      [
        node('lost', false),
        node('off', false, outOfService),
        pod('missing', { nodeName: 'nowhere', phase: 'Running' }),
        pod('never-bound', { phase: 'Pending' }, { ...deletedAt(start), finalizers: ['example.com/hold'] }),
        pod('stays', { nodeName: 'lost', phase: 'Running' }, inGrace),
        pod('taken', { nodeName: 'off', phase: 'Running' }, inGrace),
        pod('tolerant', { nodeName: 'off', phase: 'Running' }),
        pod('old', { nodeName: 'lost', phase: 'Succeeded' }, { creationTimestamp: 1 }),
        pod('young', { nodeName: 'lost', phase: 'Succeeded' }, { creationTimestamp: 2 }),
      ],
      { threshold: 1 },
    );
    expect(told(survey, start)).toEqual([
      'Terminated old now OverThreshold',
      'OutOfService taken now NodeOutOfService',
      'Orphaned missing at NodeGone',
      'UnscheduledTerminating never-bound now NeverScheduled',
      'OutOfService stays no NotTainted',
      'OutOfService tolerant no NotDeleting',
    ]);
    expect(survey.items(start)[2]?.conditionAdded).toBe('DisruptionTarget');
    expect(survey.items(start)[3]?.heldBy).toEqual(['example.com/hold']);
  });

  it('tells nothing of pods that end as pods do', () => {
    const { survey } = surveyed([
      node('well', true),
      pod('running', { nodeName: 'well', phase: 'Running' }),
      pod(
        'ending',
        { nodeName: 'well', phase: 'Running' },
        { ...inGrace, deletionTimestamp: start + 20_000 },
      ),
      pod('finished', { nodeName: 'well', phase: 'Succeeded' }),
      pod('waiting', { phase: 'Pending' }),
    ]);
    expect(told(survey, start)).toEqual([]);
  });

  it('says why a pod stays whose grace is long over on a ready node, tainted or not', () => {
    const { survey } = surveyed([
      node('well', true),
      node('tainted', true, outOfService),
      pod('a', { nodeName: 'well', phase: 'Running' }, inGrace),
      pod('b', { nodeName: 'tainted', phase: 'Running' }, inGrace),
    ]);
    expect(told(survey, start + 60_000)).toEqual([
      'OutOfService a no NodeReady',
      'OutOfService b no TaintedButReady',
    ]);
  });

  it('concludes nothing from nodes that cannot be seen', () => {
    const { survey, apply } = surveyed([pod('a', { nodeName: 'nowhere', phase: 'Running' }, inGrace)]);
    expect(told(survey, start)).toEqual(['Orphaned a at NodeGone']);
    apply([], start, {
      statuses: [{ type: types.node, state: 'blind', count: 0, facts: false, reason: '403' }],
    });
    expect(told(survey, start)).toEqual(['OutOfService a no NodesUnseen']);
    expect(survey.sees).toEqual({ nodes: false, pods: true });
  });

  it('promises nothing of a rule that the version of the server does not have', () => {
    const { survey, view } = surveyed([
      node('off', false, outOfService),
      pod('a', { nodeName: 'off', phase: 'Running' }, inGrace),
    ]);
    expect(told(survey, start)).toEqual(['OutOfService a now NodeOutOfService']);
    view.settings = { ...view.settings, serverVersion: 'v1.22.4' };
    expect(survey.items(start + 1).map(({ due, reason }) => [due.when, reason.kind])).toEqual([
      ['no', 'RuleUnknownToServer'],
    ]);
  });

  it('keeps telling of a pod that PodGC deletes again and again because a finalizer holds it', () => {
    const { survey } = surveyed([
      pod('a', { phase: 'Failed' }, { ...deletedAt(start - 3_600_000), finalizers: ['example.com/hold'] }),
    ]);
    expect(told(survey, start)).toEqual(['UnscheduledTerminating a now Taken']);
    expect(survey.items(start)[0]?.conditionAdded).toBeUndefined();
  });

  it('takes a pod for overdue that should be gone for more than a minute', () => {
    const { survey } = surveyed([pod('a', { phase: 'Pending' }, deletedAt(start))]);
    expect(survey.items(start + 80_000)[0]?.due.when).toBe('now');
    expect(survey.items(start + 90_000)[0]?.due.when).toBe('overdue');
  });
});

describe('finished pods', () => {
  it('go in line behind those that cannot go and take a place all the same', () => {
    const held = pod(
      'held',
      { phase: 'Failed' },
      { ...deletedAt(start), finalizers: ['example.com/hold'], creationTimestamp: 1 },
    );
    const next = pod('next', { phase: 'Succeeded' }, { creationTimestamp: 2 });
    const last = pod('last', { phase: 'Succeeded' }, { creationTimestamp: 3 });
    const { survey } = surveyed([held, next, last], { threshold: 2 });
    expect(told(survey, start)).toEqual(['Terminated held now Taken']);
    const { pods, heldBefore } = survey.finished.inLine(5);
    expect([pods.map(({ name }) => name), heldBefore]).toEqual([['next', 'last'], 1]);
  });
});

describe('finished pods in line', () => {
  it('are as they are now, also where nothing moved them', () => {
    const first = pod('first', { phase: 'Failed' }, { creationTimestamp: 1 });
    const next = pod('next', { phase: 'Succeeded' }, { creationTimestamp: 2 });
    const { survey, apply } = surveyed([first, next]);
    expect(survey.finished.inLine(1)).toEqual({ pods: [first], heldBefore: 0 });
    const held = { ...deletedAt(start), finalizers: ['example.com/hold'], creationTimestamp: 1 };
    apply([upsert(pod('first', { phase: 'Failed' }, held))], start);
    expect(survey.finished.inLine(1)).toEqual({ pods: [next], heldBefore: 1 });
  });
});

describe('the estimate', () => {
  const running = pod('a', { nodeName: 'worker', phase: 'Running' });

  it('is 40 to 81 seconds from when a node was seen to go', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    expect(survey.items(start)).toEqual([]);
    apply([gone(node('worker', true))], start + 5_000);
    const [item] = survey.items(start + 5_000);
    expect(item?.due).toEqual({ when: 'at', from: start + 44_000, at: start + 65_000, by: start + 86_000 });
    expect(item?.reason).toMatchObject({ kind: 'NodeGone', removal: { seen: true } });
  });

  it('learns from what the cluster remembers when a node went that nobody saw go', () => {
    const { survey } = surveyed([running]);
    expect(survey.items(start)[0]?.reason).toMatchObject({ kind: 'NodeGone', removal: { seen: false } });
    survey.learnRemovals(new Map([['worker', { first: start - 10_000, last: start - 10_000 }]]), start);
    const [item] = survey.items(start);
    expect(item?.reason).toMatchObject({ kind: 'NodeGone', removal: { seen: true } });
    expect(item?.due).toMatchObject({ when: 'at', from: start + 24_000, by: start + 72_000 });
  });

  it('begins where a quarantine was begun before the node came back for a while', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    apply([gone(node('worker', true))], start + 1_000);
    apply([upsert(node('worker', true))], start + 30_000);
    expect(survey.items(start + 30_000)).toEqual([]);
    apply([gone(node('worker', true))], start + 35_000);
    expect(survey.items(start + 35_000)[0]?.due).toMatchObject({ from: start + 40_000, by: start + 116_000 });
    apply([upsert(node('worker', true))], start + 36_000);
    apply([gone(node('worker', true))], start + 136_000);
    expect(survey.items(start + 136_000)[0]?.due).toMatchObject({ from: start + 175_000 });
  });

  it('gives what comes up just after an act to the next cycle', () => {
    const act = pod('act', { nodeName: 'gone-before', phase: 'Running' });
    const { survey, apply } = surveyed([node('off', false, outOfService), act]);
    apply(
      takenBy({ pod: act, rule: 'Orphaned', requests: ForceDeleteRequest.of(act, 'Orphaned') }),
      start + 3_000,
    );
    const asked = { deletionTimestamp: start + 32_000, deletionGracePeriodSeconds: 30 };
    apply([upsert(pod('a', { nodeName: 'off', phase: 'Running' }, asked))], start + 3_000);
    expect(survey.items(start + 3_000)[0]?.due).toMatchObject({
      when: 'now',
      by: expect.closeTo(start + 24_000, -3),
    });
  });

  it('calls nothing overdue while PodGC is seen to work through many pods', () => {
    const pods = Array.from({ length: 900 }, (_, i) =>
      pod(`a${i}`, { nodeName: 'worker', phase: 'Running' }),
    );
    const { survey, apply } = surveyed([node('worker', true), ...pods]);
    apply([gone(node('worker', true))], start);
    // 10 pods a second, from the first cycle that acts.
    for (let second = 0; second < 90; second++) {
      const now = start + 50_000 + second * 1_000;
      const batch = pods.slice(second * 10, second * 10 + 10);
      apply(
        batch.flatMap(each =>
          takenBy({ pod: each, rule: 'Orphaned', requests: ForceDeleteRequest.of(each, 'Orphaned') }),
        ),
        now,
      );
      for (const { due } of survey.items(now)) {
        if (due.when !== 'at') throw new Error(`at ${second} s: ${due.when}`);
        // At the rate of its client, of which the first 30 requests aren't part.
        expect(due.by).toBeGreaterThanOrEqual(start + 137_000);
        expect(due.from).toBeLessThanOrEqual(now + 1_000);
      }
    }
    expect(survey.items(start + 140_000)).toEqual([]);
  });

  it('allows for the time that all the requests take', () => {
    const pods = Array.from({ length: 215 }, (_, i) =>
      pod(`a${i}`, { nodeName: 'worker', phase: 'Running' }),
    );
    const { survey, apply } = surveyed([node('worker', true), ...pods]);
    apply([gone(node('worker', true))], start);
    // 430 requests: 30 at once, 400 at 20 a second.
    expect(survey.items(start)[0]?.due).toMatchObject({ by: start + 81_000 + 20_000 });
  });
});

/** What a survey tells, without since when, which only one that watched can know. */
function essence(survey: PodGcSurvey, now: number): unknown[] {
  return survey.items(now).map(({ pod: { name }, nodeName, rule, due, reason, heldBy, conditionAdded }) => ({
    name,
    nodeName,
    rule,
    isDue: due.when !== 'no',
    reason: reason.kind === 'OverThreshold' ? reason : reason.kind,
    heldBy,
    conditionAdded,
  }));
}

describe('kept batch by batch', () => {
  it('tells what a survey of the whole cluster would', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 25 }), history => {
        const cluster = new Map<string, KubeObject>();
        const { survey, view, apply } = surveyed([], { threshold: 1 });
        let now = start;
        for (const { wait, change } of history) {
          now += wait;
          apply(changesIn(cluster, change), now);
          const fresh = surveyed([...cluster.values()], { now, threshold: 1 });
          expect(essence(survey, now)).toEqual(essence(fresh.survey, now));
          expect(survey.nodes().map(({ name, state, pods }) => [name, state, pods.length])).toEqual(
            fresh.survey.nodes().map(({ name, state, pods }) => [name, state, pods.length]),
          );
        }
        expect(view.graph.size).toBe(cluster.size);
      }),
      { numRuns: 400 },
    );
  });
});

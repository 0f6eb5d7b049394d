/**
 * What `podgc` says in worlds that are rare and real, held to what PodGC does in them. Apart from the survey's own
 * tests, because each of these is about a sentence that would be false.
 */
import { describe, expect, it } from 'vitest';
import type { PodOutlook } from '../../src/podgc/survey/outlook.ts';
import type { PodGcSurvey } from '../../src/podgc/survey/podgc-survey.ts';
import { podGcWords } from '../../src/text/podgc/podgc-words.ts';
import { types } from '../graph/fixtures.ts';
import { node, pod } from './fixtures.ts';
import { gone, start, surveyed, upsert } from './survey-cluster.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOLD = ['example.com/hold'];
const outOfService = [{ key: 'node.kubernetes.io/out-of-service', value: '', effect: 'NoExecute' }];

function itemOf(survey: PodGcSurvey, name: string, now: number): PodOutlook {
  const item = survey.items(now).find(({ pod: each }) => each.name === name);
  if (item === undefined) throw new Error(`${name} isn't told`);
  return item;
}

describe('work that takes long', () => {
  it('is not called overdue while PodGC deletes thousands of finished pods at the rate of its client', () => {
    const pods = Array.from({ length: 3_000 }, (_, i) =>
      pod(`a${String(i).padStart(5, '0')}`, { nodeName: 'worker', phase: 'Succeeded' }),
    );
    const { survey, apply } = surveyed([node('worker', true), ...pods], { threshold: 1 });
    const begins = start + 20_000;
    for (let second = 0; second < 148; second += 1) {
      const now = begins + second * SECOND;
      apply(pods.slice(second * 20, second * 20 + 20).map(gone), now);
      const overdue = survey.items(now).filter(({ due }) => due.when === 'overdue');
      expect([second, overdue.length, overdue[0] && podGcWords.because(overdue[0])]).toEqual([
        second,
        0,
        undefined,
      ]);
    }
  });

  it('allows for the requests of every pass, also those for pods on nodes that are out of service', () => {
    const pods = Array.from({ length: 500 }, (_, i) =>
      pod(
        `a${i}`,
        { nodeName: 'off', phase: 'Running' },
        { deletionTimestamp: start, deletionGracePeriodSeconds: 30 },
      ),
    );
    const { survey } = surveyed([node('off', false, outOfService), ...pods]);
    const last = survey.items(start).at(-1);
    // 1,000 requests, of which 30 are sent at once and 20 a second.
    expect(last?.due).toMatchObject({ when: 'now' });
    if (last?.due.when === 'now')
      expect(last.due.by).toBeGreaterThanOrEqual(start + 20 * SECOND + 48 * SECOND);
  });

  it('allows for the requests for pods that were never scheduled', () => {
    const pods = Array.from({ length: 500 }, (_, i) =>
      pod(
        `a${i}`,
        { phase: 'Pending' },
        { deletionTimestamp: start, deletionGracePeriodSeconds: 0, finalizers: HOLD },
      ),
    );
    const { survey } = surveyed(pods);
    const last = survey.items(start).at(-1);
    if (last?.due.when === 'now')
      expect(last.due.by).toBeGreaterThanOrEqual(start + 20 * SECOND + 48 * SECOND);
  });
});

describe('an act that is not PodGC’s', () => {
  // Finished pods are deleted without grace by whoever deletes them: the API server sees to that.
  it('tells nothing of its cycles: a person deletes a finished pod that a finalizer holds on a node that is gone', () => {
    const done = pod('done', { nodeName: 'lost', phase: 'Succeeded' }, { finalizers: HOLD });
    const other = pod('other', { nodeName: 'worker', phase: 'Running' });
    const { survey, apply } = surveyed([node('worker', true), done, other]);
    apply([upsert(deleted(done, start + 3_000))], start + 3_000);
    apply([gone(node('worker', true))], start + 5_000);
    const { due } = itemOf(survey, 'other', start + 5_000);
    // Nobody knows when the cycles are, so the span is as wide as one.
    expect(due).toMatchObject({ when: 'at', from: start + 44_000, by: start + 86_000 });
  });

  it('tells nothing of its cycles: a finalizer comes off a pod that its kubelet had ended, and its node has gone since', () => {
    const ended = pod(
      'ended',
      { nodeName: 'lost', phase: 'Succeeded' },
      { finalizers: HOLD, deletionTimestamp: start - MINUTE, deletionGracePeriodSeconds: 0 },
    );
    const other = pod('other', { nodeName: 'worker', phase: 'Running' });
    const { survey, apply } = surveyed([node('lost', true), node('worker', true), ended, other]);
    apply([gone(node('lost', true))], start + 1_000);
    apply([gone(ended)], start + 3_000);
    apply([gone(node('worker', true))], start + 5_000);
    const { due } = itemOf(survey, 'other', start + 5_000);
    expect(due).toMatchObject({ when: 'at', from: start + 44_000, by: start + 86_000 });
  });

  function deleted(each: ReturnType<typeof pod>, at: number) {
    return pod(
      each.name,
      { nodeName: 'lost', phase: 'Succeeded' },
      { finalizers: HOLD, deletionTimestamp: at, deletionGracePeriodSeconds: 0 },
    );
  }
});

describe('when a node went', () => {
  const running = pod(
    'a',
    { nodeName: 'worker', phase: 'Running' },
    { creationTimestamp: start - 10 * MINUTE },
  );

  it('is not taken from an Event that is older than a pod on it: the node was there again since', () => {
    const { survey } = surveyed([running]);
    survey.learnRemovals(
      new Map([['worker', { first: start - 50 * MINUTE, last: start - 50 * MINUTE }]]),
      start,
    );
    const { due } = itemOf(survey, 'a', start);
    expect(due.when).toBe('at');
    if (due.when === 'at') expect(due.by).toBeGreaterThanOrEqual(start + 60_000);
  });

  it('is as long ago as the connection was lost, where it went meanwhile', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    apply([], start + 5 * SECOND, {
      connection: { state: 'lost', reason: 'reset', since: start + 5 * SECOND },
    });
    apply([gone(node('worker', true))], start + 50 * SECOND, { connection: { state: 'live' } });
    const { due } = itemOf(survey, 'a', start + 50 * SECOND);
    if (due.when !== 'at') throw new Error(due.when);
    // It may have gone 45 s ago, so that the next cycle may act.
    expect(due.from).toBeLessThanOrEqual(start + 51 * SECOND);
  });

  it('is no moment in the future where the clock here is behind that of the server', () => {
    const { survey } = surveyed([running]);
    survey.learnRemovals(
      new Map([
        ['worker', { first: start + 5 * MINUTE - 20 * SECOND, last: start + 5 * MINUTE - 20 * SECOND }],
      ]),
      start,
    );
    const { due, reason } = itemOf(survey, 'a', start);
    if (due.when !== 'at') throw new Error(due.when);
    expect(due.from).toBeLessThanOrEqual(due.by);
    if (reason.kind === 'NodeGone') expect(reason.removal.from).toBeLessThanOrEqual(reason.removal.by);
  });
});

describe('a clock five minutes ahead of the server’s', () => {
  it('makes nothing overdue that was deleted a moment ago', () => {
    const { survey, apply } = surveyed([]);
    const asked = pod(
      'never',
      { phase: 'Pending' },
      { deletionTimestamp: start - 5 * MINUTE, deletionGracePeriodSeconds: 0, finalizers: HOLD },
    );
    apply([upsert(asked)], start + SECOND);
    expect(itemOf(survey, 'never', start + SECOND).due.when).toBe('now');
  });
});

describe('after the connection was lost', () => {
  it('nothing is overdue at once: whoever lost the API server may be PodGC as well', () => {
    const running = pod('a', { nodeName: 'worker', phase: 'Running' });
    const { survey, apply } = surveyed([node('worker', true), running]);
    apply([gone(node('worker', true))], start + SECOND);
    apply([], start + 5 * SECOND, {
      connection: { state: 'lost', reason: 'reset', since: start + 5 * SECOND },
    });
    apply([], start + 5 * MINUTE, { connection: { state: 'live' } });
    expect(itemOf(survey, 'a', start + 5 * MINUTE).due.when).not.toBe('overdue');
  });
});

describe('what cannot be seen', () => {
  const blindNodes = {
    statuses: [{ type: types.node, state: 'blind', count: 0, facts: false, reason: '403' } as const],
  };
  const partialPods = {
    statuses: [{ type: types.pod, state: 'synced', count: 0, facts: true, namespaces: ['default'] } as const],
  };

  it('is not said to exist: a node', () => {
    const running = pod('a', { nodeName: 'worker', phase: 'Running' });
    const { survey, apply } = surveyed([running]);
    apply([], start, blindNodes);
    const outlook = survey.explain(running, start);
    expect(podGcWords.because(outlook)).not.toContain('exists');
  });

  it('may make a finished pod go that is not beyond the limit among those that are seen', () => {
    const done = pod('done', { nodeName: 'worker', phase: 'Succeeded' });
    const { survey, apply } = surveyed([node('worker', true), done], { threshold: 1 });
    apply([], start, partialPods);
    expect(podGcWords.because(survey.explain(done, start))).not.toBe(
      'finished, and not beyond the threshold',
    );
  });

  it('may go first: no pod is said to be number 1', () => {
    const pods = ['a', 'b'].map(name => pod(name, { nodeName: 'worker', phase: 'Succeeded' }));
    const { survey, apply } = surveyed([node('worker', true), ...pods], { threshold: 1 });
    apply([], start, partialPods);
    expect(podGcWords.because(itemOf(survey, 'a', start))).not.toBe(
      'number 1 of 1 finished pod beyond the threshold',
    );
  });
});

describe('the order', () => {
  it('is that of the server’s version also on nodes that are out of service', () => {
    const asked = { deletionTimestamp: start, deletionGracePeriodSeconds: 30, finalizers: HOLD };
    const old = pod('old', { nodeName: 'off', phase: 'Running' }, { ...asked, creationTimestamp: 1_000 });
    const evicted = pod(
      'evicted',
      { nodeName: 'off', phase: 'Failed', reason: 'Evicted' },
      { ...asked, creationTimestamp: 9_000 },
    );
    const { view, survey } = surveyed([node('off', false, outOfService), evicted, old]);
    view.settings = { serverVersion: 'v1.26.15', terminatedPodGcThreshold: undefined };
    expect(survey.items(start).map(({ pod: each }) => each.name)).toEqual(['old', 'evicted']);
  });

  it('leaves open which of two pods goes that were made in the same second under the same name', () => {
    const twin = (namespace: string) =>
      pod(
        'report-0',
        { nodeName: 'worker', phase: 'Succeeded' },
        { namespace, uid: `uid-${namespace}` as never },
      );
    const { survey } = surveyed([node('worker', true), twin('a'), twin('b')], { threshold: 1 });
    // PodGC's sort isn't stable and looks at no namespace: each may be the one.
    const told = survey.items(start).map(({ pod: { namespace } }) => namespace);
    expect(told).toEqual(['a', 'b']);
  });
});

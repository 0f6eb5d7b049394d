/** More of `truth.test.ts`: clocks, cycles that take long, and what looks like PodGC's work while nodes cannot be seen. */
import { describe, expect, it } from 'vitest';
import { type KubeObject, podFacts } from '../../src/model/object.ts';
import { ForceDeleteRequest } from '../../src/podgc/passes/force-delete.ts';
import { types } from '../graph/fixtures.ts';
import { node, pod } from './fixtures.ts';
import { gone, start, surveyed, upsert } from './survey-cluster.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOLD = ['example.com/hold'];

/** What the watch shows of PodGC's patch and of the end after it. */
function taken(each: KubeObject, at: number) {
  const facts = podFacts(each);
  const [patch] = ForceDeleteRequest.of(each, 'Orphaned');
  if (facts === undefined || patch?.verb !== 'patchStatus') return [gone(each)];
  const patched = pod(each.name, ForceDeleteRequest.patchedFacts(facts, patch), {
    deletionTimestamp: at,
    deletionGracePeriodSeconds: 0,
  });
  return [upsert(patched), gone(each)];
}

describe('cycles that take long', () => {
  // At its limit a busy cluster has PodGC delete finished pods in every cycle, at the rate of its client.
  it('are not taken for cycles of 20 s: a node goes minutes after PodGC was seen at work', () => {
    const early = pod('early', { nodeName: 'first', phase: 'Running' });
    const late = pod('late', { nodeName: 'second', phase: 'Running' });
    const { survey, apply } = surveyed([node('first', true), node('second', true), early, late], {
      threshold: 1,
    });
    const finished: KubeObject[] = [];
    let made = 0;
    const queue: { readonly at: number; readonly changes: Parameters<typeof apply>[0] }[] = [];
    const missedAt = new Map<string, number>();
    const lostNodes = new Set<string>();
    let lateActAt: number | undefined;
    let nextCycle = start + 7 * SECOND;
    const said: { readonly asked: number; readonly from: number; readonly by: number }[] = [];
    const live = new Map<string, KubeObject>([
      ['first', early],
      ['second', late],
    ]);
    for (let now = start; lateActAt === undefined || now <= lateActAt; now += SECOND) {
      if (now === start + 5 * SECOND || now === start + 310 * SECOND) {
        const name = now < start + MINUTE ? 'first' : 'second';
        lostNodes.add(name);
        apply([gone(node(name, true))], now);
      }
      // Seven a second finish.
      const fresh = Array.from({ length: 7 }, () =>
        pod(
          `done-${made++}`,
          { nodeName: 'third', phase: 'Succeeded' },
          { creationTimestamp: made * SECOND },
        ),
      );
      finished.push(...fresh);
      apply([upsert(node('third', true)), ...fresh.map(upsert)], now);
      if (now >= nextCycle) {
        const surplus = finished.splice(0, finished.length - 1);
        let sent = 0;
        const sendAt = () => now + Math.ceil(Math.max(0, ++sent - 30) / 20) * SECOND;
        for (const each of surplus) queue.push({ at: sendAt(), changes: [gone(each)] });
        for (const name of lostNodes) {
          const missed = missedAt.get(name);
          if (missed === undefined) missedAt.set(name, now);
          else if (now >= missed + 40 * SECOND && live.has(name)) {
            const each = live.get(name) as KubeObject;
            live.delete(name);
            const at = sendAt();
            sent += 1;
            if (name === 'second') lateActAt = at;
            queue.push({ at, changes: taken(each, at) });
          }
        }
        nextCycle = sendAt() + 20 * SECOND;
      }
      for (const { changes } of queue.filter(({ at }) => at === now)) apply(changes, now);
      const item = survey.items(now).find(({ pod: each }) => each.name === 'late');
      if (item?.due.when === 'overdue') throw new Error(`overdue at ${(now - start) / SECOND}`);
      if (item?.due.when === 'at') said.push({ asked: now, from: item.due.from, by: item.due.by });
    }
    const act = lateActAt;
    expect(said.length).toBeGreaterThan(40);
    const seconds = (at: number) => (at - start) / SECOND;
    const wrong = said
      .filter(({ from, by }) => act < from - SECOND || act > by + SECOND)
      .map(
        ({ asked, from, by }) => `${seconds(asked)}: ${seconds(from)} to ${seconds(by)}, was ${seconds(act)}`,
      );
    expect(wrong).toEqual([]);
  });

  it('leave room for a quarantine that the third cycle finds not quite over, so that the fourth acts', () => {
    const running = pod('a', { nodeName: 'worker', phase: 'Running' });
    const { survey, apply } = surveyed([node('worker', true), running]);
    apply([gone(node('worker', true))], start);
    const [item] = survey.items(start);
    if (item?.due.when !== 'at') throw new Error('it is due at a time');
    // Missed 20 s after it went, and taken in the third cycle after that one.
    expect(item.due.by).toBeGreaterThanOrEqual(start + 80 * SECOND);
  });
});

describe('clocks that differ', () => {
  const running = pod('a', { nodeName: 'worker', phase: 'Running' }, { creationTimestamp: start - MINUTE });

  it('behind the server’s: an Event of the future tells nothing of how long ago it was', () => {
    const { survey } = surveyed([running]);
    const at = start + 4.5 * MINUTE;
    survey.learnRemovals(new Map([['worker', { first: at, last: at }]]), start);
    const [item] = survey.items(start);
    if (item?.due.when !== 'at') throw new Error('it is due at a time');
    // It may have been 60 s ago.
    expect(item.due.from).toBeLessThanOrEqual(start + SECOND);
  });
});

describe('an end that a kubelet reports', () => {
  const asked = { deletionTimestamp: start + 30 * SECOND, deletionGracePeriodSeconds: 30, finalizers: HOLD };

  it('is no act of PodGC where nodes cannot be seen', () => {
    const ending = pod('ending', { nodeName: 'worker', phase: 'Running' }, asked);
    const never = pod('never', { phase: 'Pending' });
    const { survey, apply } = surveyed([ending, never]);
    apply([], start, {
      statuses: [{ type: types.node, state: 'blind', count: 0, facts: false, reason: '403' }],
    });
    apply(
      [
        upsert(
          pod('ending', { nodeName: 'worker', phase: 'Failed' }, { ...asked, deletionGracePeriodSeconds: 0 }),
        ),
      ],
      start + 3 * SECOND,
    );
    const deleted = {
      deletionTimestamp: start + 5 * SECOND,
      deletionGracePeriodSeconds: 0,
      finalizers: HOLD,
    };
    apply([upsert(pod('never', { phase: 'Pending' }, deleted))], start + 5 * SECOND);
    const item = survey.items(start + 5 * SECOND).find(({ pod: each }) => each.name === 'never');
    expect(item?.due).toEqual({ when: 'now', by: start + 26 * SECOND });
  });
});

describe('a node that came and went unseen', () => {
  const running = pod('a', { nodeName: 'worker', phase: 'Running' });

  it('may have gone a second time while the connection was lost, so that its quarantine began then', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    apply([gone(node('worker', true))], start);
    apply([], start + 5 * SECOND, {
      connection: { state: 'lost', reason: 'reset', since: start + 5 * SECOND },
    });
    apply([], start + 100 * SECOND, { connection: { state: 'live' } });
    const [item] = survey.items(start + 100 * SECOND);
    // PodGC would have taken its pod long ago.
    if (item?.due.when !== 'at') throw new Error('it is due at a time');
    expect(item.due.by).toBeGreaterThanOrEqual(start + 160 * SECOND);
  });

  it('was missed before it was registered anew, where a pod on it is older than that', () => {
    const anew = node('worker', true);
    const { survey, apply } = surveyed([
      { ...anew, creationTimestamp: start - 10 * SECOND } as KubeObject,
      pod('a', { nodeName: 'worker', phase: 'Running' }, { creationTimestamp: start - 10 * MINUTE }),
    ]);
    apply([gone(anew)], start + 20 * SECOND);
    const [item] = survey.items(start + 20 * SECOND);
    if (item?.due.when !== 'at') throw new Error('it is due at a time');
    // Missed at -15 s, say, its quarantine ends at 25 s.
    expect(item.due.from).toBeLessThanOrEqual(start + 25 * SECOND);
  });
});

/**
 * PodGC as the tool foretells it and as a real kube-controller-manager does it: one run, in which every rule has pods
 * to take and pods that only look like them. What was said beforehand is held to what then happens.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../src/documents/plan.ts';
import type { PodGcCandidateDocument } from '../../src/documents/podgc.ts';
import type { PodEvent } from './pod-log.ts';
import {
  type Answer,
  HOLD,
  isFailed,
  PodGcStory,
  type Said as SaidOf,
  SECOND,
  THRESHOLD,
} from './podgc-story.ts';

type Said = SaidOf<Answer>;

const CYCLE = 20 * SECOND;
/** Times in documents are whole seconds, and watches take a moment. */
const ROUNDED = 2 * SECOND;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('PodGC, as foretold', () => {
  let story: PodGcStory;
  let log: PodGcStory['log'];
  let cycles: readonly number[];
  let lost: Said;
  let tainted: Said;
  let ended: Said;
  let late: Said;

  beforeAll(async () => {
    story = await PodGcStory.play();
    ({ log, cycles } = story);
    const at = (moment: string): Said => {
      const said = story.said.get(moment);
      if (said === undefined) throw new Error(`nothing was said when it was ${moment}`);
      return said;
    };
    [lost, tainted, ended, late] = [at('lost'), at('tainted'), at('ended'), at('late')];
  });
  afterAll(async () => {
    await story?.stop();
  });

  const watched = (): readonly Answer[] => story.watched();
  const takenAt = ({ basis }: Answer): number => Date.parse(basis.takenAt);
  const item = ({ answer }: Said, name: string): PodGcCandidateDocument | undefined =>
    answer.items.find(({ pod }) => pod.name === name);
  const due = ({ answer }: Said): PodGcCandidateDocument[] => answer.items.filter(each => each.due !== 'no');
  const names = (items: readonly PodGcCandidateDocument[]): string[] => items.map(({ pod }) => pod.name);

  /** When PodGC acted on a pod: the patch of its status, or where it had finished the deletion. */
  function actOn(name: string, said: Said): PodEvent | undefined {
    const before = log.of(name).findLast(({ at }) => at <= said.asked);
    const wasFinished = before?.phase === 'Failed' || before?.phase === 'Succeeded';
    return log.first(
      name,
      event => event.at > said.asked && (wasFinished ? event.deleting : event.phase === 'Failed'),
    );
  }

  function expectOnTime(said: Said, name: string): void {
    const { dueAt, dueBy } = item(said, name) ?? {};
    const at = actOn(name, said)?.at ?? Number.NaN;
    expect(Date.parse(dueBy ?? ''), `${name} is taken at the latest by`).toBeGreaterThanOrEqual(at - ROUNDED);
    if (dueAt === undefined) expect(at - said.asked, `${name} is taken within`).toBeLessThan(CYCLE + ROUNDED);
    else expect(Math.abs(Date.parse(dueAt) - at), `${name} is taken around`).toBeLessThanOrEqual(CYCLE);
  }

  it('is told before it happens', () => {
    const [first = 0, second = 0, third = 0] = cycles;
    expect(Date.parse(lost.answer.basis.takenAt)).toBeLessThan(third - CYCLE);
    expect(Date.parse(tainted.answer.basis.takenAt)).toBeLessThan(second);
    expect(Date.parse(late.answer.basis.takenAt)).toBeLessThan(third);
    // Cycles follow each other as the estimates have it.
    for (const length of [second - first, third - second]) {
      expect(length).toBeGreaterThan(CYCLE - SECOND);
      expect(length).toBeLessThan(CYCLE + 2 * SECOND);
    }
  });

  describe('a node deleted under running pods', () => {
    const pods = ['gone-a', 'gone-b', 'gone-held'];

    it('has its pods named, with the condition they get and what holds them', () => {
      for (const name of pods) {
        expect(item(lost, name)).toMatchObject({
          node: { kind: 'Node', name: 'node-1' },
          rule: 'Orphaned',
          due: 'at',
          conditionAdded: 'DisruptionTarget',
          heldBy: name === 'gone-held' ? [HOLD] : [],
        });
      }
    });

    it.each(pods)('%s is taken at the time that was told', name => {
      for (const said of [lost, tainted, ended, late]) expectOnTime(said, name);
      expect(actOn(name, lost)?.conditions).toContain('DisruptionTarget/DeletionByPodGC');
    });

    it('has its pods left alone where it comes back in time', () => {
      expect(item(lost, 'back')).toMatchObject({ rule: 'Orphaned', due: 'at' });
      for (const said of [tainted, ended, late]) expect(item(said, 'back')).toBeUndefined();
      expect(log.isGone('back')).toBe(false);
      expect(log.of('back').some(isFailed)).toBe(false);
    });

    it('is not believed to be gone before 40 seconds are over', () => {
      const [first = 0, , third = 0] = cycles;
      expect(third - first).toBeGreaterThan(2 * CYCLE - SECOND);
    });
  });

  describe('a node that stops with terminating pods', () => {
    it('keeps them until it is tainted', () => {
      for (const name of ['node-2-deleting', 'node-2-held', 'node-3-deleting', 'node-3-held']) {
        expect(item(lost, name)).toMatchObject({ rule: 'OutOfService', due: 'no' });
        expect(item(lost, name)?.because).toContain('not tainted out-of-service');
      }
    });

    it('has those named that the taint would evict besides', () => {
      const node = lost.answer.nodes.find(each => each.node.name === 'node-2');
      expect(node).toMatchObject({ state: 'NotReady', pods: 4, deleting: 2 });
      expect(node?.evictable?.map(({ name }) => name)).toEqual(['node-2-live']);
    });

    it('has its deleting pods named once it is tainted, those that the taint evicted among them', () => {
      const pods = due(tainted).filter(({ rule }) => rule === 'OutOfService');
      expect(names(pods).sort()).toEqual(['node-2-deleting', 'node-2-held', 'node-2-live']);
      for (const pod of pods) expect(pod).toMatchObject({ due: 'now', node: { name: 'node-2' } });
    });

    it.each(['node-2-deleting', 'node-2-held', 'node-2-live'])('%s is taken in the next cycle', name => {
      expectOnTime(tainted, name);
      expect(actOn(name, tainted)?.conditions).not.toContain('DisruptionTarget/DeletionByPodGC');
      expect(log.isGone(name)).toBe(name !== 'node-2-held');
    });
  });

  describe('a pod deleted before it was scheduled', () => {
    it('is named while a finalizer holds it, and taken in the next cycle', () => {
      expect(item(tainted, 'never-held')).toMatchObject({
        rule: 'UnscheduledTerminating',
        due: 'now',
        heldBy: [HOLD],
      });
      expect(item(tainted, 'never-held')).not.toHaveProperty('node');
      expectOnTime(tainted, 'never-held');
    });

    it('needs no PodGC where nothing holds it', () => {
      expect(item(tainted, 'never-free')).toBeUndefined();
      expect(log.isGone('never-free')).toBe(true);
      expect(log.of('never-free').some(isFailed)).toBe(false);
    });
  });

  describe('more finished pods than the threshold', () => {
    const terminated = (said: Said): PodGcCandidateDocument[] =>
      due(said).filter(({ rule }) => rule === 'Terminated');
    const free = ({ heldBy }: PodGcCandidateDocument): boolean => heldBy.length === 0;

    it('are counted, those that PodGC has marked and finalizers hold among them', () => {
      expect(tainted.answer).toMatchObject({ threshold: THRESHOLD, thresholdAssumed: false });
      // Four that are done, two that were evicted, and the one that the first cycle marked.
      expect(tainted.answer.terminatedPods).toBe(7);
      expect(ended.answer.terminatedPods).toBe(7);
      expect(late.answer.terminatedPods).toBe(8);
    });

    it('go evicted ones first', () => {
      expect(names(terminated(tainted).filter(free))).toEqual(['evicted-a', 'evicted-b']);
      for (const name of ['evicted-a', 'evicted-b']) {
        expectOnTime(tainted, name);
        expect(log.isGone(name)).toBe(true);
      }
    });

    it('then stay while those beyond the threshold are ones that finalizers hold', () => {
      expect(terminated(ended).filter(free)).toEqual([]);
    });

    it('then go the oldest first', () => {
      expect(names(terminated(late).filter(free))).toEqual(['done-z']);
      expectOnTime(late, 'done-z');
      expect(log.isGone('done-z')).toBe(true);
      for (const name of ['done-a', 'done-b', 'done-c', 'done-late']) expect(log.isGone(name)).toBe(false);
    });

    it('are measured by the default where nobody says what the threshold is', async () => {
      const { answer } = await story.document<Answer>(['podgc', '-A']);
      expect(answer).toMatchObject({ threshold: 12_500, thresholdAssumed: true });
      expect(answer.items.some(({ rule, due: when }) => rule === 'Terminated' && when !== 'no')).toBe(false);
    });
  });

  describe('pods that look alike', () => {
    it.each([
      ['node-3-deleting', 'not ready, but not tainted out-of-service'],
      ['node-3-held', 'not ready, but not tainted out-of-service'],
      ['node-4-held', 'tainted out-of-service, but ready'],
      ['node-2-tolerant', 'not being deleted'],
    ])('%s is told apart, and stays', (name, because) => {
      expect(item(tainted, name)).toMatchObject({ due: 'no' });
      expect(item(tainted, name)?.because).toContain(because);
      expect(log.isGone(name)).toBe(false);
      expect(log.of(name).some(isFailed)).toBe(false);
    });

    it('are not named where there is nothing to tell', () => {
      for (const said of [lost, tainted, ended, late]) {
        for (const name of ['node-3-live', 'never-live', 'done-c']) {
          expect(item(said, name)?.due ?? 'no').toBe('no');
        }
      }
    });
  });

  describe('told live', () => {
    const taken = [
      'gone-a',
      'gone-b',
      'gone-held',
      'node-2-deleting',
      'node-2-live',
      'never-held',
      'evicted-a',
      'done-z',
    ];

    it.each(taken)('%s is named until PodGC takes it, and never for a time that is too early', name => {
      const act = actOn(name, tainted)?.at ?? Number.NaN;
      const before = watched().filter(answer => takenAt(answer) < act - SECOND);
      const named = before.flatMap(({ items }) =>
        items.filter(({ pod, due: when }) => pod.name === name && when !== 'no'),
      );
      expect(before.at(-1)?.items.find(({ pod }) => pod.name === name)?.due).toMatch(/now|at/u);
      for (const { dueBy } of named) expect(Date.parse(dueBy ?? '')).toBeGreaterThanOrEqual(act - ROUNDED);
    });

    it('counts down more exactly once PodGC was seen to act', () => {
      const act = actOn('gone-a', tainted)?.at ?? Number.NaN;
      const [, second = 0] = cycles;
      const between = watched().filter(
        answer => takenAt(answer) > second + SECOND && takenAt(answer) < act - SECOND,
      );
      expect(between.length).toBeGreaterThan(0);
      for (const { items } of between) {
        const { dueAt } = items.find(({ pod }) => pod.name === 'gone-a') ?? {};
        expect(Math.abs(Date.parse(dueAt ?? '') - act)).toBeLessThan(5 * SECOND);
      }
    });

    it('names nothing for which nobody comes', () => {
      const end = log.of('gone-b').at(-1)?.at ?? 0;
      for (const answer of watched()) {
        for (const { pod, due: when, dueBy } of answer.items) {
          if (when === 'no' || Date.parse(dueBy ?? '') > end) continue;
          const before = log.of(pod.name).findLast(({ at }) => at <= takenAt(answer));
          // What finalizers hold is tried again in each cycle, which changes nothing that could be seen.
          if (before?.deleting === true && isFailed(before)) continue;
          // Its node came back later.
          if (pod.name === 'back' && takenAt(answer) < tainted.asked) continue;
          expect(
            actOn(pod.name, { asked: takenAt(answer), answer }),
            `${pod.name} by ${dueBy}`,
          ).toBeDefined();
        }
      }
    });
  });

  describe('on the screen', () => {
    const rowsOf = (moment: string): readonly string[] => story.shown.get(moment)?.rows ?? [];
    const rowOf = (moment: string, name: string): string =>
      rowsOf(moment).find(row => row.includes(`default/${name} `)) ?? '';

    it('stands under its rule', () => {
      const rows = rowsOf('tainted').map(row => row.split('│')[0] ?? '');
      const rules = rows.flatMap(
        row => /(Terminated|OutOfService|Orphaned|UnscheduledTerminating|Not taken) \(/u.exec(row)?.[1] ?? [],
      );
      expect(rules).toEqual([
        'Terminated',
        'OutOfService',
        'Orphaned',
        'UnscheduledTerminating',
        'Not taken',
      ]);
      expect(rowOf('lost', 'node-3-held')).toContain('not tainted out-of-service');
      expect(rowOf('tainted', 'node-4-held')).toContain('but ready');
    });

    it.each([
      ['lost', 'gone-a'],
      ['tainted', 'gone-a'],
      ['tainted', 'node-2-live'],
      ['tainted', 'evicted-b'],
      ['late', 'done-z'],
      ['late', 'gone-held'],
    ])('when it is %s, counts down to when %s is taken', (moment, name) => {
      const { at = 0 } = story.shown.get(moment) ?? {};
      const act = log.first(
        name,
        event =>
          event.at > at &&
          (event.deleting || isFailed(event)) &&
          !(name === 'node-2-live' && !isFailed(event)),
      );
      const [, limit, seconds] = / in (<|~)?(\d+)s /u.exec(rowOf(moment, name)) ?? [];
      const wait = (act?.at ?? Number.NaN) - at;
      expect(wait - Number(seconds) * SECOND).toBeLessThan(limit === '<' ? ROUNDED : CYCLE);
      expect(Number(seconds) * SECOND - wait).toBeLessThan(CYCLE + ROUNDED);
    });

    it('goes when it is taken', () => {
      expect(rowsOf('late').join('\n')).toContain('done-z');
      expect(rowsOf('over').join('\n')).not.toMatch(/gone-a|gone-b|done-z|node-2-deleting/u);
      expect(rowOf('over', 'node-3-deleting')).toContain('not tainted out-of-service');
    });
  });

  describe('in the forecast of an action on a node', () => {
    const fates = (node: string): Record<string, string> => {
      const { nodePods = [] } = planOf(node).answer;
      return Object.fromEntries(nodePods.map(({ pod, fate }) => [pod.name, fate]));
    };
    const planOf = (node: string): SaidOf<PlanDocument> => {
      const plan = story.planned.get(node);
      if (plan === undefined) throw new Error(`nothing was foretold of ${node}`);
      return plan;
    };

    it('plan delete node: every pod meets the fate that was foretold', () => {
      expect(fates('node-1')).toEqual({
        'gone-a': 'Deleted',
        'gone-b': 'Deleted',
        'gone-held': 'Terminating',
      });
      for (const [name, fate] of Object.entries(fates('node-1')))
        expect(log.isGone(name)).toBe(fate === 'Deleted');
    });

    it('plan taint node out-of-service: every pod meets the fate that was foretold', () => {
      expect(fates('node-2')).toEqual({
        'node-2-deleting': 'Deleted',
        'node-2-held': 'Terminating',
        'node-2-live': 'Deleted',
        'node-2-tolerant': 'Stays',
      });
      for (const [name, fate] of Object.entries(fates('node-2')))
        expect(log.isGone(name)).toBe(fate === 'Deleted');
    });

    it.each(['node-1', 'node-2'])('%s: within the time that was foretold, from the action on', node => {
      const { asked, answer } = planOf(node);
      for (const { pod, fate, earliest, latest } of answer.nodePods ?? []) {
        if (fate === 'Stays') continue;
        const act = log.first(pod.name, event => event.at > asked && isFailed(event))?.at ?? Number.NaN;
        // The action came later than its forecast: what it began can be no earlier, and so much later.
        const begun = node === 'node-1' ? lost.asked : tainted.asked;
        expect(act, `${pod.name} from`).toBeGreaterThan(Date.parse(earliest ?? '') - ROUNDED);
        expect(act, `${pod.name} to`).toBeLessThan(Date.parse(latest ?? '') + (begun - asked) + ROUNDED);
      }
    });
  });

  it('takes the passes in the order in which they are named', () => {
    const order = due(tainted)
      .filter(each => each.due === 'now')
      .map(({ rule }) => rule);
    expect([...new Set(order)]).toEqual(['Terminated', 'OutOfService', 'UnscheduledTerminating']);
    const versions = (...pods: readonly string[]): number[] =>
      pods.map(name => actOn(name, tainted)?.version ?? Number.NaN);
    const evicted = versions('evicted-a', 'evicted-b');
    const outOfService = versions('node-2-deleting', 'node-2-held', 'node-2-live');
    expect(Math.max(...evicted)).toBeLessThan(Math.min(...outOfService));
    expect(Math.max(...outOfService)).toBeLessThan(Math.min(...versions('never-held')));
  });

  it('does nothing else', () => {
    const taken = log
      .names()
      .filter(
        name => log.isGone(name) && log.of(name).at(-1)!.at > (cycles[0] ?? 0) && name !== 'never-free',
      );
    const named = [lost, tainted, ended, late].flatMap(said => names(due(said)));
    expect(taken.filter(name => !named.includes(name))).toEqual([]);
    expect(taken.sort()).toEqual(
      ['done-z', 'evicted-a', 'evicted-b', 'gone-a', 'gone-b', 'node-2-deleting', 'node-2-live'].sort(),
    );
  });
});

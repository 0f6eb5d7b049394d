/** Whom PodGC deletes first: pods beyond the threshold, and the passes among each other, as a real one took them. */
import { describe, expect, it } from 'vitest';
import type { PodGCCandidate } from '../../../src/cli/documents/definitions.ts';
import { type Answer, THRESHOLD } from './story.ts';
import { due, names, type Said, type Told } from './told.ts';

export function orderIsKept(told: Told): void {
  describe('more finished pods than the threshold', () => {
    const terminated = (said: Said): PodGCCandidate[] =>
      due(said).filter(({ rule }) => rule === 'Terminated');
    const free = ({ heldBy }: PodGCCandidate): boolean => heldBy.length === 0;

    it('are counted, those that PodGC has marked and finalizers hold among them', () => {
      expect(told.tainted.answer).toMatchObject({ threshold: THRESHOLD, thresholdAssumed: false });
      // Four that are done, two that were evicted, and the one that the first cycle marked.
      expect(told.tainted.answer.terminatedPods).toBe(7);
      expect(told.ended.answer.terminatedPods).toBe(7);
      expect(told.late.answer.terminatedPods).toBe(8);
    });

    it('go evicted ones first', () => {
      expect(names(terminated(told.tainted).filter(free))).toEqual(['evicted-a', 'evicted-b']);
      for (const name of ['evicted-a', 'evicted-b']) {
        told.expectOnTime(told.tainted, name);
        expect(told.log.isGone(name)).toBe(true);
      }
    });

    it('then stay while those beyond the threshold are ones that finalizers hold', () => {
      expect(terminated(told.ended).filter(free)).toEqual([]);
    });

    it('then go the oldest first', () => {
      expect(names(terminated(told.late).filter(free))).toEqual(['done-z']);
      told.expectOnTime(told.late, 'done-z');
      expect(told.log.isGone('done-z')).toBe(true);
      for (const name of ['done-a', 'done-b', 'done-c', 'done-late'])
        expect(told.log.isGone(name)).toBe(false);
    });

    it('are measured by the default where nobody says what the threshold is', async () => {
      const { answer } = await told.story.document<Answer>(['podgc', '-A']);
      expect(answer).toMatchObject({ threshold: 12_500, thresholdAssumed: true });
      expect(answer.items.some(({ rule, due: when }) => rule === 'Terminated' && when !== 'no')).toBe(false);
    });
  });

  it('takes the passes in the order in which they are named', () => {
    const order = due(told.tainted)
      .filter(each => each.due === 'now')
      .map(({ rule }) => rule);
    expect([...new Set(order)]).toEqual(['Terminated', 'OutOfService', 'UnscheduledTerminating']);
    const versions = (...pods: readonly string[]): number[] =>
      pods.map(name => told.actOn(name, told.tainted)?.version ?? Number.NaN);
    const evicted = versions('evicted-a', 'evicted-b');
    const outOfService = versions('node-2-deleting', 'node-2-held', 'node-2-live');
    expect(Math.max(...evicted)).toBeLessThan(Math.min(...outOfService));
    expect(Math.max(...outOfService)).toBeLessThan(Math.min(...versions('never-held')));
  });
}

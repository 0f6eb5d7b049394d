/** When PodGC is said to come, live and from moment to moment: held to when a real one came. */
import { describe, expect, it } from 'vitest';
import { type Answer, isFailed, SECOND } from './story.ts';
import { CYCLE, type Told } from './told.ts';

const takenAt = ({ basis }: Answer): number => Date.parse(basis.takenAt);

export function timesAreTold(told: Told): void {
  it('is told before it happens', () => {
    const [first = 0, second = 0, third = 0] = told.cycles;
    expect(takenAt(told.lost.answer)).toBeLessThan(third - CYCLE);
    expect(takenAt(told.tainted.answer)).toBeLessThan(second);
    expect(takenAt(told.late.answer)).toBeLessThan(third);
    // Cycles follow each other as the estimates have it.
    for (const length of [second - first, third - second]) {
      expect(length).toBeGreaterThan(CYCLE - told.slack / 2);
      expect(length).toBeLessThan(CYCLE + told.slack);
    }
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

    it.each(taken)('%s is named until PodGC deletes it, and never for a time that is too early', name => {
      const act = told.actOn(name, told.tainted)?.at ?? Number.NaN;
      const before = told.story.watched().filter(answer => takenAt(answer) < act - SECOND);
      const named = before.flatMap(({ items }) =>
        items.filter(({ pod, due: when }) => pod.name === name && when !== 'no'),
      );
      expect(before.at(-1)?.items.find(({ pod }) => pod.name === name)?.due).toMatch(/now|at/u);
      for (const { dueBy } of named) expect(Date.parse(dueBy ?? '')).toBeGreaterThanOrEqual(act - told.slack);
    });

    it('counts down to a moment within a cycle of when PodGC comes', () => {
      const act = told.actOn('gone-a', told.tainted)?.at ?? Number.NaN;
      const [, second = 0] = told.cycles;
      const between = told.story
        .watched()
        .filter(answer => takenAt(answer) > second + SECOND && takenAt(answer) < act - SECOND);
      expect(between.length).toBeGreaterThan(0);
      for (const { items } of between) {
        const { dueAt } = items.find(({ pod }) => pod.name === 'gone-a') ?? {};
        expect(Math.abs(Date.parse(dueAt ?? '') - act)).toBeLessThanOrEqual(CYCLE + told.slack);
      }
    });

    it('names nothing for which nobody comes', () => {
      const end = told.log.of('gone-b').at(-1)?.at ?? 0;
      for (const answer of told.story.watched()) {
        for (const { pod, due: when, dueBy } of answer.items) {
          if (when === 'no' || Date.parse(dueBy ?? '') > end) continue;
          const before = told.log.of(pod.name).findLast(({ at }) => at <= takenAt(answer));
          // What finalizers hold is tried again in each cycle, which changes nothing that could be seen.
          if (before?.deleting === true && isFailed(before)) continue;
          // Its node came back later.
          if (pod.name === 'back' && takenAt(answer) < told.tainted.asked) continue;
          expect(
            told.actOn(pod.name, { asked: takenAt(answer), answer }),
            `${pod.name} by ${dueBy}`,
          ).toBeDefined();
        }
      }
    });
  });
}

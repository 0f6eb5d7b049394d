/** The PodGC view of the screen while a real PodGC works. */
import { describe, expect, it } from 'vitest';
import { isFailed, SECOND } from './story.ts';
import { CYCLE, type Told } from './told.ts';

export function screenShows(told: Told): void {
  describe('on the screen', () => {
    const rowsOf = (moment: string): readonly string[] => told.story.shown.get(moment)?.rows ?? [];
    const rowOf = (moment: string, name: string): string =>
      rowsOf(moment).find(row => row.includes(`default/${name} `)) ?? '';

    it('stands under its rule', () => {
      const rows = rowsOf('tainted').map(row => row.split('│')[0] ?? '');
      const rules = rows.flatMap(
        row =>
          /(Terminated|OutOfService|Orphaned|UnscheduledTerminating|Not deleted) \(/u.exec(row)?.[1] ?? [],
      );
      expect(rules).toEqual([
        'Terminated',
        'OutOfService',
        'Orphaned',
        'UnscheduledTerminating',
        'Not deleted',
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
      const { at = 0 } = told.story.shown.get(moment) ?? {};
      const act = told.log.first(
        name,
        event =>
          event.at > at &&
          (event.deleting || isFailed(event)) &&
          !(name === 'node-2-live' && !isFailed(event)),
      );
      const [, limit, seconds] = / in (<|~)?(\d+)s /u.exec(rowOf(moment, name)) ?? [];
      const wait = (act?.at ?? Number.NaN) - at;
      expect(wait - Number(seconds) * SECOND).toBeLessThan(limit === '<' ? told.slack : CYCLE + told.slack);
      expect(Number(seconds) * SECOND - wait).toBeLessThan(CYCLE + told.slack);
    });

    it('goes when it is taken', () => {
      expect(rowsOf('late').join('\n')).toContain('done-z');
      expect(rowsOf('over').join('\n')).not.toMatch(/gone-a|gone-b|done-z|node-2-deleting/u);
      expect(rowOf('over', 'node-3-deleting')).toContain('not tainted out-of-service');
    });
  });
}

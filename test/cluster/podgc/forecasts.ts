/** What `plan` foretells of an action on a node: held to what became of its pods after the action was taken. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import { isFailed, type Said } from './story.ts';
import type { Told } from './told.ts';

export function forecastsComeTrue(told: Told): void {
  describe('in the forecast of an action on a node', () => {
    const planOf = (node: string): Said<Plan> => {
      const plan = told.story.planned.get(node);
      if (plan === undefined) throw new Error(`nothing was foretold of ${node}`);
      return plan;
    };
    const fates = (node: string): Record<string, string> => {
      const { nodePods = [] } = planOf(node).answer;
      return Object.fromEntries(nodePods.map(({ pod, fate }) => [pod.name, fate]));
    };

    it('plan delete node: every pod meets the fate that was foretold', () => {
      expect(fates('node-1')).toEqual({
        'gone-a': 'Deleted',
        'gone-b': 'Deleted',
        'gone-held': 'Terminating',
      });
      for (const [name, fate] of Object.entries(fates('node-1')))
        expect(told.log.isGone(name)).toBe(fate === 'Deleted');
    });

    it('plan taint node out-of-service: every pod meets the fate that was foretold', () => {
      expect(fates('node-2')).toEqual({
        'node-2-deleting': 'Deleted',
        'node-2-held': 'Terminating',
        'node-2-live': 'Deleted',
        'node-2-tolerant': 'Stays',
      });
      for (const [name, fate] of Object.entries(fates('node-2')))
        expect(told.log.isGone(name)).toBe(fate === 'Deleted');
    });

    it.each(['node-1', 'node-2'])('%s: within the time that was foretold, from the action on', node => {
      const { asked, answer } = planOf(node);
      for (const { pod, fate, earliest, latest } of answer.nodePods ?? []) {
        if (fate === 'Stays') continue;
        const act = told.log.first(pod.name, event => event.at > asked && isFailed(event))?.at ?? Number.NaN;
        // The action came later than its forecast: what it began can be no earlier, and so much later.
        const begun = node === 'node-1' ? told.lost.asked : told.tainted.asked;
        expect(act, `${pod.name} from`).toBeGreaterThan(Date.parse(earliest ?? '') - told.slack);
        expect(act, `${pod.name} to`).toBeLessThan(Date.parse(latest ?? '') + (begun - asked) + told.slack);
      }
    });
  });
}

/** What a remedy frees waits for the next try of the garbage collector, which pauses longer after each failure. */
import { expect, test } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { outcomeWords } from '../../../src/text/actions/outcome.ts';
import { ActingWorld } from '../acting-world.ts';

const yaml = `
- {kind: ConfigMap, name: undecided, owners: [example.com/v1 Widget theme theme, v1 ConfigMap lost lost]}
`;

/** The reference that can't be resolved is taken off, after the collector has failed for a while: its pause is eleven minutes long by then. */
async function pruned(timeout: number): Promise<{ readonly ended: Ended; readonly text: string }> {
  const world = await ActingWorld.of(yaml);
  world.cluster.runFor(700_000);
  const prepared = world.unblock('undecided', 'prune-reference/theme');
  const ended = await actionRun.perform(prepared, world.ports({ timeout }));
  const lines = outcomeWords.lines(ended, { took: timeout, undo: undefined, followed: true });
  const text = [...lines].map(({ spans }) => spans.map(each => each.text).join('')).join('\n');
  return { ended, text };
}

test('after a minute it is not there yet, and why is said', async () => {
  const { ended, text } = await pruned(60_000);
  expect(ended.state).toBe('unfinished');
  expect(text).toMatch(/Not as forecast yet after 60s/u);
  expect(text).toContain('pauses longer after each failure, up to 1000 s');
});

test('within the longest pause it is as forecast', async () => {
  const { ended, text } = await pruned(1_100_000);
  expect(ended.state).toBe('reached');
  expect(text).not.toContain('pauses longer');
});

import { expect, test } from 'vitest';
import { verdictsIn } from './disagreements.ts';

/** `GC_TREE_VERDICTS=500 npx vitest run --project long-unit test/cli/verdicts` tries more. */
const CLUSTERS = Number(process.env['GC_TREE_VERDICTS'] ?? 24);

test('commands, scopes and the screen have one verdict on each object', {
  timeout: 60_000 * CLUSTERS,
}, async () => {
  const { disagreements, count } = await verdictsIn(13, CLUSTERS);
  expect(disagreements).toEqual([]);
  // Clusters that know one verdict alone would prove nothing.
  for (const verdict of ['deleted', 'handled', 'stuck'] as const)
    expect(count[verdict], verdict).toBeGreaterThan(CLUSTERS / 24);
});

test('a foreground deletion that its namespace ends is not called stuck', { timeout: 120_000 }, async () => {
  expect((await verdictsIn(66, 1)).disagreements).toEqual([]);
});

/** `GC_TREE_USES=300` plays that many worlds from the first seed, in place of 60; `GC_TREE_USES_SEED=7` that of one seed, or the first. */
import { expect, test } from 'vitest';
import { playUses } from '../../../conformance/uses/play.ts';

const FIRST_SEED = 39;
const given = process.env['GC_TREE_USES_SEED'];
const first = Number(given ?? FIRST_SEED);
const rounds = Number(process.env['GC_TREE_USES'] ?? (given === undefined ? 60 : 1));
const seeds = Array.from({ length: rounds }, (_, index) => first + index);

test(`what plan says breaks, breaks, and nothing else does, in ${rounds} random worlds from seed ${first}`, async () => {
  const say =
    process.env['GC_TREE_USES'] === undefined ? () => {} : (line: string): void => console.error(line);
  const played = await playUses({ seeds, say });
  const wrong = played.filter(each => each.predicted.join() !== each.actual.join());
  const described = wrong.map(({ world: { seed, targets }, predicted, actual, plan }) => ({
    seed,
    targets,
    predicted: predicted.filter(each => !actual.includes(each)),
    actual: actual.filter(each => !predicted.includes(each)),
    warnings: plan.warnings,
  }));
  expect(played).toHaveLength(rounds);
  expect(described).toEqual([]);
});

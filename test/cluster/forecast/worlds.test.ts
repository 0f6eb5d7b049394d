/**
 * `GC_TREE_WORLDS=1000` plays that many; `GC_TREE_WORLD_SEED=7` the one world of that seed, or the first of several, and
 * `GC_TREE_WORLD_SEED=7,30` these.
 */
import { expect, test } from 'vitest';
import { describeRound, diverges, tally } from '../../conformance/worlds/report.ts';
import { playWorlds } from '../../conformance/worlds/worlds.ts';

const given = process.env['GC_TREE_WORLD_SEED']?.split(',').map(Number) ?? [];
const [first = 20_261_123] = given;
const rounds = Number(process.env['GC_TREE_WORLDS'] ?? (given.length === 0 ? 30 : 1));
const seeds = given.length > 1 ? given : Array.from({ length: rounds }, (_, index) => first + index);

test(`${seeds.length} random worlds with handlers end as their plans say`, async () => {
  const say = seeds.length === 30 ? () => {} : (line: string): void => console.error(line);
  const played = await playWorlds({ seeds, say });
  say(JSON.stringify(tally(played), undefined, 2));
  // For whoever looks into why rounds are open.
  for (const round of played)
    if (Object.values(round.verdicts).some(({ is }) => is === 'open')) say(describeRound(round));
  const wrong = played.filter(diverges);
  expect(wrong.map(describeRound).join('\n')).toBe('');
}, 3_600_000);

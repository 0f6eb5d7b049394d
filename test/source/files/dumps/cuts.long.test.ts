/** Of a part of a dump nothing is said that the whole dump shows to be wrong. */
import { expect, test } from 'vitest';
import { arrive } from '../../../conformance/truth/state.ts';
import { truthScenario } from '../../../conformance/truth/worlds.ts';
import { newAlarms } from './judged.ts';
import { allLayouts, writeDump } from './written.ts';

const CUTS = 8;
const FROM = Number(process.env['GC_TREE_CUTS_FROM'] ?? 1);
const CLUSTERS = Number(process.env['GC_TREE_CUTS'] ?? 40);

test('random clusters written as dumps and cut down have no error or warning more', {
  timeout: 3_600_000,
}, async () => {
  const added: string[] = [];
  let alarms = 0;
  for (let seed = FROM; seed < FROM + CLUSTERS; seed++) {
    const { view, world } = await arrive(truthScenario(seed));
    const layout = allLayouts[seed % allLayouts.length]!;
    const { dump, folder } = writeDump(view, layout, world.now);
    const found = await newAlarms(dump, folder, { cuts: CUTS, seed });
    alarms += found.whole.size;
    added.push(...found.added.map(each => `${seed}, ${layout}, ${each}`));
  }
  expect(added).toEqual([]);
  // Clusters with nothing to say would prove nothing.
  expect(alarms).toBeGreaterThan(CLUSTERS / 2);
});

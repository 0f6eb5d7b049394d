/** Of a dump whose uids or dates somebody altered, or that is mixed with an older one, nothing is said that isn't so. */
import { expect, test } from 'vitest';
import { arrive } from '../../../conformance/truth/state.ts';
import { truthScenario } from '../../../conformance/truth/worlds.ts';
import { read } from '../reading.ts';
import { maskUids, withLease, writeFolder } from './altered.ts';
import type { Dump } from './dump.ts';
import { alarmsIn, moreIn } from './judged.ts';
import { type Layout, writeDump } from './written.ts';

const FROM = Number(process.env['GC_TREE_CUTS_FROM'] ?? 1);
const CLUSTERS = Number(process.env['GC_TREE_CUTS'] ?? 16);
const timeout = 3_600_000;
/** Those with lists, which can be of two moments. */
const layouts: readonly Layout[] = ['one list', 'a list by kind', 'cluster-info dump'];

interface Taken {
  readonly seed: number;
  readonly dump: Dump;
  readonly now: number;
}

async function take(seed: number, steps = Infinity): Promise<Taken> {
  const scenario = truthScenario(seed);
  const { view, world } = await arrive(
    { ...scenario, steps: scenario.steps.slice(0, steps) },
    steps === Infinity ? undefined : 0,
  );
  const { dump } = writeDump(view, layouts[seed % layouts.length]!, world.now);
  return { seed, dump, now: world.now };
}

const seeds = Array.from({ length: CLUSTERS }, (_, index) => FROM + index);

async function count(folder: string): Promise<number> {
  return [...(await read([folder])).view.graph.nodes()].filter(({ virtual }) => !virtual).length;
}

test('with masked or repeated uids they hold as many objects, and no error or warning more', {
  timeout,
}, async () => {
  const wrong: string[] = [];
  for (const seed of seeds) {
    const { dump, now } = await take(seed);
    const [whole, masked] = [dump, maskUids(dump, seed)].map(each => writeFolder({ '.': each }, now));
    if ((await count(whole!)) !== (await count(masked!))) wrong.push(`${seed}: objects are lost`);
    wrong.push(...moreIn(await alarmsIn(masked!), await alarmsIn(whole!)).map(each => `${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
});

test('whatever the date of the files is, the same is said', { timeout }, async () => {
  const wrong: string[] = [];
  for (const seed of seeds) {
    const { dump, now } = await take(seed);
    const leased = withLease(dump, now);
    const whole = await alarmsIn(writeFolder({ '.': leased }, now));
    for (const at of [1_000, now - 86_400_000, now + 86_400_000]) {
      const found = await alarmsIn(writeFolder({ '.': leased }, at));
      wrong.push(...moreIn(found, whole).map(each => `${seed}, ${at}: more: ${each}`));
      wrong.push(...moreIn(whole, found).map(each => `${seed}, ${at}: less: ${each}`));
    }
  }
  expect(wrong).toEqual([]);
});

test('beside one of an earlier moment no error or warning is added', { timeout }, async () => {
  const wrong: string[] = [];
  let mixed = 0;
  for (const seed of seeds) {
    const late = await take(seed);
    const early = await take(seed, Math.ceil(truthScenario(seed).steps.length / 2));
    const files = { early: early.dump, late: late.dump };
    const whole = await alarmsIn(writeFolder({ late: late.dump }, late.now));
    const folder = writeFolder(files, late.now);
    const { source } = await read([folder]);
    if ((source.warnings ?? []).every(each => !each.includes('two moments'))) continue;
    mixed++;
    wrong.push(...moreIn(await alarmsIn(folder), whole).map(each => `${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
  expect(mixed).toBeGreaterThan(0);
});

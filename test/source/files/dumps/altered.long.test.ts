/** Of a dump whose uids or dates somebody altered, or that is mixed with an older one, nothing is said that isn't so. */
import { expect, test } from 'vitest';
import { isoTime } from '../../../../src/model/json/json.ts';
import { podFacts } from '../../../../src/model/object.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { arrive } from '../../../conformance/truth/state.ts';
import { truthScenario } from '../../../conformance/truth/worlds.ts';
import { read } from '../reading.ts';
import { maskUids, withDeletions, withLease, withSuccession, writeFolder } from './altered.ts';
import type { Dump } from './dump.ts';
import { alarmsIn, moreIn, saidIn } from './judged.ts';
import { asOthersWrite, foreignGroup } from './other-tools.ts';
import { type Layout, writeDump } from './written.ts';

const FROM = Number(process.env['GC_TREE_CUTS_FROM'] ?? 1);
const CLUSTERS = Number(process.env['GC_TREE_CUTS'] ?? 16);
const timeout = 3_600_000;
const DAY = 86_400_000;
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

test('whatever the date of the files is, the same is said, as of the same moment', { timeout }, async () => {
  const wrong: string[] = [];
  for (const seed of seeds) {
    const { dump, now } = await take(seed);
    const going = withDeletions(dump, new Random(seed), now);
    // With a Lease nothing is later; without one the newest time is that of the last request.
    for (const each of [withLease(going, now), going]) {
      const later = now + 500 * DAY;
      const whole = await saidIn(writeFolder({ '.': each }, now), later);
      if (whole[0] !== `as of ${isoTime(now)}`) wrong.push(`${seed}: ${whole[0]}, not ${isoTime(now)}`);
      const dates = each === going ? [1_000, now - DAY] : [1_000, now - DAY, now + DAY, now + 400 * DAY];
      for (const at of dates) {
        const found = await saidIn(writeFolder({ '.': each }, at), later);
        const differing = [...new Set(found).symmetricDifference(new Set(whole))];
        wrong.push(...differing.map(line => `${seed}, dated ${isoTime(at)}: ${line}`));
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('of one together with that of an earlier moment nothing is said that neither shows', {
  timeout,
}, async () => {
  const wrong: string[] = [];
  let mixed = 0;
  for (const seed of seeds) {
    const [before, after] = [
      await take(seed, Math.ceil(truthScenario(seed).steps.length / 2)),
      await take(seed),
    ];
    const [early, late] = withSuccession(before.dump, after.dump, new Random(seed));
    const whole = new Map([
      ...(await alarmsIn(writeFolder({ early }, before.now))),
      ...(await alarmsIn(writeFolder({ late }, after.now))),
    ]);
    const folder = writeFolder({ early, late }, after.now);
    const { source } = await read([folder]);
    if ((source.warnings ?? []).some(each => each.includes('two moments'))) mixed++;
    wrong.push(...moreIn(await alarmsIn(folder), whole).map(each => `${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
  expect(mixed).toBe(seeds.length);
});

test('as other tools write it, it is the same cluster', { timeout }, async () => {
  const wrong: string[] = [];
  for (const seed of seeds) {
    const { dump, now } = await take(seed);
    const folders = asOthersWrite(dump, now).map(each => writeFolder({ '.': each }, now));
    const [ours, theirs] = await Promise.all(folders.map(each => saidIn(each, now + DAY)));
    const [known, found] = await Promise.all(folders.map(titlesIn));
    const differing = [
      ...new Set(theirs).symmetricDifference(new Set(ours)),
      ...new Set(found).symmetricDifference(new Set(known)),
    ];
    if (ours?.filter(each => each.includes('/of-')).length !== 3)
      wrong.push(`${seed}: owners are not missed`);
    wrong.push(...differing.map(each => `${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
});

async function titlesIn(folder: string): Promise<readonly string[]> {
  const { view } = await read([folder]);
  return [...view.graph.nodes()].flatMap(({ object }) => {
    if (object === undefined || object.name === 'another') return [];
    const { group, kind } = object.type;
    if (group === foreignGroup) return [];
    const isPending = kind === 'Pod' && podFacts(object)?.phase === 'Pending';
    return [`${group}/${kind} ${object.namespace}/${object.name}${isPending ? ', Pending' : ''}`];
  });
}

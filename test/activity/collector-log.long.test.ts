import { describe, expect, test } from 'vitest';
import { Activity } from '../../src/activity/activity-log.ts';
import type { LoggedRequest } from '../../src/simulation/api/api-client.ts';
import type { Scenario, ScenarioStep } from '../../src/source/demo/scenario.ts';
import type { SimulatedWorld } from '../../src/source/demo/world/simulated-world.ts';
import { graphTypes, modes, randomScenario } from '../conformance/fuzz/random-graphs.ts';
import { scenarioFiles } from '../conformance/scenario-files.ts';
import { playSimulated } from '../conformance/simulate.ts';
import { line } from '../simulation/fixtures.ts';
import { replay, replayLate, type ToldWrite } from './replay.ts';

const COLLECTOR = 'garbage-collector';

function collectorsOwn(told: readonly ToldWrite[]): readonly ToldWrite[] {
  // Who does what the collector would do while it isn't there yet cannot be told from it.
  const [first] = told
    .filter(({ request }) => request.actor === COLLECTOR)
    .map(({ request }) => request.n)
    .sort((a, b) => a - b);
  return told.filter(({ request }) => request.actor !== 'user' || request.n > (first ?? Infinity));
}

function faultsOf({ request, entries }: ToldWrite): readonly Fault[] {
  const told = entries.map(({ what, by, because }) => `${what} by [${by.join()}] ${JSON.stringify(because)}`);
  const words = `${request.actor} ${line(request)} (${request.because ?? ''}): ${told.join('; ') || 'nothing told'}`;
  const isCollectors = request.actor === COLLECTOR;
  if (isCollectors && !entries.some(({ by }) => by.includes(COLLECTOR)))
    return [{ request, words: `missing: ${words}`, isUnsure: entries.some(({ by }) => by.length === 0) }];
  const isClaimed = entries.some(({ by }) => by.length === 1 && by[0] === COLLECTOR);
  return isClaimed && !isCollectors ? [{ request, words: `invented: ${words}`, isUnsure: false }] : [];
}

interface Fault {
  readonly request: LoggedRequest;
  readonly words: string;
  /** It is told that nothing tells who did it. */
  readonly isUnsure: boolean;
}

interface Play {
  readonly scenario: Scenario;
  readonly order: number;
  readonly told: (world: SimulatedWorld) => readonly ToldWrite[];
}

/** What is wrong with what was told of each write, by who wrote it. */
async function faults({ scenario, order, told }: Play): Promise<readonly Fault[]> {
  const found = collectorsOwn(told(await worldOf(scenario, order))).flatMap(faultsOf);
  const real = await Promise.all(
    found.map(async fault =>
      fault.request.actor === 'user' && (await isAnticipated(fault.request, { scenario, order }))
        ? []
        : fault,
    ),
  );
  return real.flat();
}

async function worldOf(scenario: Scenario, order: number): Promise<SimulatedWorld> {
  const { world } = await playSimulated(scenario, { prefix: 's', customTypes: graphTypes, order });
  return world;
}

/**
 * Whether somebody deleted what the collector was about to delete: without that request, it did. Who was first cannot be
 * told from objects, and docs/collector.md says so.
 */
async function isAnticipated(
  { verb, type, namespace, name, options }: LoggedRequest,
  { scenario, order }: Pick<Play, 'scenario' | 'order'>,
): Promise<boolean> {
  const isIt = (step: ScenarioStep): boolean =>
    step !== 'settle' &&
    'delete' in step &&
    step.cascade === (cascades[options?.propagationPolicy ?? ''] ?? 'default') &&
    (step.delete === `${type.kind} ${namespace.slice(2)}/${name}` ||
      step.delete === `${type.kind} ${name.slice(2)}`);
  const steps = scenario.steps.filter(step => !isIt(step));
  if (verb !== 'delete' || steps.length !== scenario.steps.length - 1) return false;
  const { cluster } = await worldOf({ ...scenario, steps }, order);
  return cluster.api.log.entries.some(
    each =>
      each.actor === COLLECTOR &&
      each.type.kind === type.kind &&
      each.namespace === namespace &&
      each.name === name &&
      (each.verb === 'delete' || (each.before !== undefined && each.after === undefined)),
  );
}

const cascades: Readonly<Record<string, string>> = {
  Background: 'background',
  Foreground: 'foreground',
  Orphan: 'orphan',
};

const inOrder = (world: SimulatedWorld): readonly ToldWrite[] => replay(world, view => new Activity(view));

describe.each(scenarioFiles())('of $file', ({ scenarios }) => {
  test.each(scenarios)(
    '$title: each write of the collector is told as its own, and no other',
    async scenario => {
      const found = await faults({ scenario, order: 1, told: inOrder });
      expect(found.map(({ words }) => words)).toEqual([]);
    },
  );
});

/** Of random graphs; `GC_TREE_ACTIVITY=3000` tries so many of each mode. */
const graphs = Number(process.env['GC_TREE_ACTIVITY'] ?? 220);
/** Those in which one of these was told wrongly once, for each way of that. */
const known = [
  337, 348, 376, 385, 394, 457, 505, 521, 522, 588, 593, 694, 762, 777, 817, 829, 849, 987, 1056, 1065, 1273,
  1305, 1404, 1429, 1491, 1602, 1893, 2070, 2176, 2185, 2280, 2660, 2702, 2769, 2865,
];
const seeds = [...Array.from({ length: graphs }, (_, i) => i + 1), ...known.filter(seed => seed > graphs)];
/** So few of its writes are told as those of nobody: it had looked so long before that nothing speaks for it any more. */
const UNSURE = 1 / 2_000;

describe.each(modes)('of random graphs, the manager %s', mode => {
  test.each([
    ['as they are written', () => inOrder],
    [
      'whatever a kind’s watch brings late',
      (seed: number) => (world: SimulatedWorld) => replayLate(world, seed),
    ],
  ])('each write of the collector is told as its own, and no other, %s', async (_, told) => {
    const found: string[] = [];
    let unsure = 0;
    for (const seed of seeds)
      for (const order of [1, seed]) {
        const play = { scenario: randomScenario(seed, mode), order, told: told(seed) };
        for (const { words, isUnsure } of await faults(play)) {
          if (isUnsure) unsure += 1;
          else found.push(`${seed}, order ${order}: ${words}`);
        }
      }
    expect(found).toEqual([]);
    expect(unsure).toBeLessThanOrEqual(seeds.length * UNSURE);
  });
});

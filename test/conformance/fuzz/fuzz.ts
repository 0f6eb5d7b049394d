/**
 * Rounds of random graphs and clusters on the simulation and on a real control plane. An object whose end the simulation
 * itself finds to depend on timing is excused; any other difference is a divergence.
 */

import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { Difference } from '../end-state.ts';
import { withOwnGroups } from '../real/own-groups.ts';
import { startPlane } from '../real/plane.ts';
import { runBatch } from '../real/run.ts';
import { type Ends, exploreEnds } from '../simulate.ts';
import { randomCluster, type WideMode, wideModes } from './random-clusters.ts';
import { graphTypes, type Mode, modes, randomScenario } from './random-graphs.ts';

export type FuzzMode = Mode | WideMode;

export const fuzzModes: readonly FuzzMode[] = [...modes, ...wideModes];

export interface FuzzOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly modes: readonly FuzzMode[];
  /** Rounds at a time. */
  readonly batch?: number;
  /** Orders that the simulation explores for each round. */
  readonly orders?: number;
  /** Of a hundred right owner references of a graph so many get an odd kind or uid; a few unless told. */
  readonly odd?: number | undefined;
  /** API servers on one etcd, behind a proxy that spreads connections over them; one unless told. */
  readonly apiServers?: 1 | 2;
  readonly say?: (line: string) => void;
  /** Told of each batch when it is done. */
  readonly done?: (batch: FuzzBatch) => void;
}

export interface Divergence {
  readonly scenario: Scenario;
  readonly mode: FuzzMode;
  readonly differences: readonly Difference[];
}

export interface FuzzCounts {
  readonly rounds: number;
  readonly objects: number;
  /** Objects that the simulation says depend on timing, or that ended as they do where the collector begins early. */
  readonly timingDependent: number;
  /** Of these, the ones whose real end was another than the simulation's in the order of scheduling. */
  readonly excused: number;
  /** Of these, the ones that ended in none of the ways that the simulation found. */
  readonly unforeseen: number;
}

export interface FuzzResult extends FuzzCounts {
  readonly divergences: readonly Divergence[];
}

export interface FuzzBatch extends FuzzResult {
  readonly mode: FuzzMode;
  /** Of its first round. */
  readonly seed: number;
}

/** For a scenario whose real end is in none of the usual orders. */
const MORE_ORDERS = 2_000;

const nothing: FuzzResult = {
  rounds: 0,
  objects: 0,
  timingDependent: 0,
  excused: 0,
  unforeseen: 0,
  divergences: [],
};

/** One indented line for each object and each of its ends. */
function describeDifferences(found: readonly Difference[]): string {
  return found
    .map(({ object, simulated, real }) => `  ${object}\n    simulated: ${simulated}\n    real:      ${real}`)
    .join('\n');
}

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { rounds, seed, modes: chosen, batch = 50, done } = options;
  let result = nothing;
  for (const mode of chosen) {
    for (let first = 0; first < rounds; first += batch) {
      const size = Math.min(batch, rounds - first);
      const found = await playRounds(mode, seed + first, size, options);
      result = added(result, found);
      done?.({ ...found, mode, seed: seed + first });
    }
  }
  return result;
}

function added(a: FuzzResult, b: FuzzResult): FuzzResult {
  return {
    rounds: a.rounds + b.rounds,
    objects: a.objects + b.objects,
    timingDependent: a.timingDependent + b.timingDependent,
    excused: a.excused + b.excused,
    unforeseen: a.unforeseen + b.unforeseen,
    divergences: [...a.divergences, ...b.divergences],
  };
}

function isWide(mode: FuzzMode): mode is WideMode {
  return wideModes.some(each => each === mode);
}

function scenarioOf(seed: number, mode: FuzzMode, odd: number | undefined): Scenario {
  return isWide(mode) ? randomCluster(seed, mode) : randomScenario(seed, mode, odd);
}

interface Round extends Ends {
  readonly scenario: Scenario;
}

/** Answers to requests are compared as well, but aren't counted. */
function isObject(name: string): boolean {
  return !name.startsWith('answer ');
}

async function playRounds(
  mode: FuzzMode,
  seed: number,
  size: number,
  { orders = 40, apiServers = 1, odd, say = () => {} }: FuzzOptions,
): Promise<FuzzResult> {
  const prefix = 'r';
  const began = Date.now();
  const runs: Round[] = [];
  for (let index = 0; index < size; index++) {
    const own = `${prefix}${index}`;
    const scenario = withOwnGroups(scenarioOf(seed + index, mode, odd), own);
    runs.push({
      scenario,
      ...(await exploreEnds(scenario, { prefix: own, customTypes: graphTypes }, orders)),
    });
  }
  const simulated = Date.now();
  const { nodes = 1, quiet = 3, scheduler = false } = runs[0]?.scenario ?? {};
  // A fresh control plane for each batch: what is left over would be retried at every start.
  const plane = await startPlane({ scheduler, nodes, kubeletsStop: nodes > 1, apiServers });
  try {
    const compared = await runBatch(plane, runs, { prefix, quiet, patience: 120 });
    const counts = { rounds: size, objects: 0, timingDependent: 0, excused: 0, unforeseen: 0 };
    const divergences: Divergence[] = [];
    for (const [index, { scenario, differences, excused }] of compared.entries()) {
      const found = runs[index];
      if (found === undefined) continue;
      counts.objects += [...found.expected.keys()].filter(isObject).length;
      counts.timingDependent += [...found.timingDependent.keys()].filter(isObject).length;
      for (const { object, real } of excused) {
        if (isObject(object)) counts.excused++;
        if (found.timingDependent.get(object)?.has(real)) continue;
        if (isObject(object)) counts.unforeseen++;
        say(`unforeseen in ${scenario.title}: ${object}: ${real}`);
      }
      const isIn =
        (ends: Ends['early']) =>
        ({ object, real }: Difference): boolean =>
          ends.get(object)?.has(real) === true;
      const needsMore = !differences.every(isIn(found.early));
      const more = needsMore
        ? await exploreEnds(scenario, { prefix: `${prefix}${index}`, customTypes: graphTypes }, MORE_ORDERS)
        : found;
      const isEarly = (each: Difference): boolean => isIn(found.early)(each) || isIn(more.early)(each);
      const isRare = isIn(more.timingDependent);
      const others = differences.filter(each => !isEarly(each) && !isRare(each));
      if (differences.some(each => isRare(each) && !isEarly(each)))
        say(`${scenario.title}: its end is one of few orders`);
      const early = differences.filter(each => !others.includes(each) && isObject(each.object)).length;
      counts.timingDependent += early;
      counts.excused += early;
      if (differences.some(isEarly)) say(`${scenario.title}: the collector began with a part of its graph`);
      if (others.length === 0) continue;
      divergences.push({ scenario, mode, differences: others });
      say(`${scenario.title} ends differently:\n${describeDifferences(others)}`);
    }
    say(
      `${mode} ${seed} to ${seed + size - 1}: simulated in ${simulated - began} ms, ` +
        `real in ${Date.now() - simulated} ms: ${divergences.length} divergences, ` +
        `${counts.timingDependent} of ${counts.objects} objects depend on timing`,
    );
    return { ...counts, divergences };
  } finally {
    await plane.stop();
  }
}

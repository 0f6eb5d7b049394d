/**
 * Rounds of random graphs on the simulation and on a real control plane. An object whose end the simulation
 * itself finds to depend on timing is excused; any other difference is a divergence.
 */

import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { Difference } from '../end-state.ts';
import { startPlane } from '../real/plane.ts';
import { runBatch } from '../real/run.ts';
import { type Ends, exploreEnds } from '../simulate.ts';
import { graphTypes, type Mode, randomScenario } from './random-graphs.ts';

export interface FuzzOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly modes: readonly Mode[];
  /** Rounds at a time. */
  readonly batch?: number;
  /** Orders that the simulation explores for each round. */
  readonly orders?: number;
  readonly say?: (line: string) => void;
}

export interface Divergence {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly differences: readonly Difference[];
}

export interface FuzzResult {
  readonly rounds: number;
  readonly objects: number;
  /** Objects that the simulation says depend on timing. */
  readonly timingDependent: number;
  /** Of these, the ones whose real end was another than the simulation's in the order of scheduling. */
  readonly excused: number;
  /** Of these, the ones that ended in none of the ways that the simulation found. */
  readonly unforeseen: number;
  readonly divergences: readonly Divergence[];
}

/** One indented line for each object and each of its ends. */
function describeDifferences(found: readonly Difference[]): string {
  return found
    .map(({ object, simulated, real }) => `  ${object}\n    simulated: ${simulated}\n    real:      ${real}`)
    .join('\n');
}

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { rounds, seed, modes, batch = 50, orders = 40, say = () => {} } = options;
  const result = {
    rounds: 0,
    objects: 0,
    timingDependent: 0,
    excused: 0,
    unforeseen: 0,
    divergences: [] as Divergence[],
  };
  for (const mode of modes) {
    for (let first = 0; first < rounds; first += batch) {
      const size = Math.min(batch, rounds - first);
      // A fresh control plane for each batch: what is left over would be retried at every start.
      const plane = await startPlane({ scheduler: false });
      try {
        const began = Date.now();
        const prefix = 'r';
        const ends: Ends[] = [];
        const runs = [];
        for (let index = 0; index < size; index++) {
          const scenario = randomScenario(seed + first + index, mode);
          const found = await exploreEnds(
            scenario,
            { prefix: `${prefix}${index}`, customTypes: graphTypes },
            orders,
          );
          ends.push(found);
          runs.push({ scenario, ...found });
        }
        const explored = Date.now();
        const compared = await runBatch(plane, runs, { prefix, quiet: 3, patience: 120 });
        for (const [index, { scenario, differences, excused }] of compared.entries()) {
          const found = ends[index];
          if (found === undefined) continue;
          result.rounds++;
          result.objects += [...found.expected.keys()].filter(name => !name.startsWith('answer ')).length;
          result.timingDependent += found.timingDependent.size;
          result.excused += excused.length;
          for (const { object, real } of excused) {
            if (!found.timingDependent.get(object)?.has(real)) result.unforeseen++;
          }
          if (differences.length === 0) continue;
          result.divergences.push({ scenario, mode, differences });
          say(`${scenario.title} ends differently:\n${describeDifferences(differences)}`);
        }
        say(
          `${mode} ${seed + first} to ${seed + first + size - 1}: simulated in ${explored - began} ms, ` +
            `real in ${Date.now() - explored} ms; so far ${result.divergences.length} divergences, ` +
            `${result.timingDependent} of ${result.objects} objects depend on timing`,
        );
      } finally {
        await plane.stop();
      }
    }
  }
  return result;
}

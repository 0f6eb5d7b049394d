/** All scenario files on the simulation and on real control planes, as many at once as can run together. */
import type { Scenario } from '../../src/source/demo/scenario.ts';
import { graphTypes } from './random-graphs.ts';
import { playAll } from './real-batches.ts';
import { type Compared, compareEnds } from './real-run.ts';
import { exploreEnds } from './simulate.ts';

/** Orders that the simulation explores to see what depends on timing. */
const ORDERS = 12;
/** Seconds until a difference counts as one: back-off can make the real end late. */
const PATIENCE = 45;

export async function conform(
  scenarios: readonly Scenario[],
  say?: (line: string) => void,
): Promise<ReadonlyMap<Scenario, Compared>> {
  const results = new Map<Scenario, Compared>();
  const runs = [];
  for (const scenario of scenarios) {
    const ends = await exploreEnds(scenario, { prefix: 'sim', customTypes: graphTypes }, ORDERS);
    runs.push({ scenario, ...ends });
  }
  await playAll(
    runs,
    async (played, batch) => {
      for (const compared of await compareEnds(played, batch, PATIENCE)) {
        results.set(compared.scenario, compared);
      }
    },
    say,
  );
  return results;
}

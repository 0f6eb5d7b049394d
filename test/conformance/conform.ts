/** All scenario files on the simulation and on real control planes, as many at once as can run together. */
import type { Scenario } from '../../src/source/demo/scenario.ts';
import { graphTypes } from './fuzz/random-graphs.ts';
import { playAll } from './real/batches.ts';
import type { GatedKinds } from './real/plane.ts';
import { type Compared, compareEnds } from './real/run.ts';
import { exploreEnds } from './simulate.ts';

/** Orders that the simulation explores to see what depends on timing. */
const ORDERS = 12;
/** Seconds until a difference counts as one: back-off can make the real end late. */
const PATIENCE = 240;

export async function conform(
  scenarios: readonly Scenario[],
  gated?: GatedKinds,
): Promise<ReadonlyMap<Scenario, Compared>> {
  const customTypes = [...graphTypes, ...(gated?.types ?? [])];
  const results = new Map<Scenario, Compared>();
  await playAll(
    scenarios.map(scenario => ({ scenario })),
    async (played, batch) => {
      // As they were played: with API groups of their own.
      const runs = await Promise.all(
        played.players.map(async ({ scenario }) => {
          const ends = await exploreEnds(scenario, { prefix: 'sim', customTypes }, ORDERS);
          return { scenario, ...ends };
        }),
      );
      const patience = Math.max(PATIENCE, ...batch.map(({ scenario }) => scenario.patience ?? 0));
      const compared = await compareEnds(played, runs, patience);
      for (const [index, { scenario }] of batch.entries()) {
        const found = compared[index];
        if (found !== undefined) results.set(scenario, found);
      }
    },
    { gated },
  );
  return results;
}

/** All scenario files on the simulation and on a real control plane, as many at once as can run together. */

import type { Scenario } from '../../src/source/demo/scenario.ts';
import { type Compared, type RealPlane, runBatch, signature } from './real-run.ts';
import { exploreEnds } from './simulate.ts';

/** Orders that the simulation explores to see what depends on timing. */
const ORDERS = 12;

/** Keyed by title. */
export async function conform(
  plane: RealPlane,
  scenarios: readonly Scenario[],
): Promise<ReadonlyMap<string, Compared>> {
  const groups = new Map<string, Scenario[]>();
  for (const scenario of scenarios) {
    const key = signature(scenario);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [scenario]);
    else group.push(scenario);
  }
  const results = new Map<string, Compared>();
  for (const [number, group] of [...groups.values()].entries()) {
    const prefix = `g${number}x`;
    const runs = await Promise.all(
      group.map(async (scenario, index) => {
        const { customTypes } = plane;
        const ends = await exploreEnds(scenario, { prefix: `${prefix}${index}`, customTypes }, ORDERS);
        return { scenario, ...ends };
      }),
    );
    const quiet = group[0]?.quiet ?? 3;
    for (const each of await runBatch(plane, runs, { prefix, quiet, patience: 45 })) {
      results.set(each.scenario.title, each);
    }
  }
  return results;
}

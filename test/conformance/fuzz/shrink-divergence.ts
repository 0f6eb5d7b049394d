/** Shrinks a divergence by running smaller scenarios on a real control plane, and puts it down as a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { withOwnGroups } from '../real/own-groups.ts';
import { startPlane } from '../real/plane.ts';
import { runBatch } from '../real/run.ts';
import { exploreEnds } from '../simulate.ts';
import type { Divergence } from './fuzz.ts';
import { graphTypes } from './random-graphs.ts';
import { shrink } from './shrink.ts';

/** Orders that the simulation explores for each candidate. */
const ORDERS = 40;

/** Writes the smallest scenario that still diverges into the folder, and resolves with its path. */
export async function shrinkDivergence(
  divergence: Divergence,
  folder: string,
  apiServers: 1 | 2 = 1,
): Promise<string> {
  const smallest = await shrink(divergence.scenario, candidates => stillDiverging(candidates, apiServers));
  const title = smallest.title.replaceAll(/[^a-z0-9]+/g, '-');
  const path = join(folder, `${title}.yaml`);
  await writeFile(path, stringify(smallest, { aliasDuplicateObjects: false }));
  return path;
}

async function stillDiverging(
  candidates: readonly Scenario[],
  apiServers: 1 | 2,
): Promise<readonly boolean[]> {
  // All have those of the one that they were made from.
  const { nodes = 1, quiet = 3, scheduler = false } = candidates[0] ?? {};
  const plane = await startPlane({ scheduler, nodes, kubeletsStop: nodes > 1, apiServers });
  try {
    const prefix = 'c';
    const runs = [];
    for (const [index, candidate] of candidates.entries()) {
      const scenario = withOwnGroups(candidate, `${prefix}${index}`);
      const options = { prefix: `${prefix}${index}`, customTypes: graphTypes };
      runs.push({ scenario, ...(await exploreEnds(scenario, options, ORDERS)) });
    }
    const compared = await runBatch(plane, runs, { prefix, quiet, patience: Math.max(20, quiet) });
    return compared.map(({ differences }) => differences.length > 0);
  } finally {
    await plane.stop();
  }
}

/** The plan of a world's action, by the command line as a user of that world alone would call it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { command } from '../../cli/console.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import type { LiveCluster } from './live-cluster.ts';
import type { World, WorldAction } from './random-worlds.ts';
import { WorldSource } from './world-source.ts';

export interface PlanRequest {
  readonly world: World;
  readonly player: PrefixedPlayer;
  readonly action: WorldAction;
  /** Everything of the world, and of the cluster around it. */
  readonly objects: readonly KubeObject[];
  /** For its catalogue. */
  readonly folder: string;
}

/** Rejects with what the tool printed where it makes none. */
export async function planOf(cluster: LiveCluster, request: PlanRequest): Promise<Plan> {
  const { world, objects, folder } = request;
  const catalogue = world.catalogue === '' ? [] : ['--catalogue', join(folder, `${world.prefix}.yaml`)];
  const [, file] = catalogue;
  if (file !== undefined) await writeFile(file, world.catalogue);
  const words = ['plan', 'delete', ...targetWords(request), '-o', 'json', ...catalogue].join(' ');
  const source = new WorldSource(cluster, objects);
  const { out, err, exitCode } = await command(words, { source, now: () => Date.now() });
  if (exitCode !== 0) throw new Error(`${words}: ${exitCode} ${err}`);
  return JSON.parse(out) as Plan;
}

function targetWords({ action, player }: PlanRequest): string[] {
  const places = action.targets.map(target => player.placed(target));
  const namespace = places.find(place => place.namespace !== '')?.namespace;
  return [
    ...places.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
    ...(namespace === undefined ? [] : ['-n', namespace]),
    `--cascade=${action.cascade}`,
  ];
}

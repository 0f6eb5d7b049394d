import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import { playScenario } from '../../../src/source/demo/play-scenario.ts';
import { readScenario } from '../../../src/source/demo/scenarios.ts';
import type { SimulatedWorld } from '../../../src/source/demo/world/simulated-world.ts';
import { builtIn } from '../../simulation/fixtures.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

/** The scenario as it ends on a cluster that keeps so many finished pods. */
async function played(threshold?: number): Promise<SimulatedWorld> {
  const { world } = await playScenario(await readScenario('podgc'), now, { threshold });
  return world;
}

/** Names of the pods that are gone so many seconds after the end. */
function gone(world: SimulatedWorld, seconds: number): string[] {
  const names = () => world.cluster.store.list(builtIn('Pod')).map(({ name }: KubeObject) => name);
  const before = names();
  world.advance(now + seconds * 1000);
  const after = new Set(names());
  return before.filter(name => !after.has(name)).sort();
}

describe('the scenario podgc', () => {
  test('ends with a pod for each rule that PodGC has not yet taken', async () => {
    const world = await played();
    expect(gone(world, 21)).toEqual(['on-tainted-node']);
    expect(gone(world, 61)).toEqual(['on-deleted-node']);
    expect(gone(world, 600)).toEqual([]);
  });

  test('loses the finished pods beyond the threshold that the cluster is said to have', async () => {
    // Held by a finalizer, `never-scheduled` counts as finished and stays.
    expect(gone(await played(3), 21)).toEqual(['on-tainted-node', 'report-1', 'report-3']);
    expect(gone(await played(0), 21)).toEqual(['on-tainted-node']);
  });
});

/** A scenario's steps played to their end in virtual time, such that the end is now. */
import { Player } from './player.ts';
import { isPlayed, type Scenario } from './scenario.ts';
import { SimulatedWorld } from './world/simulated-world.ts';

export interface PlayedScenario {
  readonly world: SimulatedWorld;
  readonly player: Player;
}

/** Namespaces that every cluster has. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * `now`: milliseconds since the epoch at which the steps end, to the second. Names and uids are the same at each
 * start. Rejects with a `ScenarioError` where the steps cannot be played. `threshold`: how many finished pods the
 * simulated cluster keeps, the default of PodGC unless told.
 */
export async function playScenario(
  scenario: Scenario,
  now: number,
  threshold?: number,
): Promise<PlayedScenario> {
  const end = Math.floor(now / 1000) * 1000;
  // How long the steps take is known only when they have been played: a first time for that, and then in earnest.
  const rehearsal = await play(scenario, end, threshold);
  return play(scenario, end - (rehearsal.world.now - end), threshold);
}

async function play(
  scenario: Scenario,
  start: number,
  threshold: number | undefined,
): Promise<PlayedScenario> {
  const world = new SimulatedWorld({
    ...(threshold === undefined ? {} : { podGc: { threshold } }),
    now: start,
    nodes: scenario.nodes ?? 0,
    scheduler: scenario.scheduler ?? true,
    customTypes: [],
    seed: 1,
  });
  for (const name of systemNamespaces) {
    await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const player = new Player(scenario, '', world);
  await player.prepare();
  for (const step of scenario.steps) {
    if (step === 'settle') world.settle();
    else if (isPlayed(step)) await player.play(step);
    else if ('wait' in step) world.wait(step.wait);
    else if ('node' in step) world.node(step.node);
    else world.control(step.controllerManager);
  }
  // To the second, as the times that objects carry.
  world.advance(Math.ceil(world.now / 1000) * 1000);
  return { world, player };
}

/**
 * A scenario on the simulation, once, or in many orders of its queues and lists: an object whose end differs
 * between orders depends on timing.
 */
import { setImmediate } from 'node:timers/promises';
import type { PodFacts } from '../../src/model/facts/facts.ts';
import type { KubeObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import type { Chooser, Task } from '../../src/simulation/clock.ts';
import { LOOKS_FURTHER } from '../../src/simulation/collector/garbage-collector.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { isPlayed, type Scenario, type ScenarioManifest } from '../../src/source/demo/scenario.ts';
import { SimulatedWorld } from '../../src/source/demo/world/simulated-world.ts';
import { testedBehaviour } from '../harness/processes/versions.ts';
import { NOW } from '../simulation/fixtures.ts';
import { type EndState, endState, GONE, type LeftObject, type PodStatus } from './end-state.ts';
import { PrefixedPlayer } from './prefixed-player.ts';

/** Tasks that a controller manager has done before the next request comes: a few, or all there are. */
const MOST_BETWEEN = 60;
/** So many picks in a row are of the youngest task. */
const TURN = 300;

export interface SimulateOptions {
  readonly prefix: string;
  readonly customTypes: readonly ResourceType[];
  /** 0 is the order of scheduling; any other number is an order of its own. */
  readonly order?: number;
  /** A controller manager that starts lets the collector's workers begin with a part of its graph. */
  readonly collectorEarly?: boolean;
}

async function simulate(scenario: Scenario, options: SimulateOptions): Promise<EndState> {
  const { world, player } = await playSimulated(scenario, options);
  return withStatuses(
    endState(
      left(world).filter(object => player.owns(object)),
      player.naming,
    ),
    player,
  );
}

/** The world and its player when all steps are played and nothing moves any more. */
export async function playSimulated(
  scenario: Scenario,
  options: SimulateOptions,
): Promise<{ readonly world: SimulatedWorld; readonly player: PrefixedPlayer }> {
  const { prefix, customTypes, order = 0, collectorEarly = false } = options;
  const random = new Random(order);
  const world = new SimulatedWorld({
    now: NOW,
    behaviour: testedBehaviour(),
    nodes: scenario.nodes ?? 0,
    scheduler: scenario.scheduler ?? true,
    customTypes,
    chooser: order === 0 ? undefined : chooserOf(order, random),
    seed: order + 1,
    // The collector's workers start 100 ms after their process.
    workloadsLate: order % 4 === 3 ? 150 : 0,
    collectorEarly,
  });
  // Every real cluster has it.
  await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
  const player = new PrefixedPlayer(scenario, prefix, world);
  await player.prepare();
  let running = false;
  for (const step of scenario.steps) {
    if (step === 'settle') world.settle();
    else if (isPlayed(step)) {
      await player.play(
        step,
        order === 0 || running ? undefined : items => definitionsFirst(shuffled(items, random)),
      );
      // What is done next may come after controllers have begun to work, or have finished.
      if (running && order % 3 === 2) world.cluster.run({ tasks: random.below(MOST_BETWEEN) });
    } else if ('node' in step) {
      world.node(step.node);
      // A real node is silent for seconds before it counts as lost, and then everybody has seen it.
      if (step.node.state === 'stopped') world.advance(world.now);
    } else if ('controllerManager' in step) {
      running = step.controllerManager === 'start';
      // Fake kubelets answer before a controller manager has started; what the API server polls for may come after.
      if (running && order % 2 === 0) world.settle();
      else if (running) world.advance(world.now);
      world.control(step.controllerManager);
      // The API server works on while a controller manager ends.
      if (!running && order % 2 === 1) world.advance(world.now);
    }
    // Nobody waits here or on the real cluster: only ages would differ.
  }
  world.settle();
  return { world, player };
}

function left(world: SimulatedWorld): readonly LeftObject[] {
  return [...world.cluster.store.all()].filter(({ type }) => type.kind !== 'Node').map(leftObject);
}

function leftObject(object: KubeObject): LeftObject {
  const { type, namespace, name, uid, deletionTimestamp, finalizers, owners } = object;
  return {
    kind: type.kind,
    namespace,
    name,
    uid,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    owners: owners.map(({ controller, blockOwnerDeletion, ...owner }) => ({
      ...owner,
      controller: controller === true,
      block: blockOwnerDeletion === true,
    })),
    ...(object.facts?.kind === 'Pod' ? { status: statusOf(object.facts) } : {}),
  };
}

function statusOf({ phase, conditions }: PodFacts): PodStatus {
  return { phase, disruption: conditions.find(({ type }) => type === 'DisruptionTarget')?.reason ?? '' };
}

/** The answers to requests count as ends, too. */
export function withStatuses(state: EndState, player: PrefixedPlayer): EndState {
  const all = new Map(state);
  for (const [index, status] of player.statuses.entries()) all.set(`answer ${index + 1}`, String(status));
  return all;
}

/** What comes first in these orders, whichever of it: an owner that is looked up again, or all else; and what failed. */
const preferred: Readonly<Record<number, (task: Task) => boolean>> = {
  2: ({ lane }) => !lane.startsWith(LOOKS_FURTHER),
  4: ({ lane }) => lane.startsWith(LOOKS_FURTHER),
  6: ({ kind }) => kind === 'retry',
};

/**
 * Random picks favour one lane for a while or spread evenly: both long head starts and tight races occur.
 * Order 1 is the youngest first, by turns with the oldest first: who makes work for itself would keep others from ever
 * hearing of anything, which no real queue does.
 */
function chooserOf(order: number, random: Random): Chooser {
  let picks = 0;
  if (order === 1) {
    return ready => ready.at(Math.floor(picks++ / TURN) % 2 === 0 ? -1 : 0) ?? pick(ready, random);
  }
  const prefers = preferred[order];
  if (prefers !== undefined)
    return ready => {
      const first = ready.filter(prefers);
      return pick(first.length > 0 ? first : ready, random);
    };
  if (order % 2 === 0) return ready => pick(ready, random);
  const weights = new Map<string, number>();
  return ready => {
    let best = pick(ready, random);
    let bestWeight = -1;
    for (const task of ready) {
      let weight = weights.get(task.lane);
      if (weight === undefined) {
        weight = random.below(1000);
        weights.set(task.lane, weight);
      }
      if (weight > bestWeight) {
        best = task;
        bestWeight = weight;
      }
    }
    // Now and then priorities change, and all of them at last: nobody waits for ever behind two who keep each other busy.
    if (random.below(8) === 0) weights.delete(best.lane);
    if (++picks % TURN === 0) weights.clear();
    return best;
  };
}

/** Nothing can be made before the definition of its kind, or before its namespace. */
function definitionsFirst(manifests: readonly ScenarioManifest[]): readonly ScenarioManifest[] {
  const isDefinition = ({ kind }: ScenarioManifest): boolean =>
    kind === 'CustomResourceDefinition' || kind === 'Namespace';
  return [...manifests.filter(isDefinition), ...manifests.filter(each => !isDefinition(each))];
}

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const [a, b] = [copy[i], copy[j]];
    if (a !== undefined && b !== undefined) {
      copy[i] = b;
      copy[j] = a;
    }
  }
  return copy;
}

export interface Ends {
  /** In the order of scheduling. */
  readonly expected: EndState;
  /** All ends that were found, of the objects whose end differs between orders. */
  readonly timingDependent: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * All ends that were found where the collector's workers begin with a part of the graph. It seldom happens to a small
   * cluster, so that an object which could end so is excused for such an end alone.
   */
  readonly early: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The ends of a scenario in so many orders beside the usual one. */
export async function exploreEnds(
  scenario: Scenario,
  options: SimulateOptions,
  orders: number,
): Promise<Ends> {
  const expected = await simulate(scenario, options);
  const states = [expected];
  for (let order = 1; order <= orders; order++) {
    states.push(await simulate(scenario, { ...options, order }));
    // Other scenarios wait for answers of a real API server meanwhile, and a minute without a look at them is an error.
    await setImmediate();
  }
  const early = [expected];
  for (let order = 1; order <= orders / 4; order++)
    early.push(await simulate(scenario, { ...options, order, collectorEarly: true }));
  return { expected, timingDependent: severalEnds(states), early: severalEnds(early) };
}

function severalEnds(states: readonly EndState[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Set(states.flatMap(state => [...state.keys()]));
  const ends = [...names].map(name => [name, new Set(states.map(state => state.get(name) ?? GONE))] as const);
  return new Map(ends.filter(([, found]) => found.size > 1));
}

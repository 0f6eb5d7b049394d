/** Plays a scenario on a simulated cluster: its steps in virtual time, ending now, then its live steps. */
import type { CollectorOnlooker } from '../../collector/index.ts';
import { type CollectorRelease, type KubeObject, ServerBehaviour } from '../../model/index.ts';
import type { ReportDeparture } from '../../simulation/index.ts';
import { builtInVersion } from '../built-in-types.ts';
import { type PlayedDelete, Player } from './player.ts';
import {
  type ControllerManagerStep,
  isPlayed,
  type NodeStep,
  type PickedObject,
  type PlayedStep,
  type Scenario,
  ScenarioError,
  type ScenarioStep,
} from './scenario.ts';
import { SimulatedWorld } from './world/simulated-world.ts';

export interface PlayedScenario {
  readonly world: SimulatedWorld;
  readonly player: Player;
}

export interface DemoSettings {
  /** Number of finished pods PodGC keeps. */
  readonly threshold?: number | undefined;
  /** The version its programs behave like, `v1.29`; its types stay the built-in ones. */
  readonly serverVersion?: string | undefined;
  /** The collector's release, with its deletion rules; today's by default. */
  readonly collector?: CollectorRelease | undefined;
  /** Called when the first collector departs from today's. */
  readonly departed?: ReportDeparture | undefined;
}

const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** `now`: end of the steps, in ms since the epoch. Names and uids repeat. Rejects with a `ScenarioError`. */
export async function playScenario(
  scenario: Scenario,
  now: number,
  settings: DemoSettings = {},
): Promise<PlayedScenario> {
  return play(scenario, await startOf(scenario, now, settings), settings);
}

/** Returns the start (ms since the epoch) that makes the steps end at `now`, by playing them once. */
export async function startOf(scenario: Scenario, now: number, settings: DemoSettings): Promise<number> {
  const end = Math.floor(now / 1000) * 1000;
  const rehearsal = await play(scenario, end, { ...settings, departed: undefined });
  return end - (rehearsal.world.now - end);
}

/** Rounds up to whole seconds, as in objects' timestamps. */
export function wholeSecond(moment: number): number {
  return Math.ceil(moment / 1000) * 1000;
}

async function play(scenario: Scenario, start: number, settings: DemoSettings): Promise<PlayedScenario> {
  const { player, world } = await beginScenario(scenario, start, settings);
  for (const step of scenario.steps) {
    if (step === 'settle') world.settle();
    else if ('wait' in step) world.wait(step.wait);
    else await playStep(step, player, world);
  }
  world.advance(wholeSecond(world.now));
  return { world, player };
}

export async function beginScenario(
  scenario: Scenario,
  start: number,
  { threshold, serverVersion, collector, departed }: DemoSettings,
  onlooker?: CollectorOnlooker,
): Promise<PlayedScenario> {
  const behaviour = new ServerBehaviour(serverVersion ?? builtInVersion, undefined, collector);
  const world = new SimulatedWorld({
    ...(threshold === undefined ? {} : { podGc: { threshold } }),
    behaviour,
    departed,
    now: start,
    nodes: scenario.nodes ?? 0,
    scheduler: scenario.scheduler ?? true,
    customTypes: [],
    seed: 1,
    onlooker,
  });
  for (const name of systemNamespaces) {
    await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const player = new Player(scenario, world);
  await player.prepare();
  return { world, player };
}

export async function playStep(
  step: PlayedStep | NodeStep | ControllerManagerStep,
  player: Player,
  world: SimulatedWorld,
): Promise<void> {
  if (isPlayed(step)) await player.play(step);
  else if ('node' in step) world.node(step.node);
  else world.control(step.controllerManager);
}

/** Repeats a scenario's `live` steps while the demo runs. */
export class LiveSteps {
  /** Contains a wait, or it would loop endlessly; the parser checks that. */
  readonly #steps: readonly ScenarioStep[];
  readonly #player: Player;
  readonly #world: SimulatedWorld;
  #index = 0;
  #due: number;

  constructor(steps: readonly ScenarioStep[], player: Player, world: SimulatedWorld) {
    this.#steps = steps;
    this.#player = player;
    this.#world = world;
    this.#due = world.now;
  }

  async advance(until: number): Promise<void> {
    while (this.due <= until) {
      this.#world.advance(this.due);
      await this.step();
    }
    this.#world.advance(until);
  }

  /** When the next step is due, in virtual ms since the epoch; infinite without steps. */
  get due(): number {
    return this.#steps.length === 0 ? Number.POSITIVE_INFINITY : this.#due;
  }

  async step(): Promise<ScenarioStep> {
    const step = this.#steps[this.#index] ?? 'settle';
    this.#index = (this.#index + 1) % this.#steps.length;
    try {
      await this.#take(step);
    } catch (error) {
      // Users can delete objects a step needs, even a namespace; the other steps go on.
      if (!(error instanceof ScenarioError)) throw error;
    }
    return step;
  }

  async #take(step: ScenarioStep): Promise<void> {
    if (step === 'settle') return;
    if ('wait' in step) this.#due += step.wait;
    else if ('delete' in step && typeof step.delete !== 'string') await this.#deletePicked(step.delete, step);
    else await playStep(step, this.#player, this.#world);
  }

  async #deletePicked(pick: PickedObject, request: PlayedDelete): Promise<void> {
    const object = this.#picked(pick);
    if (object === undefined) return;
    const { apiVersion, kind } = object.type;
    await this.#world.delete({ apiVersion, kind, namespace: object.namespace, name: object.name }, request);
  }

  #picked({ ownedBy, kind, pick }: PickedObject): KubeObject | undefined {
    const owner = this.#world.find(this.#player.place(ownedBy));
    const found = owner === undefined ? [] : [...this.#below(owner, new Set())];
    const candidates = found
      .filter(object => object.type.kind === kind && object.deletionTimestamp === undefined)
      .sort((a, b) => a.creationTimestamp - b.creationTimestamp || (a.name < b.name ? -1 : 1));
    return pick === 'oldest' ? candidates[0] : candidates.at(-1);
  }

  *#below(owner: KubeObject, seen: Set<string>): IterableIterator<KubeObject> {
    for (const dependent of this.#world.cluster.store.ownedBy(owner.uid)) {
      if (seen.has(dependent.uid)) continue;
      seen.add(dependent.uid);
      yield dependent;
      yield* this.#below(dependent, seen);
    }
  }
}

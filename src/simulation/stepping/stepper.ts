/** Steps through a simulated world forward and back. Going back repeats everything in a new, deterministic world. */
import type {
  Branch,
  CollectorOnlooker,
  CollectorState,
  CollectorStep,
  StepLookUp,
} from '../../collector/index.ts';
import type { TypeCatalog } from '../../model/index.ts';
import type { Task } from '../clock.ts';
import type { SimulatedCluster } from '../runtime/simulated-cluster.ts';
import type { Breakpoint } from './parse-breakpoint.ts';
import { stepRequest } from './step-request.ts';

type StepWork = CollectorStep['work'];

type StepWarning = CollectorStep['warnings'][number];

type StepQueued = CollectorStep['queued'][number];

/** A world to step: the clock's tasks and outside actions, in a reproducible order. */
export interface SteppedWorld {
  readonly cluster: SimulatedCluster;
  /** Runs the next move; undefined at the end. */
  move(): Promise<Move | undefined>;
}

export type Move =
  | { readonly of: 'task'; readonly task: Task }
  /** `by` names the source, such as `user`, even if it sends no request. */
  | { readonly of: 'outside'; readonly by: string; readonly about: string };

export type MakeWorld = (onlooker: CollectorOnlooker) => Promise<SteppedWorld>;

/** `task`: any visible action. `item`: an item of a collector's worker. */
export type StepUnit = 'task' | 'event' | 'item';

/** Older steps are forgotten, but can still be gone back to. */
const MOST_STEPS = 50_000;

export class Stepper {
  readonly #make: MakeWorld;
  readonly #notes: Notes;
  #world: SteppedWorld;
  /** Moves so far, and by each step. */
  #moves = 0;
  #movesBy: number[] = [];
  #steps: CollectorStep[] = [];
  #ended = false;

  private constructor(make: MakeWorld, world: SteppedWorld, notes: Notes) {
    this.#make = make;
    this.#world = world;
    this.#notes = notes;
  }

  static async begin(make: MakeWorld): Promise<Stepper> {
    const notes = new Notes();
    return new Stepper(make, await make(notes), notes);
  }

  /** The current world, which is replaced when going back. */
  get cluster(): SimulatedCluster {
    return this.#world.cluster;
  }

  get state(): CollectorState {
    return this.cluster.collectorState;
  }

  get catalog(): TypeCatalog {
    return this.cluster.discovery.catalog;
  }

  get steps(): readonly CollectorStep[] {
    return this.#steps;
  }

  get count(): number {
    return this.#movesBy.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs to the next step of this unit and returns it; undefined at the end. */
  next(unit: StepUnit): Promise<CollectorStep | undefined> {
    return this.runTo(step => unit === 'task' || step.work.of === unit);
  }

  /** Returns undefined at the end. */
  async runTo(breakpoint: Breakpoint): Promise<CollectorStep | undefined> {
    for (;;) {
      const step = await this.#advance();
      if (step === 'ended') return undefined;
      if (step !== 'unseen' && breakpoint(step)) return step;
    }
  }

  run(): Promise<undefined> {
    return this.runTo(() => false).then(() => undefined);
  }

  /** The current position to restore, even between two steps. */
  get position(): number {
    return this.#moves;
  }

  async goTo(steps: number): Promise<void> {
    if (steps <= this.count) await this.restore(this.#movesBy[steps - 1] ?? 0);
    while (this.count < steps && !this.#ended) await this.#advance();
  }

  /** Repeats the moves up to an earlier position in a new world. */
  async restore(position: number): Promise<void> {
    if (position >= this.#moves) return;
    this.#world = await this.#make(this.#notes);
    for (let each = 0; each < position; each++) await this.#world.move();
    this.#notes.clear();
    this.#moves = position;
    this.#movesBy = this.#movesBy.filter(moves => moves <= position);
    this.#steps = this.#steps.filter(({ n }) => n <= this.count);
    this.#ended = false;
  }

  async #advance(): Promise<CollectorStep | 'unseen' | 'ended'> {
    if (this.#ended) return 'ended';
    const { cluster } = this.#world;
    this.#notes.clear();
    const logged = cluster.api.log.entries.length;
    this.#notes.countRequests = () => cluster.api.log.entries.length - logged;
    const move = await this.#world.move();
    if (move === undefined) {
      this.#ended = true;
      return 'ended';
    }
    this.#moves += 1;
    const bodies = this.#notes.bodies;
    const requests = cluster.api.log.entries
      .slice(logged)
      .map((request, index) => stepRequest(request, bodies.get(index)));
    const { work, branches, lookUps, queued, warnings } = this.#notes;
    if (move.of === 'task' && work === undefined && requests.length === 0 && queued.length === 0) {
      return 'unseen';
    }
    const step: CollectorStep = {
      n: this.count + 1,
      at: cluster.clock.now,
      actor:
        move.of === 'outside'
          ? move.by
          : ((work === undefined ? requests[0]?.actor : undefined) ?? actorOf(move.task)),
      knowledge: 'simulated',
      work: work ?? workOf(move),
      branches,
      lookUps,
      requests,
      queued,
      warnings,
    };
    this.#steps.push(step);
    if (this.#steps.length >= 2 * MOST_STEPS) this.#steps = this.#steps.slice(-MOST_STEPS);
    this.#movesBy.push(this.#moves);
    return step;
  }
}

function workOf(move: Move): StepWork {
  if (move.of === 'outside') return { of: 'outside', about: move.about };
  const [first, , resource = ''] = move.task.lane.split(' ');
  if (first === 'watch') return { of: 'watch', resource };
  return { of: 'task', name: move.task.lane.replace(uidInLane, '') };
}

/** The uid in the lane of a task for one object, which is hidden. */
const uidInLane = / [\da-f]{8}-[\da-f]{4}-[\da-f-]{22}$/u;

/** Lanes start with the controller's name, or with `watch` and the process. */
function actorOf({ lane }: Task): string {
  const [first = ''] = lane.split(' ');
  return first === 'watch' ? 'garbage-collector' : first;
}

class Notes implements CollectorOnlooker {
  work: StepWork | undefined;
  branches: Branch[] = [];
  lookUps: StepLookUp[] = [];
  queued: StepQueued[] = [];
  warnings: StepWarning[] = [];
  /** Bodies by the request's index within this move. */
  bodies = new Map<number, unknown>();
  countRequests: () => number = () => 0;

  clear(): void {
    this.work = undefined;
    this.branches = [];
    this.lookUps = [];
    this.queued = [];
    this.warnings = [];
    this.bodies = new Map();
  }

  works(work: StepWork): void {
    this.work = work;
  }

  takes(branch: Branch): void {
    this.branches.push(branch);
  }

  looksUp(lookUp: StepLookUp): void {
    this.lookUps.push(lookUp);
  }

  sends(body: unknown): void {
    this.bodies.set(this.countRequests(), body);
  }

  queues(queued: StepQueued): void {
    this.queued.push(queued);
  }

  warns(warning: StepWarning): void {
    this.warnings.push(warning);
  }
}

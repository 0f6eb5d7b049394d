/** Steps through a simulated world forward and back. Going back repeats everything in a new, deterministic world. */
import type { CollectorState } from '../../collector/state.ts';
import type {
  Branch,
  CollectorOnlooker,
  CollectorStep,
  StepLookUp,
  StepQueued,
  StepWarning,
  StepWork,
} from '../../collector/step.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import type { Task } from '../clock.ts';
import type { SimulatedCluster } from '../runtime/cluster.ts';
import type { Breakpoint } from './breakpoint.ts';
import { stepRequest } from './request.ts';

/** A world to step: the clock's tasks and outside actions, in a reproducible order. */
export interface SteppedWorld {
  readonly cluster: SimulatedCluster;
  /**
   * Runs the next move up to `until`, in virtual milliseconds since the epoch; undefined if none came, or at the end.
   */
  move(until?: number): Promise<Move | undefined>;
}

export type Move =
  | { readonly of: 'task'; readonly task: Task }
  /** `by` names the source, such as `user`, even if it sends no request. */
  | { readonly of: 'outside'; readonly by: string; readonly about: string };

export type MakeWorld = (onlooker: CollectorOnlooker) => Promise<SteppedWorld>;

/** `task`: any visible action. `item`: an item of a collector's worker. */
export type StepUnit = 'task' | 'event' | 'item';

/** An action on the stepped world. It must be repeatable. */
export interface Interference {
  readonly by: string;
  readonly about: string;
  readonly act: (cluster: SimulatedCluster) => void | Promise<void>;
}

/** An action to repeat: a move, a move up to a moment, a wait or an interference. */
type Done = 'move' | number | Waited | Interference;

/** A wait without moves until a moment in virtual milliseconds since the epoch. */
interface Waited {
  readonly until: number;
}

const MOST_STEPS = 50_000;

export class Stepper {
  readonly #make: MakeWorld;
  readonly #notes = new Notes();
  #world: SteppedWorld;
  #done: Done[] = [];
  #marked = 0;
  #steps: CollectorStep[] = [];
  readonly #most: number;
  #doneBy: number[] = [];
  #ended = false;

  private constructor(make: MakeWorld, world: SteppedWorld, notes: Notes, most: number) {
    this.#make = make;
    this.#world = world;
    this.#notes = notes;
    this.#most = most;
  }

  /** `most` limits the kept steps; older ones can still be restored. */
  static async begin(make: MakeWorld, most: number = MOST_STEPS): Promise<Stepper> {
    const notes = new Notes();
    return new Stepper(make, await make(notes), notes, most);
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
    return this.#doneBy.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs to the next step of this unit and returns it; undefined at the end. */
  next(unit: StepUnit): Promise<CollectorStep | undefined> {
    return this.runTo(step => unit === 'task' || step.work.of === unit);
  }

  /** Returns undefined at the end or after `moves` moves, for a world that never ends. */
  async runTo(breakpoint: Breakpoint, moves = Number.POSITIVE_INFINITY): Promise<CollectorStep | undefined> {
    for (let move = 0; move < moves; move++) {
      const step = await this.#advance();
      if (step === 'ended') return undefined;
      if (step !== 'unseen' && breakpoint(step)) return step;
    }
    return undefined;
  }

  run(): Promise<undefined> {
    return this.runTo(() => false).then(() => undefined);
  }

  /** Runs everything up to a moment, in virtual milliseconds since the epoch. */
  async pass(until: number): Promise<void> {
    this.#ended = false;
    while ((await this.#take(until)) !== 'ended');
  }

  async interfere(interference: Interference): Promise<CollectorStep | undefined> {
    const step = await this.#take(interference);
    this.#ended = false;
    return step === 'unseen' || step === 'ended' ? undefined : step;
  }

  /** The current position to restore, even between two steps. */
  get position(): number {
    this.#marked = this.#done.length;
    return this.#marked;
  }

  async goTo(steps: number): Promise<void> {
    if (steps <= this.count) await this.restore(this.#doneBy[steps - 1] ?? 0);
    while (this.count < steps && !this.#ended) await this.#advance();
  }

  async restore(position: number): Promise<void> {
    if (position >= this.#done.length) return;
    const done = this.#done.slice(0, Math.max(0, position));
    const later = this.#doneBy.findIndex(each => each > done.length);
    const steps = later < 0 ? this.count : later;
    this.#world = await this.#make(this.#notes);
    for (const each of done) await this.#act(each);
    this.#notes.clear();
    this.#done = done;
    this.#marked = done.length;
    this.#steps = this.#steps.filter(({ n }) => n <= steps);
    this.#doneBy = this.#doneBy.slice(0, steps);
    this.#ended = false;
  }

  async #advance(): Promise<CollectorStep | 'unseen' | 'ended'> {
    if (this.#ended) return 'ended';
    const step = await this.#take('move');
    this.#ended = step === 'ended';
    return step;
  }

  async #take(done: Done): Promise<CollectorStep | 'unseen' | 'ended'> {
    const { cluster } = this.#world;
    this.#notes.clear();
    const logged = cluster.api.log.entries.length;
    this.#notes.countRequests = () => cluster.api.log.entries.length - logged;
    const move = await this.#act(done);
    if (move === undefined) {
      if (typeof done === 'number') this.#wait(done);
      return 'ended';
    }
    this.#done.push(done);
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
    if (this.#steps.length >= 2 * this.#most) this.#steps = this.#steps.slice(-this.#most);
    this.#doneBy.push(this.#done.length);
    return step;
  }

  /** Merges consecutive waits, unless a position between them may be restored. */
  #wait(until: number): void {
    const last = this.#done.at(-1);
    const isWaiting = typeof last === 'object' && 'until' in last;
    if (isWaiting && this.#done.length > this.#marked) this.#done.pop();
    this.#done.push({ until });
  }

  async #act(done: Done): Promise<Move | undefined> {
    if (done === 'move') return this.#world.move();
    if (typeof done === 'number') return this.#world.move(done);
    if ('until' in done) return this.#world.move(done.until);
    await done.act(this.cluster);
    return { of: 'outside', by: done.by, about: done.about };
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

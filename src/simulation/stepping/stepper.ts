/**
 * Steps through a simulated world: forward by a task, a graph event or a work item, or until a step that somebody waits for,
 * and back to any step before. Going back makes the world anew and has it do the same again: it is deterministic, so that
 * everything is exactly as it was. That costs what running so far costs, some milliseconds for a scenario.
 */
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

/** A world that is stepped: its clock's tasks, and what comes from outside, in an order that is the same each time. */
export interface SteppedWorld {
  readonly cluster: SimulatedCluster;
  /**
   * Does what comes next, if it comes until the moment `until`, in virtual milliseconds since the epoch; else that moment is
   * there, and it resolves with undefined. Without a moment undefined means that nothing is left to come.
   */
  move(until?: number): Promise<Move | undefined>;
}

export type Move =
  | { readonly of: 'task'; readonly task: Task }
  /** `by`: whoever it comes from, `user`; where it sends no request, nobody but this says so. */
  | { readonly of: 'outside'; readonly by: string; readonly about: string };

/** Makes the world as it is before anything was done; its collector tells the onlooker. */
export type MakeWorld = (onlooker: CollectorOnlooker) => Promise<SteppedWorld>;

/** `task`: whatever anybody does that can be seen. `item`: of a worker of the collector. */
export type StepUnit = 'task' | 'event' | 'item';

/** Something that is done to the world while it is stepped. It must do the same whenever it is repeated. */
export interface Interference {
  readonly by: string;
  readonly about: string;
  readonly act: (cluster: SimulatedCluster) => void | Promise<void>;
}

/** What was done, to be done again: a move of the world, or one that had to come until a moment, or an interference. */
type Done = 'move' | number | Waited | Interference;

/** Time that passed without a move, until a moment in virtual milliseconds since the epoch. */
interface Waited {
  readonly until: number;
}

/** So many steps are kept where nobody says. */
const MOST_STEPS = 50_000;

export class Stepper {
  readonly #make: MakeWorld;
  readonly #notes = new Notes();
  #world: SteppedWorld;
  #done: Done[] = [];
  /** Somebody may come back to this position. */
  #marked = 0;
  /** The latest ones. */
  #steps: CollectorStep[] = [];
  readonly #most: number;
  /** By step: how much was done when it had been taken. */
  #doneBy: number[] = [];
  #ended = false;

  private constructor(make: MakeWorld, world: SteppedWorld, notes: Notes, most: number) {
    this.#make = make;
    this.#world = world;
    this.#notes = notes;
    this.#most = most;
  }

  /** `most`: so many steps are kept; older ones can still be gone back to. */
  static async begin(make: MakeWorld, most: number = MOST_STEPS): Promise<Stepper> {
    const notes = new Notes();
    return new Stepper(make, await make(notes), notes, most);
  }

  /** The world as it is now: another one after going back. */
  get cluster(): SimulatedCluster {
    return this.#world.cluster;
  }

  get state(): CollectorState {
    return this.cluster.collectorState;
  }

  get catalog(): TypeCatalog {
    return this.cluster.discovery.catalog;
  }

  /** Those that were taken, as far as they are kept, the first one first. */
  get steps(): readonly CollectorStep[] {
    return this.#steps;
  }

  /** How many were taken. */
  get count(): number {
    return this.#doneBy.length;
  }

  /** Nothing is left to come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Goes on until a step of this unit was taken, and returns it; undefined where the end came first. */
  next(unit: StepUnit): Promise<CollectorStep | undefined> {
    return this.runTo(step => unit === 'task' || step.work.of === unit);
  }

  /**
   * Goes on until a step that is waited for was taken, and returns it; undefined where the end came first, or so many moves,
   * for a world that never ends.
   */
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

  /** Everything that comes until a moment, in virtual milliseconds since the epoch. */
  async pass(until: number): Promise<void> {
    this.#ended = false;
    while ((await this.#take(until)) !== 'ended');
  }

  /** Does something to the world between two steps; undone by going back before it. */
  async interfere(interference: Interference): Promise<CollectorStep | undefined> {
    const step = await this.#take(interference);
    this.#ended = false;
    return step === 'unseen' || step === 'ended' ? undefined : step;
  }

  /** Where it is now, to come back to: also between two steps, where time has passed. */
  get position(): number {
    this.#marked = this.#done.length;
    return this.#marked;
  }

  /** To where so many steps had been taken and nothing else: back by making the world anew, else forward. */
  async goTo(steps: number): Promise<void> {
    if (steps <= this.count) await this.restore(this.#doneBy[steps - 1] ?? 0);
    while (this.count < steps && !this.#ended) await this.#advance();
  }

  /** To a position before: everything is exactly as it was. */
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

  /** Of a while in which nothing came only its end counts, unless somebody may come back to somewhere in between. */
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

/** Of a task that belongs to one object, whose uid says nothing to anybody. */
const uidInLane = / [\da-f]{8}-[\da-f]{4}-[\da-f-]{22}$/u;

/** Lanes begin with the name of the controller, those of watches with `watch` and the process. */
function actorOf({ lane }: Task): string {
  const [first = ''] = lane.split(' ');
  return first === 'watch' ? 'garbage-collector' : first;
}

/** What the collector tells during one move. */
class Notes implements CollectorOnlooker {
  work: StepWork | undefined;
  branches: Branch[] = [];
  lookUps: StepLookUp[] = [];
  queued: StepQueued[] = [];
  warnings: StepWarning[] = [];
  /** By the place of the request among those of this move. */
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

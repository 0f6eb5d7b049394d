/** Virtual time: a deterministic queue of tasks, by time and then by order of scheduling or a forecast's choice. */
import type { Sliced } from '../model/index.ts';

/** Picks the next of the tasks that are due, or become due during requests: the oldest of each lane. */
export type Chooser = (ready: readonly Task[]) => Task;

export interface ScheduleOptions {
  /** Milliseconds from now; 0 by default. */
  readonly delay?: number;
  readonly kind?: TaskKind;
  /** The task first sends several requests, so without a chooser it runs after other due tasks. */
  readonly slow?: boolean;
  /** The second half of an attempt: it must run before rest, but is no change, and its retries date from the start. */
  readonly continues?: boolean;
  /** A retry that repeats nothing, so it counts as pending until it has run. */
  readonly untried?: boolean;
}

export interface RunLimits {
  /** Virtual milliseconds since the epoch; by default, until everything is at rest. */
  readonly until?: number;
  /** The most tasks to run, for simulations that never rest. */
  readonly tasks?: number;
}

export type RunOutcome = 'rest' | 'until' | 'limit';

const NO_EPOCH = -1;
/** After this many retries in a row without a change, repeated ones wait for a new one. */
const MANY_REPEATS = 1000;
/**
 * The milliseconds that requests may take: with a chooser, shorter back-offs may end first. kube-controller-manager
 * sends 20 a second (`--kube-api-qps`), and first retries after 5 ms.
 */
const SLOW_REQUESTS = 50;
const TASKS_OF_A_SLICE = 8;
const NOW: ScheduleOptions = {};

export class VirtualClock {
  #time: number;
  #sequence = 0;
  /** Increases with everything that could change the result of a repeated attempt. */
  #epoch = 0;
  #epochOfAttempt = NO_EPOCH;
  #pendingWork = 0;
  #pendingRetries = 0;
  #settledRetries = 0;
  readonly #due = new DueTasks();
  readonly #dueSlow = new DueTasks();
  readonly #later = new LaterTasks();
  readonly #chooser: Chooser | undefined;

  /** Without a chooser tasks run in the order of scheduling. */
  constructor(now: number, chooser?: Chooser) {
    this.#time = now;
    this.#chooser = chooser;
  }

  get now(): number {
    return this.#time;
  }

  /** A number that changes when an attempt could have another result. */
  get state(): number {
    return this.#epoch;
  }

  /** True if only repetitions are pending. */
  get atRest(): boolean {
    return this.#pendingWork === 0 && this.#settledRetries === this.#pendingRetries;
  }

  schedule(lane: string, run: () => void, options: ScheduleOptions = NOW): Task {
    const { delay = 0, kind = 'work', slow = false, continues = false, untried = false } = options;
    const at = this.#time + Math.max(0, delay);
    const epoch = untried ? NO_EPOCH : this.#epochOfAttempt;
    const sequence = this.#sequence++;
    const task: PendingTask = {
      at,
      sequence,
      lane,
      kind,
      run,
      epoch,
      slow,
      continues,
      cancelled: false,
    };
    if (kind === 'work') this.#pendingWork++;
    else if (kind === 'retry') {
      this.#pendingRetries++;
      if (epoch === this.#epoch) this.#settledRetries++;
    }
    if (at === this.#time) this.#makeDue(task);
    else this.#later.push(task);
    return task;
  }

  cancel(task: Task): void {
    const pending = task as PendingTask;
    if (pending.cancelled) return;
    pending.cancelled = true;
    this.#forget(pending);
  }

  /** Must be called at every change of state, so that failed attempts are worth repeating. */
  progressed(): void {
    this.#epoch++;
    this.#settledRetries = 0;
  }

  /** Moves time to the next task, runs and returns it. Undefined if there is none up to `until`. */
  step(until = Number.POSITIVE_INFINITY): Task | undefined {
    const task = this.#next(until);
    if (task === undefined) return undefined;
    task.cancelled = true;
    this.#forget(task);
    if (task.kind === 'work' && !task.continues) this.progressed();
    this.#epochOfAttempt = task.continues ? task.epoch : this.#epoch;
    try {
      task.run();
    } finally {
      this.#epochOfAttempt = NO_EPOCH;
    }
    return task;
  }

  run(limits: RunLimits = {}): RunOutcome {
    const next = this.running(limits);
    for (;;) {
      const done = next();
      if (typeof done === 'string') return done;
    }
  }

  *runInSlices(limits: RunLimits = {}): Sliced<RunOutcome> {
    const next = this.running(limits);
    for (let count = 1; ; count++) {
      const done = next();
      if (typeof done === 'string') return done;
      if (count % TASKS_OF_A_SLICE === 0) yield;
    }
  }

  /** Returns a function that runs one task per call and returns it, or the outcome at the end. */
  running(limits: RunLimits = {}): () => Task | RunOutcome {
    const { until, tasks = Number.POSITIVE_INFINITY } = limits;
    let epoch = this.#epoch;
    let repeats = 0;
    let count = 0;
    return () => {
      if (until === undefined && this.atRest) return 'rest';
      if (count >= tasks) return 'limit';
      count++;
      repeats = epoch === this.#epoch ? repeats + 1 : 0;
      epoch = this.#epoch;
      if (until === undefined && repeats > MANY_REPEATS) this.#postponeRepeats();
      const task = this.step(until);
      if (task !== undefined) return task;
      if (until === undefined) return 'rest';
      this.#time = Math.max(this.#time, until);
      return 'until';
    };
  }

  /** Moves time and all pending tasks by the given milliseconds, for long waits at rest. */
  skip(milliseconds: number): void {
    this.#time += milliseconds;
    this.#later.move(({ at }) => at + milliseconds);
  }

  /**
   * Delays repeated attempts until the next new one or change: waiting 15 minutes would otherwise take thousands of
   * repetitions, and a grace period of a year more than the task limit.
   */
  #postponeRepeats(): void {
    if (this.#due.pending().length > 0 || this.#dueSlow.pending().length > 0) return;
    const settled = ({ kind, epoch }: PendingTask): boolean => kind === 'retry' && epoch === this.#epoch;
    let next = Number.POSITIVE_INFINITY;
    for (const task of this.#later.pending()) {
      if (task.kind === 'work' || (task.kind === 'retry' && !settled(task))) next = Math.min(next, task.at);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#later.move(task => (settled(task) ? Math.max(task.at, next) : task.at));
  }

  #forget(task: PendingTask): void {
    if (task.kind === 'work') this.#pendingWork--;
    else if (task.kind === 'retry') {
      this.#pendingRetries--;
      if (task.epoch === this.#epoch) this.#settledRetries--;
    }
  }

  #next(until: number): PendingTask | undefined {
    for (;;) {
      const task = this.#chooser === undefined ? this.#takeOldest() : this.#takeChosen(this.#chooser, until);
      if (task !== undefined) return task;
      if (!this.#advance(until)) return undefined;
    }
  }

  #makeDue(task: PendingTask): void {
    (task.slow ? this.#dueSlow : this.#due).push(task);
  }

  #takeOldest(): PendingTask | undefined {
    return this.#due.take() ?? this.#dueSlow.take();
  }

  #takeChosen(chooser: Chooser, until: number): PendingTask | undefined {
    const heads = new Map<string, PendingTask>();
    for (const queue of [this.#due, this.#dueSlow]) {
      for (const task of queue.pending()) if (!heads.has(task.lane)) heads.set(task.lane, task);
    }
    if (heads.size === 0) return undefined;
    for (const task of this.#later.until(Math.min(until, this.#time + SLOW_REQUESTS)))
      if (!heads.has(task.lane)) heads.set(task.lane, task);
    const ready = [...heads.values()];
    const [first] = ready;
    if (first === undefined) return undefined;
    const chosen = ready.length === 1 ? first : (heads.get(chooser(ready).lane) ?? first);
    this.#moveTo(chosen.at);
    (chosen.slow ? this.#dueSlow : this.#due).remove(chosen);
    return chosen;
  }

  /** Moves time to the next pending task and makes all tasks of that moment due. */
  #advance(until: number): boolean {
    const next = this.#later.next();
    if (next === undefined || next > until) return false;
    this.#moveTo(next);
    return true;
  }

  #moveTo(time: number): void {
    for (let next = this.#later.next(); next !== undefined && next <= time; next = this.#later.next()) {
      this.#time = next;
      for (const task of this.#later.take(next)) this.#makeDue(task);
    }
  }
}

/**
 * The effect of a pending task on rest (`run`). `work` must run before rest. `retry`, a failed attempt or a periodic
 * check, is pending until it has run once on the current state. `idle` never prevents rest, such as the next firing of
 * a schedule.
 */
export type TaskKind = 'work' | 'retry' | 'idle';

export interface Task {
  readonly at: number;
  readonly sequence: number;
  /** Tasks of one lane run in the order of scheduling, even with a chooser. */
  readonly lane: string;
  readonly kind: TaskKind;
}

export interface PendingTask extends Task {
  readonly run: () => void;
  /** The epoch of the attempt that scheduled a retry; if current, the state hasn't changed since. */
  readonly epoch: number;
  readonly slow: boolean;
  readonly continues: boolean;
  cancelled: boolean;
}

class DueTasks {
  /** Taken tasks become undefined to free their memory. */
  #tasks: (PendingTask | undefined)[] = [];
  #from = 0;

  push(task: PendingTask): void {
    this.#tasks.push(task);
  }

  take(): PendingTask | undefined {
    while (this.#from < this.#tasks.length) {
      const task = this.#tasks[this.#from];
      this.#tasks[this.#from++] = undefined;
      if (task !== undefined && !task.cancelled) return task;
    }
    this.#tasks = [];
    this.#from = 0;
    return undefined;
  }

  pending(): readonly PendingTask[] {
    const left = this.#tasks
      .slice(this.#from)
      .filter((task): task is PendingTask => task !== undefined && !task.cancelled);
    this.#tasks = left;
    this.#from = 0;
    return left;
  }

  /** Must follow `pending`. */
  remove(task: PendingTask): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
  }
}

/** Future tasks by moment, because many share one. */
class LaterTasks {
  /** Sorted with the next moment last. */
  #moments: number[] = [];
  readonly #tasks = new Map<number, PendingTask[]>();

  push(task: PendingTask): void {
    const tasks = this.#tasks.get(task.at);
    if (tasks !== undefined) {
      tasks.push(task);
      return;
    }
    this.#tasks.set(task.at, [task]);
    let [from, to] = [0, this.#moments.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#moments[middle] ?? 0) > task.at) from = middle + 1;
      else to = middle;
    }
    this.#moments.splice(from, 0, task.at);
  }

  next(): number | undefined {
    for (;;) {
      const at = this.#moments.at(-1);
      if (at === undefined || this.#tasks.get(at)?.some(task => !task.cancelled)) return at;
      this.take(at);
    }
  }

  /** Takes all tasks of the next moment, in the order of scheduling. */
  take(at: number): PendingTask[] {
    const tasks = this.#tasks.get(at) ?? [];
    this.#tasks.delete(at);
    this.#moments.pop();
    return tasks.filter(task => !task.cancelled);
  }

  *until(moment: number): Generator<PendingTask> {
    for (let index = this.#moments.length - 1; index >= 0; index--) {
      const at = this.#moments[index] ?? Infinity;
      if (at > moment) return;
      yield* (this.#tasks.get(at) ?? []).filter(task => !task.cancelled);
    }
  }

  *pending(): Generator<PendingTask> {
    for (const tasks of this.#tasks.values()) yield* tasks.filter(task => !task.cancelled);
  }

  move(momentOf: (task: PendingTask) => number): void {
    const all = [...this.pending()].sort((a, b) => a.sequence - b.sequence);
    this.#tasks.clear();
    this.#moments = [];
    for (const task of all) {
      // The task itself must move, because cancelling needs the same object.
      this.push(Object.assign(task, { at: momentOf(task) }));
    }
  }
}

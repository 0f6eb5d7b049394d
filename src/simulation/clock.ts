/**
 * Virtual time and what is to happen in it: a deterministic queue of tasks, first by time, then in the order of
 * scheduling. Apart from everything else, because the forecast takes the order into its own hands here.
 */
import type { Sliced } from '../model/slices.ts';

/** Picks the next among tasks that are due, or will be while requests are under way: one per lane, the oldest first. */
export type Chooser = (ready: readonly Task[]) => Task;

export interface ScheduleOptions {
  /** Milliseconds from now; 0 where left out. */
  readonly delay?: number;
  readonly kind?: TaskKind;
  /**
   * Begins with several requests before it writes anything: without a chooser it runs after whatever else is
   * due at that moment.
   */
  readonly slow?: boolean;
  /**
   * The second half of the attempt that schedules it: it must happen before anything is at rest, but is no
   * change by itself, and a retry that it schedules dates from the beginning of the attempt.
   */
  readonly continues?: boolean;
  /** Of a retry: it is no repetition of the attempt that schedules it, and counts as pending until it has run. */
  readonly untried?: boolean;
}

export interface RunLimits {
  /** Virtual milliseconds since the epoch. Without it: until everything is at rest. */
  readonly until?: number;
  /** Guards against simulations that never rest. */
  readonly tasks?: number;
}

/** `limit`: the number of tasks was used up first. */
export type RunOutcome = 'rest' | 'until' | 'limit';

const NO_EPOCH = -1;
/** So many retries in a row that changed nothing: from then on those that repeat themselves wait for one that doesn't. */
const MANY_REPEATS = 1000;
/**
 * Milliseconds that requests may take: with a chooser, a back-off that is shorter may be over before they are answered.
 * kube-controller-manager makes 20 in a second (`--kube-api-qps`), and retries after 5 ms first.
 */
const SLOW_REQUESTS = 50;
/** A quarter of a millisecond's, as a rule. */
const TASKS_OF_A_SLICE = 8;
const NOW: ScheduleOptions = {};

export class VirtualClock {
  #time: number;
  #sequence = 0;
  /** Changes with everything that could make a repeated attempt turn out otherwise. */
  #epoch = 0;
  #epochOfAttempt = NO_EPOCH;
  #pendingWork = 0;
  #pendingRetries = 0;
  #settledRetries = 0;
  readonly #due = new DueTasks();
  readonly #dueSlow = new DueTasks();
  readonly #later = new LaterTasks();
  readonly #chooser: Chooser | undefined;

  /** `now` in milliseconds since the epoch. Without a chooser tasks run in the order of scheduling. */
  constructor(now: number, chooser?: Chooser) {
    this.#time = now;
    this.#chooser = chooser;
  }

  get now(): number {
    return this.#time;
  }

  /** Another number whenever an attempt could turn out otherwise than it did. */
  get state(): number {
    return this.#epoch;
  }

  /** Nothing is pending but what would repeat itself. */
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

  /** Told of every change of state, so that attempts that failed before it are worth repeating. */
  progressed(): void {
    this.#epoch++;
    this.#settledRetries = 0;
  }

  /** Runs the next task, moving time to it, and returns it. Undefined when there is none, up to `until`. */
  step(until = Number.POSITIVE_INFINITY): Task | undefined {
    const task = this.#next(until);
    if (task === undefined) return undefined;
    // It cannot be cancelled any more, and is no longer counted.
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

  /** The same with pauses between tasks. */
  *runInSlices(limits: RunLimits = {}): Sliced<RunOutcome> {
    const next = this.running(limits);
    for (let count = 1; ; count++) {
      const done = next();
      if (typeof done === 'string') return done;
      if (count % TASKS_OF_A_SLICE === 0) yield;
    }
  }

  /** The same task by task: each call runs one and returns it, or says at last why none is left. */
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

  /**
   * So many milliseconds in which nothing happens: whatever is pending comes so much later. For long waits at rest,
   * in which only periodic looks would be repeated.
   */
  skip(milliseconds: number): void {
    this.#time += milliseconds;
    this.#later.move(({ at }) => at + milliseconds);
  }

  /**
   * Repeated attempts wait for the next that hasn't been made on this state, or the next change: one that comes after a
   * quarter of an hour would otherwise be awaited through thousands of others, ten a second, and a grace period of a
   * year through more than a simulation has tasks for.
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

  /** Moves time to the next pending task, and makes due all that wait for that moment. */
  #advance(until: number): boolean {
    const next = this.#later.next();
    if (next === undefined || next > until) return false;
    this.#moveTo(next);
    return true;
  }

  /** Nothing changes where that moment has come. */
  #moveTo(time: number): void {
    for (let next = this.#later.next(); next !== undefined && next <= time; next = this.#later.next()) {
      this.#time = next;
      for (const task of this.#later.take(next)) this.#makeDue(task);
    }
  }
}

/**
 * What a pending task means for rest (`run`).
 * - `work`: something will happen; nothing is at rest before it did.
 * - `retry`: an attempt that failed, or a periodic look. It counts as pending until it has run once on the
 *   state as it is now: repeating it again could not turn out otherwise.
 * - `idle`: never keeps the cluster from being at rest, such as the next firing of a schedule.
 */
export type TaskKind = 'work' | 'retry' | 'idle';

export interface Task {
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly sequence: number;
  /** Tasks of one lane run in the order of scheduling, whoever chooses. */
  readonly lane: string;
  readonly kind: TaskKind;
}

export interface PendingTask extends Task {
  readonly run: () => void;
  /** Of the attempt that scheduled a retry; the state has not changed since where it is the current one. */
  readonly epoch: number;
  readonly slow: boolean;
  readonly continues: boolean;
  cancelled: boolean;
}

/** Tasks whose time has come, in the order of scheduling. */
class DueTasks {
  /** Undefined where a task was taken: what it holds on to is free at once. */
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

  /** Drops what was taken or cancelled. */
  pending(): readonly PendingTask[] {
    const left = this.#tasks
      .slice(this.#from)
      .filter((task): task is PendingTask => task !== undefined && !task.cancelled);
    this.#tasks = left;
    this.#from = 0;
    return left;
  }

  /** After `pending`. */
  remove(task: PendingTask): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
  }
}

/** Tasks whose time is yet to come: by moment, because many wait for the same. */
class LaterTasks {
  /** The last one first. */
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

  /** The next moment at which there is a task that wasn't cancelled. */
  next(): number | undefined {
    for (;;) {
      const at = this.#moments.at(-1);
      if (at === undefined || this.#tasks.get(at)?.some(task => !task.cancelled)) return at;
      this.take(at);
    }
  }

  /** Takes all tasks of this moment, the next one, in the order of scheduling. */
  take(at: number): PendingTask[] {
    const tasks = this.#tasks.get(at) ?? [];
    this.#tasks.delete(at);
    this.#moments.pop();
    return tasks.filter(task => !task.cancelled);
  }

  /** Up to this moment, the next one first. */
  *until(moment: number): Generator<PendingTask> {
    for (let index = this.#moments.length - 1; index >= 0; index--) {
      const at = this.#moments[index] ?? Infinity;
      if (at > moment) return;
      yield* (this.#tasks.get(at) ?? []).filter(task => !task.cancelled);
    }
  }

  /** In no order. */
  *pending(): Generator<PendingTask> {
    for (const tasks of this.#tasks.values()) yield* tasks.filter(task => !task.cancelled);
  }

  /** Each comes at the moment that is given for it. */
  move(momentOf: (task: PendingTask) => number): void {
    const all = [...this.pending()].sort((a, b) => a.sequence - b.sequence);
    this.#tasks.clear();
    this.#moments = [];
    for (const task of all) {
      // The task itself, and no copy: whoever cancels it later must find it.
      this.push(Object.assign(task, { at: momentOf(task) }));
    }
  }
}

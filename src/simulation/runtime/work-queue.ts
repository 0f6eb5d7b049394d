/** A controller's queue: waiting keys aren't queued twice, and failures back off (client-go util/workqueue, v0.36). */
import type { ScheduleOptions, Task, TaskKind, VirtualClock } from '../clock.ts';

export interface WorkQueueOptions {
  /** Milliseconds of the first back-off, doubled with each failure. */
  readonly baseDelay?: number;
  /** Milliseconds. */
  readonly maxDelay?: number;
  /** The limit of rate-limited additions; undefined for the key's back-off alone. */
  readonly bucket?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Keys start with several requests, so quicker due work runs first. */
  readonly slow?: boolean;
  readonly anyOrder?: boolean;
}

export interface DelayedKey<K> {
  readonly key: K;
  readonly at: number;
  readonly failures: number;
}

/**
 * `retry`: a request failed, so the key returns after its back-off. `after`: the key returns after these milliseconds.
 * `pending`: processing continues until `conclude` is called.
 */
export type SyncResult = 'done' | 'retry' | 'pending' | { readonly after: number; readonly kind?: TaskKind };

/** The limits of most controllers: 5 ms to 1000 s, and ten a second beyond a burst of a hundred. */
const usualBucket = { perSecond: 10, burst: 100 };

export class SimulatedQueue<K> {
  readonly #clock: VirtualClock;
  readonly #lane: string;
  readonly #handle: (key: K) => void;
  readonly #options: Required<Omit<WorkQueueOptions, 'bucket'>> & Pick<WorkQueueOptions, 'bucket'>;
  readonly #waiting = new Map<K, Task>();
  readonly #delayed = new Map<K, Task>();
  readonly #failures = new Map<K, number>();
  readonly #working = new Set<K>();
  readonly #again = new Map<K, () => void>();
  /** The clock's state when a key was last added by `addAgain`. */
  readonly #lookedAt = new Map<K, number>();
  readonly #now: ScheduleOptions;
  #lanes = 0;
  #tokens: number;
  #refilled: number;
  #stopped = false;
  #told: ((key: K, at: number) => void) | undefined;

  constructor(clock: VirtualClock, lane: string, handle: (key: K) => void, options: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#lane = lane;
    this.#handle = handle;
    this.#options = {
      baseDelay: 5,
      maxDelay: 1_000_000,
      bucket: usualBucket,
      slow: false,
      anyOrder: false,
      ...options,
    };
    this.#now = { slow: this.#options.slow };
    this.#tokens = this.#options.bucket?.burst ?? 0;
    this.#refilled = clock.now;
  }

  get items(): K[] {
    return [...this.#waiting.keys()];
  }

  get later(): DelayedKey<K>[] {
    return Array.from(this.#delayed, ([key, { at }]) => ({
      key,
      at,
      failures: this.#failures.get(key) ?? 0,
    })).sort((a, b) => a.at - b.at);
  }

  /** Registers a listener for each queued key and its time in virtual milliseconds since the epoch. */
  onQueued(told: (key: K, at: number) => void): void {
    this.#told = told;
  }

  add(key: K): void {
    if (this.#stopped || this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#schedule(key));
  }

  /**
   * Queues the key for a repetition that is no change by itself. On a state already seen it doesn't prevent rest: keys
   * that requeue each other would never rest.
   */
  addAgain(key: K): void {
    if (this.#stopped || this.#waiting.has(key)) return;
    const clock = this.#clock;
    const lookedAt = this.#lookedAt;
    const untried = lookedAt.get(key) !== clock.state;
    const task = this.#schedule(key, { kind: 'retry', untried }, () => lookedAt.set(key, clock.state));
    this.#waiting.set(key, task);
  }

  /** Queues the key after `delay` milliseconds, unless it returns sooner. */
  addAfter(key: K, delay: number, kind: TaskKind = 'work'): void {
    if (this.#stopped) return;
    if (delay <= 0 && kind === 'work') {
      this.add(key);
      return;
    }
    const earlier = this.#delayed.get(key);
    let wait = delay;
    let strictest = kind;
    if (earlier !== undefined) {
      const sooner = earlier.at <= this.#clock.now + delay;
      if (sooner && (earlier.kind === kind || earlier.kind === 'work')) return;
      if (sooner) wait = earlier.at - this.#clock.now;
      if (earlier.kind === 'work') strictest = 'work';
      this.#clock.cancel(earlier);
    }
    // The key is processed in this very task: a repeated attempt is no work for the clock.
    const task = this.#schedule(key, { delay: wait, kind: strictest });
    this.#delayed.set(key, task);
  }

  addRateLimited(key: K): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { baseDelay, maxDelay } = this.#options;
    const backOff = Math.min(baseDelay * 2 ** failures, maxDelay);
    const delay = Math.max(backOff, this.#reserve());
    if (delay === 0) this.add(key);
    else this.addAfter(key, delay, 'retry');
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  conclude(key: K, result: SyncResult): void {
    if (result === 'pending') {
      this.#working.add(key);
      return;
    }
    this.#working.delete(key);
    if (result === 'retry') this.addRateLimited(key);
    else if (result === 'done') this.forget(key);
    else this.addAfter(key, result.after, result.kind);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (!this.#waiting.has(key)) again?.();
  }

  stop(): void {
    this.#stopped = true;
    for (const task of this.#waiting.values()) this.#clock.cancel(task);
    for (const task of this.#delayed.values()) this.#clock.cancel(task);
    this.#waiting.clear();
    this.#delayed.clear();
    this.#lookedAt.clear();
    this.#again.clear();
  }

  #schedule(key: K, options?: ScheduleOptions, looking?: () => void): Task {
    const task: Task = this.#clock.schedule(
      this.#options.anyOrder ? `${this.#lane} ${this.#lanes++}` : this.#lane,
      () => {
        if (this.#delayed.get(key) === task) this.#delayed.delete(key);
        if (this.#waiting.get(key) === task) this.#waiting.delete(key);
        else if (this.#waiting.has(key)) return;
        if (this.#stopped) return;
        if (this.#working.has(key)) {
          const now = { ...options, delay: 0 };
          this.#again.set(key, () => this.#waiting.set(key, this.#schedule(key, now, looking)));
          return;
        }
        looking?.();
        this.#handle(key);
      },
      options === undefined ? this.#now : { ...options, slow: this.#options.slow },
    );
    this.#told?.(key, task.at);
    return task;
  }

  #reserve(): number {
    const { bucket } = this.#options;
    if (bucket === undefined) return 0;
    const { now } = this.#clock;
    const refill = ((now - this.#refilled) / 1000) * bucket.perSecond;
    this.#tokens = Math.min(bucket.burst, this.#tokens + refill) - 1;
    this.#refilled = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / bucket.perSecond) * 1000;
  }
}

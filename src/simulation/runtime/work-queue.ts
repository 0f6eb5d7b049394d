/**
 * A controller's queue of keys on the virtual clock: what waits isn't queued twice, and failures back off
 * (client-go util/workqueue, v0.36). No key is worked on by two workers at a time.
 */
import type { ScheduleOptions, Task, TaskKind, VirtualClock } from '../clock.ts';

export interface WorkQueueOptions {
  /** Milliseconds of the first back-off, doubled with each failure. */
  readonly baseDelay?: number;
  /** Milliseconds. */
  readonly maxDelay?: number;
  /** Rate-limited additions per second beyond a burst; undefined where only the key's own back-off counts. */
  readonly bucket?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Its keys begin with several requests, so that quicker work that is due goes first. */
  readonly slow?: boolean;
  /** Keys may overtake each other, as among several workers: each has a lane of its own. */
  readonly anyOrder?: boolean;
}

/** A key that comes back later. */
export interface DelayedKey<K> {
  readonly key: K;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  /** Of its failures in a row. */
  readonly failures: number;
}

/**
 * What a look at a key came to. `retry`: a request failed, so again after the back-off. `after`: again after so many
 * milliseconds. `pending`: the look goes on, and whoever ends it calls `conclude`.
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
  /** Keys whose look goes on. */
  readonly #working = new Set<K>();
  /** Of these, the ones that came up meanwhile: how each is queued once its look has ended. */
  readonly #again = new Map<K, () => void>();
  /** Of keys that were added to be looked at again: the clock's state when they were. */
  readonly #lookedAt = new Map<K, number>();
  /** How the queue's tasks are scheduled at once. */
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

  /** What waits to be worked on now, the oldest first. */
  get items(): K[] {
    return [...this.#waiting.keys()];
  }

  /** What comes back later, after a delay or a failure. The next one first. */
  get later(): DelayedKey<K>[] {
    return Array.from(this.#delayed, ([key, { at }]) => ({
      key,
      at,
      failures: this.#failures.get(key) ?? 0,
    })).sort((a, b) => a.at - b.at);
  }

  /** Told of each key that is queued from now on, and when it comes, in virtual milliseconds since the epoch. */
  onQueued(told: (key: K, at: number) => void): void {
    this.#told = told;
  }

  add(key: K): void {
    if (this.#stopped || this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#schedule(key));
  }

  /**
   * Queues the key as `add` does, for one more look that is no change by itself. On a state in which it was looked at
   * before it would only repeat itself, and doesn't keep the cluster from being at rest: two keys that queue each
   * other, or one that is retried and queues others, would never rest.
   */
  addAgain(key: K): void {
    if (this.#stopped || this.#waiting.has(key)) return;
    const clock = this.#clock;
    const lookedAt = this.#lookedAt;
    const untried = lookedAt.get(key) !== clock.state;
    const task = this.#schedule(key, { kind: 'retry', untried }, () => lookedAt.set(key, clock.state));
    this.#waiting.set(key, task);
  }

  /** Queues the key so many milliseconds from now, unless it comes back sooner. */
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
    // It is worked on within the task that brings it back: a repeated attempt is no work for the clock.
    const task = this.#schedule(key, { delay: wait, kind: strictest });
    this.#delayed.set(key, task);
  }

  /** After a failure: with the key's back-off. Repeated for as long as it fails. */
  addRateLimited(key: K): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { baseDelay, maxDelay } = this.#options;
    const backOff = Math.min(baseDelay * 2 ** failures, maxDelay);
    const delay = Math.max(backOff, this.#reserve());
    if (delay === 0) this.add(key);
    else this.addAfter(key, delay, 'retry');
  }

  /** The key succeeded: its next failure backs off from the start. */
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

  /** Milliseconds until the token bucket lets another addition through. */
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

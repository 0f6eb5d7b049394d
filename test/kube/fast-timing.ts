/**
 * Hours in seconds for a source that follows the fake API server. Time moves in small steps, its timers run out in
 * their order, and it stands still while an answer has yet to begin: however busy the machine is, nothing times out that
 * wouldn't elsewhere.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Timing } from '../../src/kube/transport/timing.ts';
import type { FakeApi } from './fake-api.ts';

/** Of the source's milliseconds, at least one of ours apart. */
const STEP_MS = 300;

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

export class FastTiming implements Timing {
  readonly #api: FakeApi;
  /** The earliest first. */
  readonly #sleepers: Sleeper[] = [];
  #time = Date.UTC(2026, 0, 1);
  #isRunning = false;

  constructor(api: FakeApi) {
    this.#api = api;
  }

  now(): number {
    return this.#time;
  }

  random(): number {
    return Math.random();
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const sleeper = { due: this.#time + milliseconds, wake: resolve };
      const after = this.#sleepers.findIndex(({ due }) => due > sleeper.due);
      this.#sleepers.splice(after < 0 ? this.#sleepers.length : after, 0, sleeper);
      signal.addEventListener(
        'abort',
        () => {
          const index = this.#sleepers.indexOf(sleeper);
          if (index >= 0) this.#sleepers.splice(index, 1);
          resolve();
        },
        { once: true },
      );
      if (!this.#isRunning) void this.#run();
    });
  }

  /** As for a process that is suspended for so long: nothing of it runs, but time goes on. */
  standStill(milliseconds: number): void {
    this.#time += milliseconds;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#sleepers.length > 0) {
      await delay(1);
      if (this.#api.unanswered > 0) continue;
      const until = this.#time + STEP_MS;
      for (let next = this.#sleepers[0]; next !== undefined && next.due <= until; next = this.#sleepers[0]) {
        this.#sleepers.shift();
        this.#time = Math.max(this.#time, next.due);
        next.wake();
        // Whoever woke up acts before anybody else does.
        await delay(0);
      }
      this.#time = Math.max(this.#time, until);
    }
    this.#isRunning = false;
  }
}

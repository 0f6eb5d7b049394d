/** Time that stands still until the test moves it on: what waits for minutes is over at once, and never by chance. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Timing } from '../../src/kube/transport/timing.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export class VirtualClock implements Timing {
  #time = Date.parse('2026-11-21T12:00:00Z');
  readonly #sleepers = new Set<Sleeper>();
  readonly #chance: () => number;

  /** `chance` from 0 to 1, in place of random numbers. */
  constructor(chance: () => number = () => 0) {
    this.#chance = chance;
  }

  readonly now = (): number => this.#time;
  readonly random = (): number => this.#chance();

  readonly sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const sleeper = { until: this.#time + milliseconds, wake: end };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', end, { once: true });
    });

  /** Milliseconds until the next sleeper wakes; undefined where nobody sleeps. */
  get next(): number | undefined {
    const untils = [...this.#sleepers].map(({ until }) => until);
    return untils.length === 0 ? undefined : Math.min(...untils) - this.#time;
  }

  /** Wakes those whose time has come, one moment after the other, each with what follows from it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    for (let next = this.next; next !== undefined && this.#time + next <= end; next = this.next) {
      this.#time += next;
      for (const sleeper of Array.from(this.#sleepers)) if (sleeper.until <= this.#time) sleeper.wake();
      await turn();
    }
    this.#time = end;
  }
}

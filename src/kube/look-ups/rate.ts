/**
 * How fast look-ups may be sent: so many at once, and so many a second, with a second's worth of them saved up while
 * nothing is asked.
 */
import type { Timing } from '../watch/timing.ts';

export class Rate {
  readonly #timing: Timing;
  readonly #perSecond: number;
  #free: number;
  #tokens: number;
  #filledAt: number;

  constructor(
    timing: Timing,
    { atOnce, perSecond }: { readonly atOnce: number; readonly perSecond: number },
  ) {
    this.#timing = timing;
    this.#perSecond = perSecond;
    this.#free = atOnce;
    this.#tokens = perSecond;
    this.#filledAt = timing.now();
  }

  /** Takes a place, to be given back by `leave`; with false where there is none now. */
  enter(): boolean {
    this.#fill();
    if (this.#free <= 0 || this.#tokens < 1) return false;
    this.#free -= 1;
    this.#tokens -= 1;
    return true;
  }

  leave(): void {
    this.#free += 1;
  }

  /** Milliseconds until the next may be sent; infinite where one of those under way has to end first. */
  get wait(): number {
    this.#fill();
    if (this.#free <= 0) return Number.POSITIVE_INFINITY;
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }

  #fill(): void {
    const now = this.#timing.now();
    const gained = (Math.max(0, now - this.#filledAt) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained);
    this.#filledAt = now;
  }
}

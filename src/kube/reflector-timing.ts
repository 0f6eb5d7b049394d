/** Time and chance as the reflectors use them, so that tests can hold both. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 up to, but not including 1. */
  random(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemTiming: Timing = {
  now: Date.now,
  random: Math.random,
  async sleep(milliseconds, signal) {
    try {
      await delay(milliseconds, undefined, { signal });
    } catch {
      // Aborted: the caller looks at its signal.
    }
  },
};

/** Exponential, with jitter: between half and all of `base · 2ⁿ`, which stops growing at `cap`. */
export class Backoff {
  private readonly base: number;
  private readonly cap: number;
  private readonly timing: Timing;
  private attempts = 0;

  /** `base` and `cap` in milliseconds. */
  constructor(timing: Timing, base: number, cap: number) {
    this.timing = timing;
    this.base = base;
    this.cap = cap;
  }

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const full = Math.min(this.cap, this.base * 2 ** Math.min(this.attempts++, 16));
    return full * (0.5 + this.timing.random() / 2);
  }

  reset(): void {
    this.attempts = 0;
  }
}

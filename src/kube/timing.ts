/** Time and chance as the reflectors use them, so that tests can hold both. */

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
  // Not timers/promises: there an ended sleep is an error with a stack, and each list ends two of them.
  sleep: (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end, { once: true });
    }),
};

/** A signal that aborts after so many milliseconds, unless `end` is called first, or when `outer` does. */
export function deadline(
  timing: Timing,
  milliseconds: number,
  outer: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const late = new AbortController();
  const done = new AbortController();
  void timing.sleep(milliseconds, AbortSignal.any([done.signal, outer])).then(() => {
    if (!done.signal.aborted) late.abort();
  });
  return { signal: AbortSignal.any([late.signal, outer]), end: () => done.abort() };
}

/** Exponential, with jitter: between half and all of `base · 2ⁿ`, which stops growing at `cap`. */
export class Backoff {
  readonly #base: number;
  readonly #cap: number;
  readonly #timing: Timing;
  #attempts = 0;

  /** `base` and `cap` in milliseconds. */
  constructor(timing: Timing, base: number, cap: number) {
    this.#timing = timing;
    this.#base = base;
    this.#cap = cap;
  }

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const full = Math.min(this.#cap, this.#base * 2 ** Math.min(this.#attempts++, 16));
    return full * (0.5 + this.#timing.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}

/** As soon as the signal aborts it rejects with its reason, whatever becomes of the promise. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Time and chance as injected values, so that tests control both. */

export interface Timing {
  now(): number;
  /** A number from 0 up to, but not including 1. */
  random(): number;
  /** Resolves after this many milliseconds, or at once when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemTiming: Timing = {
  now: Date.now,
  random: Math.random,
  // timers/promises would turn an ended sleep into an error with a stack, and each list ends two sleeps.
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

/** Returns a signal that aborts after `milliseconds`, unless `end` is called first, or when `outer` aborts. */
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

/** Exponential backoff with jitter: between half and all of `base · 2ⁿ`, limited by `cap`. */
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

  next(): number {
    const full = Math.min(this.#cap, this.#base * 2 ** Math.min(this.#attempts++, 16));
    return full * (0.5 + this.#timing.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}

/** Rejects with the signal's reason as soon as it aborts, even if the promise is still pending. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

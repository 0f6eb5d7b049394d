/** How long a list may take to begin before others go ahead of it, and before people are told. */
import type { Timing } from './reflector-timing.ts';

/** A kind that hasn't answered for so long no longer keeps others from being listed (a slow webhook may) … */
const SLOW_MS = 3_000;
/** … and for so long counts as blind, until it answers. */
const NO_ANSWER_MS = 10_000;

export interface Patience {
  /** Something arrived. */
  progress(): void;
  /** The list is over, one way or the other. */
  stop(): void;
}

export interface PatienceOptions {
  readonly timing: Timing;
  readonly slow: () => void;
  readonly noAnswer: () => void;
}

/** Neither is called once `progress` or `stop` was. */
export function startPatience(options: PatienceOptions): Patience {
  const done = new AbortController();
  const wait = async (): Promise<void> => {
    await options.timing.sleep(SLOW_MS, done.signal);
    if (done.signal.aborted) return;
    options.slow();
    await options.timing.sleep(NO_ANSWER_MS - SLOW_MS, done.signal);
    if (!done.signal.aborted) options.noAnswer();
  };
  void wait();
  let moved = false;
  const stop = (): void => {
    if (moved) return;
    moved = true;
    done.abort();
  };
  return { progress: stop, stop };
}

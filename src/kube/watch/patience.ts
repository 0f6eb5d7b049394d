/** How long a list may take to begin before others go ahead of it, and before people are told. */
import type { Timing } from './timing.ts';

/** A kind that hasn't answered for so long no longer keeps others from being listed (a slow webhook may) … */
const SLOW_MS = 3_000;
/** … and where nothing came for so long, at its beginning or in its middle, it counts as blind until it ends. */
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

/** `slow` isn't called once `progress` was, and neither of them once `stop` was. */
export function startPatience(options: PatienceOptions): Patience {
  const done = new AbortController();
  let arrived = 0;
  const wait = async (): Promise<void> => {
    await options.timing.sleep(SLOW_MS, done.signal);
    if (done.signal.aborted) return;
    if (arrived === 0) options.slow();
    let before = 0;
    let limit = NO_ANSWER_MS - SLOW_MS;
    for (;;) {
      await options.timing.sleep(limit, done.signal);
      if (done.signal.aborted) return;
      if (arrived === before) return options.noAnswer();
      before = arrived;
      limit = NO_ANSWER_MS;
    }
  };
  void wait();
  return {
    progress: () => {
      arrived++;
    },
    stop: () => done.abort(),
  };
}

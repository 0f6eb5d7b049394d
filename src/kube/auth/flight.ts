/** One login under way, which any number of requests wait for, each as long as it likes, and which has a limit. */
import { SourceError } from '../../source/source.ts';
import { orAborted } from '../timing.ts';

export interface Limits {
  /** Milliseconds for the first login of all: without it there is nothing to show. */
  readonly firstMs: number;
  /** Milliseconds for a renewal after so many in a row that failed. */
  readonly renewMs: (failures: number) => number;
  /** Milliseconds in all once a person is asked for something. */
  readonly personMs: number;
  /** Milliseconds before the next login after so many in a row that failed. */
  readonly pause: (failures: number) => number;
  /** Calls `run` after so many milliseconds, unless what it returns is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
}

const minuteMs = 60_000;

/**
 * A renewal that hangs is ended soon, for the next one may not; yet each time later, for it may be one that takes its
 * time, such as a page in a browser.
 */
export const standardLimits: Limits = {
  firstMs: minuteMs,
  renewMs: failures => Math.min((minuteMs / 2) * 2 ** failures, 3 * minuteMs),
  personMs: 3 * minuteMs,
  // The second one comes at once, as at the press of a key.
  pause: failures => (failures < 2 ? 0 : Math.min(500 * 2 ** failures, minuteMs / 2)),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class Flight<T> {
  readonly who: string;
  /** Milliseconds since the epoch. */
  readonly since = Date.now();
  readonly #ending = new AbortController();
  readonly #result: Promise<T>;

  /** `run` rejects with the reason of its signal once nothing of it is left. */
  constructor(
    { who, limitMs, limits }: { readonly who: string; readonly limitMs: number; readonly limits: Limits },
    run: (turn: LoginTurn) => Promise<T>,
  ) {
    this.who = who;
    const { after, personMs } = limits;
    const endAfter = (limit: number, spent: number): (() => void) =>
      after(limit - spent, () => {
        this.#ending.abort(new SourceError(`${who} did not answer within ${limit / 1000} s; it was ended.`));
      });
    let stop = endAfter(limitMs, 0);
    let wasAsked = false;
    const personAsked = (): void => {
      if (wasAsked) return;
      wasAsked = true;
      stop();
      stop = endAfter(personMs, Date.now() - this.since);
    };
    this.#result = run({ signal: this.#ending.signal, personAsked }).finally(() => stop());
    // Nobody may be waiting any more.
    this.#result.catch(() => {});
  }

  /** Its result; rejects with the signal's reason where that comes first. */
  join(signal: AbortSignal | undefined): Promise<T> {
    return orAborted(this.#result, signal);
  }

  /** Resolves once nothing of it is left. */
  async end(reason: Error): Promise<void> {
    this.#ending.abort(reason);
    await this.#result.catch(() => {});
  }
}

export interface LoginCredential {
  readonly token: string;
  /** PEM, both or none. */
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch, Infinity if unknown. */
  readonly expires: number;
}

export interface Login {
  /** Who is asked, in words: `the exec plugin aws of user "prod"`. */
  readonly who: string;
  /** Keeps what it got until that expires. Not to be called again before it has answered. */
  readonly get: (turn: LoginTurn) => Promise<LoginCredential>;
}

/** One go at logging in. */
export interface LoginTurn {
  /** Ends it; it rejects with the signal's reason once nothing of it is left. */
  readonly signal: AbortSignal;
  /** To be called when a person is asked for something, who takes longer than a program. */
  readonly personAsked: () => void;
}

/** A credential that is only a token. */
export function tokenCredential(token: string, expires = Number.POSITIVE_INFINITY): LoginCredential {
  return { token, certificate: '', key: '', expires };
}

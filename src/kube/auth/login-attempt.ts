/** One login under way, which any number of requests can wait for, and its time limits. */
import { SourceError } from '../../source/index.ts';
import { orAborted } from '../transport/timing.ts';

export interface Limits {
  /** Milliseconds for the first login, without which nothing can be shown. */
  readonly firstMs: number;
  /** Milliseconds for a renewal after this many failures in a row. */
  readonly renewMs: (failures: number) => number;
  /** Milliseconds in all once the user is asked. */
  readonly personMs: number;
  /** Milliseconds before the next login after this many failures in a row. */
  readonly pause: (failures: number) => number;
  /** Calls `run` after `ms`, unless the returned function is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
}

const minuteMs = 60_000;

/** Ends a hanging renewal early, because the next may work, and later each time, because a login may need a browser. */
export const standardLimits: Limits = {
  firstMs: minuteMs,
  renewMs: failures => Math.min((minuteMs / 2) * 2 ** failures, 3 * minuteMs),
  personMs: 3 * minuteMs,
  pause: failures => (failures < 2 ? 0 : Math.min(500 * 2 ** failures, minuteMs / 2)),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class LoginAttempt<T> {
  readonly who: string;
  readonly since = Date.now();
  readonly #ending = new AbortController();
  readonly #result: Promise<T>;

  /** `run` must reject with its signal's reason once nothing of it is left. */
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
    this.#result.catch(() => {});
  }

  join(signal: AbortSignal | undefined): Promise<T> {
    return orAborted(this.#result, signal);
  }

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
  /** Infinity if unknown. */
  readonly expires: number;
}

export interface Login {
  /** The party asked, such as `the exec plugin aws of user "prod"`. */
  readonly who: string;
  /** Keeps the credential until it expires. Must not be called again before it has answered. */
  readonly get: (turn: LoginTurn) => Promise<LoginCredential>;
}

export interface LoginTurn {
  readonly signal: AbortSignal;
  /** Must be called when the user is asked, which extends the limit. */
  readonly personAsked: () => void;
}

export function tokenCredential(token: string, expires = Number.POSITIVE_INFINITY): LoginCredential {
  return { token, certificate: '', key: '', expires };
}

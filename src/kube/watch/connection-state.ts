/** The joint connection state of all reflectors: the one small place that reports `live`. */
import type { CatchUpCause, Connection } from '../../model/index.ts';

/** Watches end and begin again all the time; only gaps longer than this are reported. */
const BRIEF_MS = 10_000;

export class ConnectionState {
  readonly #report: (connection: Connection) => void;
  /** Milliseconds since the epoch until which each was followed; Infinity while it is. */
  readonly #until = new Map<object, number>();
  #lost: { readonly reason: string; readonly since: number } | undefined;
  #cause: CatchUpCause | undefined;
  #since = Infinity;
  #said = '';

  /** `report` is called when the state differs from the last one; the initial state is `live`. */
  constructor(report: (connection: Connection) => void) {
    this.#report = report;
    this.#said = JSON.stringify({ state: 'live' });
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Marks the state of `who` as the server's newest, kept current by a watch. */
  follows(who: object, now: number): void {
    this.#until.set(who, Infinity);
    this.tell(now);
  }

  /** Marks the state of `who` as unchanged since `now` at the latest. */
  fellBehind(who: object, now: number): void {
    this.#until.set(who, Math.min(now, this.#until.get(who) ?? now));
  }

  /** Removes `who`, which knows nothing or counts as a blind spot. */
  leave(who: object, now: number): void {
    this.#until.delete(who);
    this.tell(now);
  }

  lose(reason: string, now: number): void {
    this.#lost = { reason, since: this.#lost?.since ?? now };
    this.#allFellBehind(now);
    this.tell(now);
  }

  /** Reports `cause` until all reflectors follow again: the server answers, but nothing was followed since `since`. */
  catchUp(cause: CatchUpCause, since: number, now: number): void {
    this.#lost = undefined;
    this.#cause = cause;
    this.#allFellBehind(since);
    this.tell(now);
  }

  /** Reports the state if it has changed. Must be called regularly, because delays grow with time. */
  tell(now: number): void {
    const connection = this.#now(now);
    const said = JSON.stringify(connection);
    if (said === this.#said) return;
    this.#said = said;
    this.#report(connection);
  }

  #now(now: number): Connection {
    if (this.#lost !== undefined) return { state: 'lost', ...this.#lost };
    let since = Infinity;
    for (const until of this.#until.values()) since = Math.min(since, until);
    // While any reflector is behind, the whole is as old as the one that was furthest behind.
    this.#since = this.#cause === undefined ? since : Math.min(since, this.#since);
    if (since === Infinity) this.#cause = undefined;
    else if (now - since >= BRIEF_MS) this.#cause ??= 'delayed';
    const cause = this.#cause;
    return cause === undefined ? { state: 'live' } : { state: 'catchingUp', cause, since: this.#since };
  }

  #allFellBehind(since: number): void {
    for (const who of this.#until.keys()) this.fellBehind(who, since);
  }
}

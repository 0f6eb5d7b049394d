/**
 * What may be said of all reflectors together: whether the server is reached, and whether everything that was known is
 * followed. Apart from the monitor of the connection, which finds out, so that the one place that says `live` is small.
 */
import type { CatchUpCause, Connection } from '../../model/exchange/changes.ts';

/** Watches end and begin again all the time; one that takes longer than this is worth a word. */
const BRIEF_MS = 10_000;

export class Standing {
  readonly #report: (connection: Connection) => void;
  /** Milliseconds since the epoch until which each was followed; Infinity for those that are. */
  readonly #until = new Map<object, number>();
  #lost: { readonly reason: string; readonly since: number } | undefined;
  #cause: CatchUpCause | undefined;
  #since = Infinity;
  #said = '';

  /** `report` is called where something else is to be said than before; `live` is what it begins with. */
  constructor(report: (connection: Connection) => void) {
    this.#report = report;
    this.#said = JSON.stringify({ state: 'live' });
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** All that `who` knows is the server's newest state, and stays that. */
  follows(who: object, now: number): void {
    this.#until.set(who, Infinity);
    this.tell(now);
  }

  /** What `who` knows is from `now`; more cannot be seen for the time being. */
  fellBehind(who: object, now: number): void {
    this.#until.set(who, Math.min(now, this.#until.get(who) ?? now));
  }

  /** Nothing is known, or it counts as a blind spot. */
  leave(who: object, now: number): void {
    this.#until.delete(who);
    this.tell(now);
  }

  /** Nobody is reached any more; or still not, perhaps for another reason. */
  lose(reason: string, now: number): void {
    this.#lost = { reason, since: this.#lost?.since ?? now };
    this.#allFellBehind(now);
    this.tell(now);
  }

  /** The server answers, but nothing was followed from `since` on; until all follow again, it says why they don't. */
  catchUp(cause: CatchUpCause, since: number, now: number): void {
    this.#lost = undefined;
    this.#cause = cause;
    this.#allFellBehind(since);
    this.tell(now);
  }

  /** To be called from time to time: it may have taken too long by now. */
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
    // As long as anything is behind, the whole is as old as what was furthest behind.
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

/**
 * Since when a cluster is watched without a break, and so when something has happened that is told now: a moment ago,
 * or, after the connection was lost, at any time since then.
 */
import type { Connection } from '../../model/exchange/changes.ts';
import type { Interval } from './cycle-times.ts';

/** Milliseconds by which a watch may be late. */
const LATE_MS = 1_000;
/** Milliseconds for which a connection may have been silent before it counts as lost. */
const UNNOTICED_MS = 30_000;
/** Milliseconds from the first answer after that until every kind has caught up. */
const CATCH_UP_MS = 10_000;

export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When what is told now has happened. */
  readonly happened: Interval;
  /** False where it happened, perhaps, while nobody watched. */
  readonly seen: boolean;
}

export class Watched {
  #since: number;
  #lostSince: number | undefined;
  #gap: Interval | undefined;

  /** Everything that is told from `now` on, in milliseconds since the epoch, happened then or later. */
  constructor(now: number) {
    this.#since = now;
  }

  /** Takes in what the connection is `now`; returns the gap that has just ended, until everything has caught up. */
  note(connection: Connection, now: number): Interval | undefined {
    switch (connection.state) {
      case 'connecting':
        return undefined;
      case 'lost':
      case 'catchingUp':
        this.#lostSince ??= Math.max(this.#since, now - UNNOTICED_MS);
        return undefined;
      case 'live': {
        const ended =
          this.#lostSince === undefined ? undefined : { from: this.#lostSince, by: now + CATCH_UP_MS };
        this.#gap = ended ?? this.#gap;
        this.#lostSince = undefined;
        this.#since = now;
        return ended;
      }
    }
  }

  moment(now: number): Moment {
    const gap = this.#gap;
    const unseenSince = this.#lostSince ?? (gap !== undefined && now <= gap.by ? gap.from : undefined);
    if (unseenSince !== undefined)
      return { now, happened: { from: Math.min(unseenSince, now), by: now }, seen: false };
    return {
      now,
      happened: { from: Math.min(now, Math.max(this.#since, now - LATE_MS)), by: now },
      seen: true,
    };
  }

  /** When the latest break ended; undefined where there was none. */
  get resumedAt(): number | undefined {
    return this.#gap === undefined ? undefined : this.#since;
  }
}

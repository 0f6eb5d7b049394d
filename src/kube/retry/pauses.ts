/** The requests that wait just now to be sent again, as one thing to tell people. */
import type { Pausing } from '../../model/exchange/changes.ts';
import type { Wait } from './with-retries.ts';

export class Pauses {
  /** Called after every change. */
  changed: () => void = () => {};
  readonly #now: () => number;
  readonly #running = new Set<Pausing>();

  /** Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The one that lasts longest; undefined where nothing waits. */
  get current(): Pausing | undefined {
    let longest: Pausing | undefined;
    for (const each of this.#running) if (longest === undefined || each.until > longest.until) longest = each;
    return longest;
  }

  /** As `Transport.waiting` names whoever is to answer. */
  get who(): string | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    const { status } = current;
    if (status === undefined) return 'the API server, to which the connection breaks';
    if (status === 429) return 'the API server, which is too busy (429)';
    return `the API server, which is not available (${status})`;
  }

  /** Returns what is to be called at its end. */
  readonly begin = ({ status, pause }: Wait): (() => void) => {
    const pausing = { status, until: this.#now() + pause };
    this.#running.add(pausing);
    this.changed();
    return () => {
      this.#running.delete(pausing);
      this.changed();
    };
  };
}

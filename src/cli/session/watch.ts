/**
 * What `tree`, `check`, `podgc` and `activity` do with `--watch` after their first answer: take what the source delivers in steps, and
 * say what cannot be seen or watched, and when nothing new is seen any more.
 */
import { isBehind, type SourceBatch } from '../../model/exchange/changes.ts';
import { behindSentence, polledWords, unseenWords } from '../../text/connection/connection.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, filesFlag } from '../runtime/flags.ts';
import { isReport } from '../runtime/format.ts';
import type { Io } from '../runtime/io.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

// What happens within this time is one change: a rollout touches an object several times a second.
const QUIET_MILLISECONDS = 200;
// setTimeout's longest.
const LONGEST_WAIT = 2 ** 31 - 1;

/** Throws a `UsageError` for what doesn't go with `--watch`. */
export function refuseWatch(flags: Flags): void {
  if (flags.watch !== true) return;
  if (flags.output !== undefined && isReport(flags.output))
    throw new UsageError(`a report in ${flags.output} is made once: leave --watch out.`);
  if (flags.failOnEmpty === true)
    throw new UsageError('--watch waits for what comes: leave --fail-on-empty out.');
  if (filesFlag(flags) !== undefined)
    throw new UsageError("--watch needs something that changes: files don't.");
  if (flags.replay !== undefined)
    throw new UsageError(
      '--watch follows a cluster: a recording is shown at one moment. Choose it with --at. What happened in it is told by activity --watch.',
    );
}

/** What could not be seen, and what isn't followed: a line for each. */
export function reservationLines({ view }: ClusterSession): readonly string[] {
  return [unseenWords(view.blindSpots()), polledWords(view.polled())]
    .filter(words => words !== '')
    .map(words => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.\n`);
}

export class Watch {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #withReservations: boolean;
  readonly #batches: SourceBatch[];
  /** In milliseconds since the epoch. */
  readonly #arrivals = new WeakMap<SourceBatch, number>();
  #wake: () => void = () => {};
  /** What is reserved now; what is by the start was said with the first answer. */
  #reserved: ReadonlySet<string>;
  /** Of the connection since it was last followed; each of them once. */
  readonly #said = new Set<string>();

  /**
   * From here on batches go here and not into the view. `pending`: those that came before; `withReservations` is off
   * where documents say it.
   */
  constructor(session: ClusterSession, io: Io, pending: readonly SourceBatch[], withReservations: boolean) {
    this.#session = session;
    this.#io = io;
    this.#withReservations = withReservations;
    this.#batches = [...pending];
    this.#reserved = new Set(reservationLines(session));
    session.listen(batch => {
      this.#batches.push(batch);
      this.#arrivals.set(batch, session.now());
      this.#wake();
    });
  }

  /**
   * What arrived since the last call, once it has been quiet for a moment; nothing where `milliseconds` passed
   * first. Rejects with `Interrupted` at Ctrl-C.
   */
  async next(milliseconds = LONGEST_WAIT): Promise<readonly SourceBatch[]> {
    this.#session.keepReading();
    if (this.#batches.length === 0) {
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const over = new AbortController();
      const passed = this.#io.pause(Math.min(LONGEST_WAIT, Math.max(0, milliseconds)), over.signal);
      await this.#session.until(Promise.race([arrived, passed])).finally(() => over.abort());
    }
    if (this.#batches.length > 0) await this.#session.until(this.#io.pause(QUIET_MILLISECONDS));
    this.#session.reportWarnings();
    return this.#batches.splice(0);
  }

  /** When a batch came, in milliseconds since the epoch; of one from before, now. */
  arrivedAt(batch: SourceBatch): number {
    return this.#arrivals.get(batch) ?? this.#session.now();
  }

  /**
   * To be called whenever something arrived. Says on standard error what is new; returns whether that was about the
   * connection, which is a reason to print a document anew.
   */
  report(): boolean {
    if (this.#withReservations) {
      const lines = reservationLines(this.#session);
      for (const line of lines) if (!this.#reserved.has(line)) say(this.#io, line);
      this.#reserved = new Set(lines);
    }
    const { connection } = this.#session.view;
    if (!isBehind(connection)) {
      if (this.#said.size === 0) return false;
      this.#said.clear();
      say(this.#io, 'The cluster is followed again.\n');
      return true;
    }
    const what = connection.state === 'lost' ? connection.reason : connection.cause;
    if (this.#said.has(what)) return false;
    this.#said.add(what);
    say(this.#io, `${behindSentence(connection, this.#session.now())}\n`);
    return true;
  }
}

/** Follows a source for `--watch` after the first answer, and reports what it can't see or watch. */
import { Connection, type SourceBatch } from '../../model/index.ts';
import { connectionWords } from '../../text/index.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, filesFlag } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';
import { isReport } from '../runtime/output-formats.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

// Changes within this time count as one: a rollout touches an object several times a second.
const QUIET_MILLISECONDS = 200;
const LONGEST_WAIT = 2 ** 31 - 1;

export function refuseWatch(flags: Flags): void {
  if (flags.watch !== true) return;
  if (flags.output !== undefined && isReport(flags.output))
    throw new UsageError(`--watch can't be combined with -o ${flags.output}.`);
  if (flags.failOnEmpty === true)
    throw new UsageError('--watch waits for what comes: leave --fail-on-empty out.');
  if (filesFlag(flags) !== undefined)
    throw new UsageError("--watch needs something that changes: files don't.");
  if (flags.replay !== undefined)
    throw new UsageError(
      '--watch follows a cluster: a recording is shown at one moment. Choose it with --at. activity --watch shows what happened in it.',
    );
}

export function reservationLines({ view }: ClusterSession): readonly string[] {
  return [connectionWords.unseen(view.blindSpots()), connectionWords.polled(view.polled())]
    .filter(words => words !== '')
    .map(words => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.\n`);
}

export class Watch {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #withReservations: boolean;
  readonly #batches: SourceBatch[];
  readonly #arrivals = new WeakMap<SourceBatch, number>();
  #wake: () => void = () => {};
  /** Current reservations, without those in the first answer. */
  #reserved: ReadonlySet<string>;
  /** Connection messages since the last recovery, to report each once. */
  readonly #said = new Set<string>();

  /** Receives batches instead of the view. `pending`: earlier ones. */
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

  /** Resolves once it is quiet, or with none after `milliseconds`. Rejects with `Interrupted` at Ctrl-C. */
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

  /** Returns milliseconds since the epoch; for an earlier batch, now. */
  arrivedAt(batch: SourceBatch): number {
    return this.#arrivals.get(batch) ?? this.#session.now();
  }

  /** Reports news on standard error. Returns true if the connection changed, so that documents are printed again. */
  report(): boolean {
    if (this.#withReservations) {
      const lines = reservationLines(this.#session);
      for (const line of lines) if (!this.#reserved.has(line)) say(this.#io, line);
      this.#reserved = new Set(lines);
    }
    const { connection } = this.#session.view;
    if (!Connection.isBehind(connection)) {
      if (this.#said.size === 0) return false;
      this.#said.clear();
      say(this.#io, 'The cluster is followed again.\n');
      return true;
    }
    const what = connection.state === 'lost' ? connection.reason : connection.cause;
    if (this.#said.has(what)) return false;
    this.#said.add(what);
    say(this.#io, `${connectionWords.behind(connection, this.#session.now())}\n`);
    return true;
  }
}

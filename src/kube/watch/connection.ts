/**
 * Whether the API server can be reached and still has the same history, found out once for all reflectors: the first
 * that gets no answer makes it probe, the others wait here, and all resume together when the server answers, or start
 * over where what they know may belong to another history.
 */
import type { CatchUpCause, Connection } from '../../model/exchange/changes.ts';
import { SourceError } from '../../source/source.ts';
import { Backoff, deadline, type Timing } from '../timing.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { type HistorySign, NO_SIGN, ServerHistory } from './server-history.ts';
import { Standing } from './standing.ts';

/** A connection on which nothing at all was heard for so long is probed: it may be dead without a trace. */
const QUIET_MS = 15_000;
const PROBE_TIMEOUT_MS = 10_000;
/** A request whose answer doesn't begin for so long may wait for something that never comes. */
const UNANSWERED_MS = 10_000;
/**
 * Bookmarks come once a minute, where anything happened that the server has heard of (apiserver v0.36.3,
 * pkg/storage/cacher): without them a watch is opened again.
 */
export const SILENT_WATCH_MS = 150_000;
/** Between two chunks of a list, which the server sends as fast as it can. */
export const SILENT_LIST_MS = 30_000;
const TICK_MS = 5_000;
/** Between two looks at the server's history. */
const LOOK_MS = 30_000;
/** Nothing ran for so long beyond a tick: the process was suspended, and its connections may be gone without a trace. */
const SUSPENDED_MS = 20_000;

/** A stream whose silence is watched. */
export interface Heard {
  at: number;
  readonly limit: number;
  readonly silent: () => void;
}

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly timing: Timing;
  /** Aborts when the source closes. */
  readonly signal: AbortSignal;
  readonly report: (connection: Connection) => void;
  /** All that is known may belong to a history that the server no longer has. */
  readonly anew: () => void;
  /** Until it has resolved, somebody else finds out whether the server answers, and nothing is probed. */
  readonly begun?: Promise<void>;
}

export class ConnectionMonitor {
  readonly #options: ConnectionOptions;
  readonly #history: ServerHistory;
  /** What is to be said of it all. */
  readonly #standing: Standing;
  readonly #streams = new Set<Heard>();
  #lastHeard: number;
  /** When the server was known to tell the history that is followed. */
  #sameAt: number;
  #lookedAt: number;
  #probing: Promise<void> | undefined;
  #isLooking = false;
  /** Until when this process ran, before it stood still. */
  #stoodStill: number | undefined;
  #generation = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#history = new ServerHistory(options.transport);
    this.#standing = new Standing(options.report);
    this.#lastHeard = options.timing.now();
    this.#sameAt = this.#lastHeard;
    this.#lookedAt = this.#lastHeard - LOOK_MS;
  }

  /** Aborts when the connection is found dead: whatever still waits on it would wait for ever. */
  get alive(): AbortSignal {
    return this.#generation.signal;
  }

  /** Follows a stream until `forget`; `silent` is called when nothing came on it for `limit` milliseconds. */
  watch(limit: number, silent: () => void): Heard {
    const heard: Heard = { at: this.#options.timing.now(), limit, silent };
    this.#streams.add(heard);
    return heard;
  }

  heard(stream: Heard): void {
    stream.at = this.#options.timing.now();
    this.#lastHeard = stream.at;
  }

  forget(stream: Heard): void {
    this.#streams.delete(stream);
  }

  /** The same for a request whose answer hasn't begun: it may wait for ever for a login, a proxy, a handshake. */
  await(): Heard {
    return this.watch(UNANSWERED_MS, () => void this.failed(''));
  }

  /** All that `who` knows is the newest state, and its watch is open. */
  follows(who: object): void {
    this.#standing.follows(who, this.#options.timing.now());
  }

  /** Nothing more is heard of what `who` knows. */
  fellBehind(who: object): void {
    this.#standing.fellBehind(who, this.#options.timing.now());
  }

  /** `who` knows nothing, or counts as a blind spot. */
  leave(who: object): void {
    this.#standing.leave(who, this.#options.timing.now());
  }

  /**
   * Looks after silence until the source closes. Where nothing is to be followed, only that of requests under way: a
   * connection without any is of no interest.
   */
  async run(follows = true): Promise<void> {
    while (!this.#options.signal.aborted) {
      const before = this.#options.timing.now();
      await this.#options.timing.sleep(TICK_MS, this.#options.signal);
      if (this.#options.signal.aborted) return;
      const now = this.#options.timing.now();
      this.#standing.tell(now);
      if (now - before >= TICK_MS + SUSPENDED_MS) {
        await this.#resume(before, now);
        continue;
      }
      for (const stream of this.#streams) {
        if (now - stream.at < stream.limit) continue;
        this.#streams.delete(stream);
        stream.silent();
      }
      if (!follows) continue;
      if (now - this.#lastHeard >= QUIET_MS || this.#heldUp !== undefined) await this.failed('');
      if (now - this.#lookedAt >= LOOK_MS && !this.#isLooking) void this.#lookAfter();
    }
  }

  /** A version was read that cannot be in the history that was followed until now. */
  wentBack(): void {
    this.#beginAnew('restored', this.#sameAt);
  }

  /**
   * To be called when a request got no answer; resolves when the server answers (which may be at once: then
   * the failure was that request's own), or when the source closes.
   */
  failed(reason: string): Promise<void> {
    this.#probing ??= this.#probe(reason).finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probe(firstReason: string): Promise<void> {
    const backoff = new Backoff(this.#options.timing, 500, 5_000);
    if (this.#options.begun !== undefined) await this.#options.begun;
    if (this.#options.signal.aborted) return;
    for (;;) {
      const failure = await this.#ask();
      if (this.#options.signal.aborted) return;
      if (failure === undefined) break;
      const isNews = !this.#standing.isLost;
      this.#standing.lose(failure || firstReason, this.#options.timing.now());
      if (isNews) this.#breakOff();
      await this.#options.timing.sleep(backoff.next(), this.#options.signal);
      if (this.#options.signal.aborted) return;
    }
    this.#lastHeard = this.#options.timing.now();
    if (this.#stoodStill !== undefined) await this.#comeBack('resumed', this.#stoodStill);
    else if (this.#standing.isLost) await this.#comeBack('reconnected', this.#lastHeard);
    this.#stoodStill = undefined;
  }

  /** After the process stood still from `since` on. What is open here need not be open at the other end. */
  async #resume(since: number, now: number): Promise<void> {
    this.#stoodStill = since;
    this.#standing.catchUp('resumed', since, now);
    this.#breakOff();
    await this.failed('');
  }

  /** The server answers again: each reflector resumes where it was, or starts over. */
  async #comeBack(cause: CatchUpCause, since: number): Promise<void> {
    const sign = await this.#look();
    if (this.#options.signal.aborted || sign.wentBack) return;
    if (sign.isSame) this.#standing.catchUp(cause, since, this.#options.timing.now());
    else this.#beginAnew(cause, since);
  }

  /** From time to time: a restart may have passed unnoticed, as while the network was away for a moment. */
  async #lookAfter(): Promise<void> {
    const since = this.#sameAt;
    const sign = await this.#look();
    if (sign.isDoubtful && !sign.wentBack && !this.#options.signal.aborted)
      this.#beginAnew('reconnected', since);
  }

  /** Never rejects: whether the server answers is found out elsewhere. Begins anew where the history went back. */
  async #look(): Promise<HistorySign> {
    const asked = this.#options.timing.now();
    this.#lookedAt = asked;
    this.#isLooking = true;
    const limit = deadline(this.#options.timing, PROBE_TIMEOUT_MS, this.#options.signal);
    try {
      const sign = await this.#history.look(AbortSignal.any([limit.signal, this.alive]));
      if (sign.wentBack) this.#beginAnew('restored', this.#sameAt);
      this.#sameAt = asked;
      return sign;
    } catch {
      return NO_SIGN;
    } finally {
      limit.end();
      this.#isLooking = false;
    }
  }

  #beginAnew(cause: CatchUpCause, since: number): void {
    this.#standing.catchUp(cause, since, this.#options.timing.now());
    this.#options.anew();
    this.#breakOff();
  }

  /** Ends every request that is under way. */
  #breakOff(): void {
    this.#generation.abort();
    this.#generation = new AbortController();
  }

  /** Who has kept all requests waiting for so long that nothing can be called live. */
  get #heldUp(): string | undefined {
    const { waiting } = this.#options.transport;
    const isLong = waiting !== undefined && this.#options.timing.now() - waiting.since >= UNANSWERED_MS;
    return isLong ? `${waiting.who} does not answer.` : undefined;
  }

  /** Undefined where the server answered; every authenticated user may read `/version`. */
  async #ask(): Promise<string | undefined> {
    if (this.#heldUp !== undefined) return this.#heldUp;
    const limit = deadline(this.#options.timing, PROBE_TIMEOUT_MS, this.#options.signal);
    try {
      const { signal } = limit;
      const response = await this.#options.transport.request({
        method: 'GET',
        path: '/version',
        anyAnswer: true,
        signal,
      });
      await drain(response);
      if (response.status === 401)
        return `${this.#options.transport.server} no longer accepts these credentials (401); log in again.`;
      return response.status >= 500
        ? `${this.#options.transport.server} answers with status ${response.status}.`
        : undefined;
    } catch (error) {
      if (limit.signal.aborted) return this.#heldUp ?? `${this.#options.transport.server} does not answer.`;
      return error instanceof SourceError
        ? error.message
        : `${this.#options.transport.server} does not answer.`;
    } finally {
      limit.end();
    }
  }
}

/** A small body that is read to its end leaves the connection usable. */
async function drain(response: WireResponse): Promise<void> {
  const body = response.body[Symbol.asyncIterator]();
  while ((await body.next()).done !== true);
}

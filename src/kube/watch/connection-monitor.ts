/** Probes the server once for all reflectors; they resume together, or start over if its history may have changed. */
import type { CatchUpCause, Connection } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { Backoff, deadline, type Timing } from '../transport/timing.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { ConnectionState } from './connection-state.ts';
import { type HistorySign, NO_SIGN, ServerHistory } from './server-history.ts';

/** A connection that was silent this long is probed, because it may be dead without any sign. */
const QUIET_MS = 15_000;
const PROBE_TIMEOUT_MS = 10_000;
/** A request whose answer hasn't begun after this time may hang forever. */
const UNANSWERED_MS = 10_000;
/** Bookmarks come once a minute (apiserver v0.36.3, pkg/storage/cacher): without them a watch is opened again. */
export const SILENT_WATCH_MS = 150_000;
export const SILENT_LIST_MS = 30_000;
const TICK_MS = 5_000;
const LOOK_MS = 30_000;
/** A tick this late means that the process was suspended, and its connections may be dead without any sign. */
const SUSPENDED_MS = 20_000;

export interface Heard {
  at: number;
  readonly limit: number;
  readonly silent: () => void;
}

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly report: (connection: Connection) => void;
  /** Called when the known state may belong to a history that the server no longer has. */
  readonly anew: () => void;
  /** Until this resolves, another part checks the server, and nothing is probed here. */
  readonly begun?: Promise<void>;
}

export class ConnectionMonitor {
  readonly #options: ConnectionOptions;
  readonly #history: ServerHistory;
  readonly #state: ConnectionState;
  readonly #streams = new Set<Heard>();
  #lastHeard: number;
  /** The last time the server was known to have the followed history. */
  #sameAt: number;
  #lookedAt: number;
  #probing: Promise<void> | undefined;
  #isLooking = false;
  #stoodStill: number | undefined;
  #generation = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#history = new ServerHistory(options.transport);
    this.#state = new ConnectionState(options.report);
    this.#lastHeard = options.timing.now();
    this.#sameAt = this.#lastHeard;
    this.#lookedAt = this.#lastHeard - LOOK_MS;
  }

  /** Aborts when the connection is found dead: requests still waiting on it would hang forever. */
  get alive(): AbortSignal {
    return this.#generation.signal;
  }

  /** Follows a stream until `forget`; calls `silent` after `limit` milliseconds without data. */
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

  /** Follows a request whose answer hasn't begun: a login, a proxy or a handshake may hang forever. */
  await(): Heard {
    return this.watch(UNANSWERED_MS, () => void this.failed(''));
  }

  follows(who: object): void {
    this.#state.follows(who, this.#options.timing.now());
  }

  fellBehind(who: object): void {
    this.#state.fellBehind(who, this.#options.timing.now());
  }

  leave(who: object): void {
    this.#state.leave(who, this.#options.timing.now());
  }

  /** Checks for silence until the source closes; without `follows`, only requests under way are checked. */
  async run(follows = true): Promise<void> {
    while (!this.#options.signal.aborted) {
      const before = this.#options.timing.now();
      await this.#options.timing.sleep(TICK_MS, this.#options.signal);
      if (this.#options.signal.aborted) return;
      const now = this.#options.timing.now();
      this.#state.tell(now);
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

  wentBack(): void {
    this.#beginAnew('restored', this.#sameAt);
  }

  /**
   * Must be called when a request got no answer. Resolves when the server answers (at once if the failure was that
   * request's own) or when the source closes.
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
      const isNews = !this.#state.isLost;
      this.#state.lose(failure || firstReason, this.#options.timing.now());
      if (isNews) this.#breakOff();
      await this.#options.timing.sleep(backoff.next(), this.#options.signal);
      if (this.#options.signal.aborted) return;
    }
    this.#lastHeard = this.#options.timing.now();
    if (this.#stoodStill !== undefined) await this.#comeBack('resumed', this.#stoodStill);
    else if (this.#state.isLost) await this.#comeBack('reconnected', this.#lastHeard);
    this.#stoodStill = undefined;
  }

  /** Resumes after a suspension: the server may have closed connections that look open here. */
  async #resume(since: number, now: number): Promise<void> {
    this.#stoodStill = since;
    this.#state.catchUp('resumed', since, now);
    this.#breakOff();
    await this.failed('');
  }

  async #comeBack(cause: CatchUpCause, since: number): Promise<void> {
    const sign = await this.#look();
    if (this.#options.signal.aborted || sign.wentBack) return;
    if (sign.isSame) this.#state.catchUp(cause, since, this.#options.timing.now());
    else this.#beginAnew(cause, since);
  }

  /** Checks the history regularly: a restart may go unnoticed during a short network outage. */
  async #lookAfter(): Promise<void> {
    const since = this.#sameAt;
    const sign = await this.#look();
    if (sign.isDoubtful && !sign.wentBack && !this.#options.signal.aborted)
      this.#beginAnew('reconnected', since);
  }

  /** Never rejects, because `failed` finds out if the server answers. Starts over if the history went back. */
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
    this.#state.catchUp(cause, since, this.#options.timing.now());
    this.#options.anew();
    this.#breakOff();
  }

  #breakOff(): void {
    this.#generation.abort();
    this.#generation = new AbortController();
  }

  /** The login or proxy that has kept all requests waiting so long that the state can't be called live. */
  get #heldUp(): string | undefined {
    const { waiting } = this.#options.transport;
    const isLong = waiting !== undefined && this.#options.timing.now() - waiting.since >= UNANSWERED_MS;
    return isLong ? `${waiting.who} does not answer.` : undefined;
  }

  /** Returns undefined if the server answered; every authenticated user may read `/version`. */
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

/** Reading a small body to its end leaves the connection usable. */
async function drain(response: WireResponse): Promise<void> {
  const body = response.body[Symbol.asyncIterator]();
  while ((await body.next()).done !== true);
}

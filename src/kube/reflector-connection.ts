/**
 * Whether the API server can be reached, judged once for all reflectors: one of them that gets no answer
 * makes this probe, the others wait here, and all resume together when it answers again.
 */
import type { Connection } from '../model/changes.ts';
import { SourceError } from '../source/source.ts';
import { Backoff, type Timing } from './reflector-timing.ts';
import type { Transport, WireResponse } from './transport.ts';

/** A connection on which nothing at all was heard for so long is probed: it may be dead without a trace. */
const QUIET_MS = 15_000;
const PROBE_TIMEOUT_MS = 10_000;
/** Bookmarks come once a minute (apiserver v0.36.3, pkg/storage/cacher); without them a watch is reopened. */
export const SILENT_WATCH_MS = 150_000;
/** Between two chunks of a list, which the server sends as fast as it can. */
export const SILENT_LIST_MS = 30_000;
const TICK_MS = 5_000;

/** A stream whose silence is watched. */
export interface Heard {
  at: number;
  readonly limit: number;
  readonly silent: () => void;
}

export class ConnectionMonitor {
  private readonly transport: Transport;
  private readonly timing: Timing;
  private readonly signal: AbortSignal;
  private readonly report: (connection: Connection) => void;
  private readonly streams = new Set<Heard>();
  private lastHeard: number;
  private lost = false;
  private probing: Promise<void> | undefined;
  private generation = new AbortController();

  constructor(options: {
    readonly transport: Transport;
    readonly timing: Timing;
    readonly signal: AbortSignal;
    readonly report: (connection: Connection) => void;
  }) {
    this.transport = options.transport;
    this.timing = options.timing;
    this.signal = options.signal;
    this.report = options.report;
    this.lastHeard = options.timing.now();
  }

  /** Aborts when the connection is found dead: whatever still waits on it would wait for ever. */
  get alive(): AbortSignal {
    return this.generation.signal;
  }

  /** Follows a stream until `forget`; `silent` is called when nothing came on it for `limit` milliseconds. */
  watch(limit: number, silent: () => void): Heard {
    const heard: Heard = { at: this.timing.now(), limit, silent };
    this.streams.add(heard);
    return heard;
  }

  heard(stream: Heard): void {
    stream.at = this.timing.now();
    this.lastHeard = stream.at;
  }

  forget(stream: Heard): void {
    this.streams.delete(stream);
  }

  /** Looks after silence until the source closes. */
  async run(): Promise<void> {
    while (!this.signal.aborted) {
      await this.timing.sleep(TICK_MS, this.signal);
      if (this.signal.aborted) return;
      const now = this.timing.now();
      for (const stream of this.streams) {
        if (now - stream.at < stream.limit) continue;
        this.streams.delete(stream);
        stream.silent();
      }
      if (now - this.lastHeard >= QUIET_MS) await this.failed('');
    }
  }

  /**
   * To be called when a request got no answer; resolves when the server answers (which may be at once: then
   * the failure was that request's own), or when the source closes.
   */
  failed(reason: string): Promise<void> {
    this.probing ??= this.probe(reason).finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  private async probe(firstReason: string): Promise<void> {
    const backoff = new Backoff(this.timing, 500, 5_000);
    for (;;) {
      const failure = await this.ask();
      if (this.signal.aborted) return;
      if (failure === undefined) break;
      if (!this.lost) {
        this.lost = true;
        this.report({ state: 'lost', reason: failure || firstReason, since: this.timing.now() });
        this.generation.abort();
        this.generation = new AbortController();
      }
      await this.timing.sleep(backoff.next(), this.signal);
      if (this.signal.aborted) return;
    }
    this.lastHeard = this.timing.now();
    if (!this.lost) return;
    this.lost = false;
    this.report({ state: 'live' });
  }

  /** Undefined where the server answered; every authenticated user may read `/version`. */
  private async ask(): Promise<string | undefined> {
    const limit = new AbortController();
    const done = new AbortController();
    void this.timing.sleep(PROBE_TIMEOUT_MS, AbortSignal.any([done.signal, this.signal])).then(() => {
      if (!done.signal.aborted) limit.abort();
    });
    try {
      const response = await this.transport.request({
        method: 'GET',
        path: '/version',
        signal: AbortSignal.any([limit.signal, this.signal]),
      });
      await drain(response);
      if (response.status === 401)
        return `${this.transport.server} no longer accepts these credentials (401); log in again.`;
      return response.status >= 500
        ? `${this.transport.server} answers with status ${response.status}.`
        : undefined;
    } catch (error) {
      if (limit.signal.aborted) return `${this.transport.server} does not answer.`;
      return error instanceof SourceError ? error.message : `${this.transport.server} does not answer.`;
    } finally {
      done.abort();
    }
  }
}

/** A small body that is read to its end leaves the connection usable. */
async function drain(response: WireResponse): Promise<void> {
  const body = response.body[Symbol.asyncIterator]();
  while ((await body.next()).done !== true);
}

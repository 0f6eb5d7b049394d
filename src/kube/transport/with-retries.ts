/**
 * A transport that keeps at it: small requests are read whole within a deadline, and sent again where the policy says
 * so. Discovery, reviews, dry runs, look-ups, backups and actions all pass through here; lists and watches only as far
 * as their first byte, because their reflectors ask again by themselves.
 */
import { Readable } from 'node:stream';
import type { Pausing } from '../../model/exchange/changes.ts';
import { orAborted, systemTiming, type Timing } from '../timing.ts';
import { brokenAnswer, ConnectionFailure } from './errors.ts';
import { type AttemptOutcome, pauseBefore, retryAfter } from './retry-policy.ts';
import { isWatch, type Transport, type WireRequest, type WireResponse, withRequest } from './transport.ts';

/** A request that will be sent again. */
export interface Wait extends Pick<WireRequest, 'method' | 'path'> {
  /** That it was answered with; undefined where the connection broke. */
  readonly status: number | undefined;
  /** Milliseconds. */
  readonly pause: number;
}

export interface RetryOptions {
  readonly timing?: Timing;
  /** `--request-timeout` in milliseconds, which bounds a request with all its repetitions; 0 is never. */
  readonly requestTimeoutMs: number | undefined;
  /** A pause begins; what this returns is called at its end. */
  readonly waiting?: ((wait: Wait) => () => void) | undefined;
}

/**
 * For one attempt at a small request, without `--request-timeout`. The API server itself gives up on a change after
 * 34 s (apiserver v0.36, pkg/endpoints/handlers/rest.go), and client-go on discovery after 32 s.
 */
const ATTEMPT_MS = 40_000;

const requestTimeout = '--request-timeout';

export function withRetries(transport: Transport, options: RetryOptions): Transport {
  const retries = new Retries(transport, options);
  return withRequest(transport, request => retries.request(request));
}

/** What one attempt came to. */
type Attempt = { readonly outcome: AttemptOutcome } & (
  | { readonly response: WireResponse }
  | { readonly error: unknown }
);

/** A deadline, and what takes it away. */
interface Limit {
  readonly signal: AbortSignal | undefined;
  /** The request is on its way: until then it waits for a login. */
  readonly leave: () => void;
  readonly end: () => void;
}

class Retries {
  readonly #transport: Transport;
  readonly #timing: Timing;
  readonly #timeout: number | undefined;
  readonly #waiting: NonNullable<RetryOptions['waiting']>;

  constructor(transport: Transport, options: RetryOptions) {
    this.#transport = transport;
    this.#timing = options.timing ?? systemTiming;
    this.#timeout = options.requestTimeoutMs;
    this.#waiting = options.waiting ?? (() => () => {});
  }

  async request(request: WireRequest): Promise<WireResponse> {
    const whole = this.#limit(this.#timeout ?? 0, requestTimeout, request);
    const leaving = (): void => {
      whole.leave();
      // A watch may last, but it has to begin.
      if (isWatch(request)) whole.end();
      request.leaving?.();
    };
    try {
      const response = await this.#settle({ ...request, signal: whole.signal, leaving });
      // `--request-timeout` is for a list's body, too.
      if (request.stream === true) response.body.once('close', whole.end);
      else whole.end();
      return response;
    } catch (error) {
      whole.end();
      throw error;
    }
  }

  async #settle(request: Limited): Promise<WireResponse> {
    const timing = this.#timing;
    const timeout = this.#timeout;
    const began = timing.now();
    const harmless = request.method === 'GET' || request.harmless === true;
    const alone = request.stream === true || request.anyAnswer === true;
    const patience = timeout === 0 ? undefined : timeout;
    for (let sent = 1; ; sent++) {
      const attempt = await this.#attempt(request);
      request.signal?.throwIfAborted();
      const elapsed = timing.now() - began;
      const history = { harmless, alone, sent, elapsed, patience, random: timing.random() };
      const pause = pauseBefore(attempt.outcome, history);
      const goesOn = pause !== undefined && (await this.#pause(request, attempt, pause));
      if (goesOn) continue;
      if ('error' in attempt) throw attempt.error;
      return attempt.response;
    }
  }

  async #attempt(request: Limited): Promise<Attempt> {
    const isWhole = request.stream !== true;
    const limit = this.#limit(
      isWhole && this.#timeout === undefined ? ATTEMPT_MS : 0,
      `${ATTEMPT_MS / 1_000} s`,
      request,
    );
    const leaving = (): void => {
      limit.leave();
      request.leaving?.();
    };
    const limited = { ...request, signal: limit.signal, leaving };
    try {
      const response = await (isWhole ? this.#whole(limited) : this.#begun(limited));
      const { status, headers } = response;
      return { response, outcome: { status, retryAfterMs: retryAfter(headers, this.#timing.now()) } };
    } catch (error) {
      return { error, outcome: { fate: error instanceof ConnectionFailure ? error.fate : 'other' } };
    } finally {
      limit.end();
    }
  }

  /** The answer with its body, so that one that breaks off in its middle can be asked for again. */
  async #whole(request: Limited): Promise<WireResponse> {
    const { signal } = request;
    const response = await this.#begun(request);
    const chunks: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of response.body) chunks.push(chunk);
    };
    try {
      await orAborted(read(), signal);
    } catch (error) {
      response.body.destroy();
      signal?.throwIfAborted();
      throw brokenAnswer(error, this.#transport.server);
    }
    return { ...response, body: Readable.from(chunks, { objectMode: false }) };
  }

  /** The answer as soon as it begins. What comes after the signal has aborted is of no use to anybody. */
  async #begun({ signal, ...rest }: Limited): Promise<WireResponse> {
    const answer = this.#transport.request(signal === undefined ? rest : { ...rest, signal });
    try {
      return await orAborted(answer, signal);
    } catch (error) {
      answer.then(({ body }) => body.destroy()).catch(() => {});
      throw error;
    }
  }

  /** Resolves with whether it is to be sent again then. */
  async #pause(request: Limited, attempt: Attempt, pause: number): Promise<boolean> {
    const { method, path, signal, enough } = request;
    if (isAborted(enough)) return false;
    if (pause === 0) return true;
    const status = 'response' in attempt ? attempt.response.status : undefined;
    const over = this.#waiting({ method, path, status, pause });
    const ends = [signal, enough].filter(each => each !== undefined);
    await this.#timing.sleep(pause, AbortSignal.any(ends));
    over();
    signal?.throwIfAborted();
    return !isAborted(enough);
  }

  /** `milliseconds` of 0 are no limit. */
  #limit(milliseconds: number, name: string, { signal: outer }: Limited | WireRequest): Limit {
    if (milliseconds === 0) return { signal: outer, leave: () => {}, end: () => {} };
    const late = new AbortController();
    const done = new AbortController();
    const left = new AbortController();
    const waitsForLogin = (): boolean => !left.signal.aborted && this.#transport.waiting !== undefined;
    const wait = async (): Promise<void> => {
      for (;;) {
        // A login has a limit of its own, which may be that of a person: the time of an attempt begins when it leaves.
        const begins = name !== requestTimeout && !left.signal.aborted;
        const ends = begins ? AbortSignal.any([done.signal, left.signal]) : done.signal;
        await this.#timing.sleep(milliseconds, ends);
        if (done.signal.aborted) return;
        if (!begins || (!left.signal.aborted && !waitsForLogin())) break;
      }
      late.abort(this.#tooLate(name, waitsForLogin()));
    };
    void wait();
    return {
      signal: outer === undefined ? late.signal : AbortSignal.any([outer, late.signal]),
      leave: () => left.abort(),
      end: () => done.abort(),
    };
  }

  #tooLate(name: string, waitsForLogin: boolean): ConnectionFailure {
    const { waiting, server } = this.#transport;
    if (waitsForLogin && waiting !== undefined)
      return new ConnectionFailure(`${waiting.who} did not answer within ${name}.`, 'unsent');
    return new ConnectionFailure(`cannot reach ${server}: no complete answer within ${name}.`, 'other');
  }
}

/** A request whose signal may be missing by value, for those that are made of others. */
type Limited = Omit<WireRequest, 'signal'> & { readonly signal: AbortSignal | undefined };

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

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
    return [...this.#running].toSorted((a, b) => b.until - a.until)[0];
  }

  /** Who is to answer, as in `Transport.waiting`. */
  get who(): string | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    const { status } = current;
    if (status === undefined) return 'the API server, to which the connection breaks';
    if (status === 429) return 'the API server, which is too busy (429)';
    return `the API server, which is not available (${status})`;
  }

  /** Returns what is to be called at its end. */
  readonly begin = ({ status, pause }: Pick<Wait, 'status' | 'pause'>): (() => void) => {
    const pausing = { status, until: this.#now() + pause };
    this.#running.add(pausing);
    this.changed();
    return () => {
      this.#running.delete(pausing);
      this.changed();
    };
  };
}

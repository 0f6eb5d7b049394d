/**
 * Repeats requests by the policy and reads small answers whole within a deadline; reflectors repeat streams themselves.
 */
import { Readable } from 'node:stream';
import type { Pausing } from '../../model/index.ts';
import { brokenAnswer, ConnectionFailure } from './connection-failure.ts';
import { type AttemptOutcome, pauseBefore, retryAfter } from './retry-policy.ts';
import { orAborted, systemTiming, type Timing } from './timing.ts';
import { isWatch, type Transport, type WireRequest, type WireResponse, withRequest } from './transport.ts';

export interface Wait extends Pick<WireRequest, 'method' | 'path'> {
  readonly status: number | undefined;
  /** Milliseconds. */
  readonly pause: number;
}

export interface RetryOptions {
  readonly timing?: Timing;
  /** `--request-timeout` in milliseconds, for a request with its repetitions; 0 is none. */
  readonly requestTimeoutMs: number | undefined;
  /** Called when a pause begins; the returned function is called at its end. */
  readonly waiting?: ((wait: Wait) => () => void) | undefined;
}

/**
 * The limit of one attempt. The API server gives up a change after 34 s (apiserver v0.36,
 * pkg/endpoints/handlers/rest.go), client-go discovery after 32 s.
 */
const ATTEMPT_MS = 40_000;

const requestTimeout = '--request-timeout';

export function withRetries(transport: Transport, options: RetryOptions): Transport {
  const retries = new Retries(transport, options);
  return withRequest(transport, request => retries.request(request));
}

type Attempt = { readonly outcome: AttemptOutcome } & (
  | { readonly response: WireResponse }
  | { readonly error: unknown }
);

interface Limit {
  readonly signal: AbortSignal | undefined;
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
      // `--request-timeout` includes a list's body.
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

  /** Resolves with the whole answer, so that one that breaks off can be repeated. */
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

  /** Resolves when the answer begins. Later answers to an aborted request are discarded. */
  async #begun({ signal, ...rest }: Limited): Promise<WireResponse> {
    const answer = this.#transport.request(signal === undefined ? rest : { ...rest, signal });
    try {
      return await orAborted(answer, signal);
    } catch (error) {
      answer.then(({ body }) => body.destroy()).catch(() => {});
      throw error;
    }
  }

  /** Resolves with true if the request should be repeated. */
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

  #limit(milliseconds: number, name: string, { signal: outer }: Limited | WireRequest): Limit {
    if (milliseconds === 0) return { signal: outer, leave: () => {}, end: () => {} };
    const late = new AbortController();
    const done = new AbortController();
    const left = new AbortController();
    const waitsForLogin = (): boolean => !left.signal.aborted && this.#transport.waiting !== undefined;
    const wait = async (): Promise<void> => {
      for (;;) {
        // A login has its own limit, so an attempt's time begins when it is sent.
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

type Limited = Omit<WireRequest, 'signal'> & { readonly signal: AbortSignal | undefined };

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

export class Pauses {
  changed: () => void = () => {};
  readonly #now: () => number;
  readonly #running = new Set<Pausing>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get current(): Pausing | undefined {
    return [...this.#running].toSorted((a, b) => b.until - a.until)[0];
  }

  /** The party that must answer, as in `Transport.waiting`. */
  get who(): string | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    const { status } = current;
    if (status === undefined) return 'the API server, to which the connection breaks';
    if (status === 429) return 'the API server, which is too busy (429)';
    return `the API server, which is not available (${status})`;
  }

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

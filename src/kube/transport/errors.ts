/** Network and TLS failures as one line that says what to look at. Error codes in, sentences out. */
import { constants } from 'node:http2';
import { SourceError } from '../../source/source.ts';
import { explainDialError, isUnconnected, type Route } from '../dial/explain.ts';
import type { Fate } from '../retry/retry-policy.ts';

export interface Target extends Route {
  readonly contextName: string | undefined;
}

/** What is known of an undici or Node error: codes are looked for along the causes and in aggregates. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly syscall: string;
  /** Of the stream that the server reset. */
  readonly http2ErrorCode: number | undefined;
}

/** A request that got no answer, or none to its end. */
export class ConnectionFailure extends SourceError {
  readonly fate: Fate;

  constructor(message: string, fate: Fate, cause?: unknown) {
    super(message, { cause });
    this.fate = fate;
  }

  /** As `isUnsent` of `model/exchange/act.ts` reads it: whatever was asked for, it wasn't done. */
  get unsent(): boolean {
    return this.fate === 'unsent' || this.fate === 'unprocessed';
  }
}

/**
 * The `SourceError` for a request that got no answer. An error that already is one is returned as it is.
 */
export function connectionError(error: unknown, target: Target): SourceError {
  if (error instanceof SourceError) return error;
  const failure = findFailure(error);
  const fate = isUnconnected(error) ? 'unsent' : fateOf(failure);
  const reason = fate === 'unprocessed' ? refused : explainDialError(error, target);
  return new ConnectionFailure(`cannot reach ${target.server}${context(target)}: ${reason}`, fate, error);
}

const refused = 'it refused to look at the request, again and again (HTTP/2 GOAWAY); is it shutting down?';

/** The same for an answer whose body broke off. */
export function brokenAnswer(error: unknown, server: string): SourceError {
  if (error instanceof SourceError) return error;
  const message = `the answer of ${server} broke off; is a load balancer or proxy in between?`;
  return new ConnectionFailure(message, 'broken', error);
}

function fateOf({ code, message, syscall, http2ErrorCode }: Failure): Fate {
  // undici says this of the requests beyond a GOAWAY's last stream alone.
  const isUnprocessed =
    http2ErrorCode === constants.NGHTTP2_REFUSED_STREAM || /"GOAWAY" frame received/.test(message);
  if (isUnprocessed) return 'unprocessed';
  if (syscall === 'connect' || syscall === 'getaddrinfo' || unsentCodes.has(code)) return 'unsent';
  return brokenCodes.has(code) ? 'broken' : 'other';
}

const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

const brokenCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_STREAM_CANCEL',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION',
]);

function context({ contextName }: Target): string {
  return contextName === undefined ? '' : ` (context ${contextName})`;
}

function findFailure(error: unknown): Failure {
  const found: { -readonly [K in keyof Failure]: Failure[K] } = {
    code: '',
    message: '',
    syscall: '',
    http2ErrorCode: undefined,
  };
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    const { code, cause, message, syscall, http2ErrorCode } = current as Error & Record<string, unknown>;
    found.message = found.message === '' ? message : found.message;
    // A cause is nearer to the wire than what wraps it.
    if (typeof code === 'string' && code !== '')
      Object.assign(found, { code, message: message || found.message });
    if (typeof syscall === 'string') found.syscall = syscall;
    if (typeof http2ErrorCode === 'number') found.http2ErrorCode = http2ErrorCode;
    const { errors } = current as AggregateError;
    current = Array.isArray(errors) && errors.length > 0 ? errors.at(-1) : cause;
  }
  return found;
}

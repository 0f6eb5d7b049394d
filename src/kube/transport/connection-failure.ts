import { constants } from 'node:http2';
import { SourceError } from '../../source/index.ts';
import { causesOf, explainDialError, isUnconnected, nearest, type Route } from '../dial/explain.ts';
import type { Fate } from './retry-policy.ts';

export interface Target extends Route {
  readonly contextName: string | undefined;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly syscall: unknown;
  readonly http2ErrorCode: unknown;
}

export class ConnectionFailure extends SourceError {
  readonly fate: Fate;

  constructor(message: string, fate: Fate, cause?: unknown) {
    super(message, { cause });
    this.fate = fate;
  }

  /** `ActAnswer.isUnsent` of `model/exchange/act.ts` reads this: true if the request had no effect. */
  get unsent(): boolean {
    return this.fate === 'unsent' || this.fate === 'unprocessed';
  }
}

export function connectionError(error: unknown, target: Target): SourceError {
  if (error instanceof SourceError) return error;
  const failure = findFailure(error);
  const fate = isUnconnected(error) ? 'unsent' : fateOf(failure);
  const reason = fate === 'unprocessed' ? refused : explainDialError(error, target);
  return new ConnectionFailure(`cannot reach ${target.server}${context(target)}: ${reason}`, fate, error);
}

const refused = 'it refused the request repeatedly (HTTP/2 GOAWAY); is it shutting down?';

/** Returns the `SourceError` for an answer whose body broke off. */
export function brokenAnswer(error: unknown, server: string): SourceError {
  if (error instanceof SourceError) return error;
  const message = `the answer of ${server} broke off; is a load balancer or proxy in between?`;
  return new ConnectionFailure(message, 'broken', error);
}

function fateOf({ code, message, syscall, http2ErrorCode }: Failure): Fate {
  // undici reports this only for requests beyond a GOAWAY's last stream.
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
  const errors = causesOf(error);
  const causes: readonly Partial<Failure>[] = errors;
  const syscall = causes.findLast(each => typeof each.syscall === 'string')?.syscall;
  const http2ErrorCode = causes.findLast(each => typeof each.http2ErrorCode === 'number')?.http2ErrorCode;
  return { ...nearest(errors), syscall, http2ErrorCode };
}

/** An HTTP(S) server for GET requests with limits on slow, large and frequent clients. `Answerer` has the content. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly target: string;
  /** Bearer token; undefined without one. */
  readonly token: string | undefined;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

/** Never rejects. */
export type Answerer = (asked: Asked) => Promise<Answer>;

export interface Limits {
  readonly connections: number;
  /** Milliseconds for a whole request, from its first byte. */
  readonly requestMs: number;
  /** Milliseconds for the client to receive the answer, from its first byte. */
  readonly answerMs: number;
  /** Milliseconds for which an idle connection is kept. */
  readonly idleMs: number;
}

const usualLimits: Limits = { connections: 256, requestMs: 10_000, answerMs: 60_000, idleMs: 60_000 };

const MOST_HEADER_BYTES = 32 * 1024;

export interface ListenOptions {
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Undefined for plain HTTP. */
  readonly certificate: Certificate | undefined;
  readonly limits?: Limits;
}

export class HttpServer {
  readonly #server: Server | TlsServer;

  constructor(answer: Answerer, { certificate, limits = usualLimits }: ListenOptions) {
    const listener: RequestListener = (request, response) =>
      void serve(request, response, { answer, limits });
    const options = {
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
    };
    this.#server =
      certificate === undefined
        ? createServer(options, listener)
        : createTlsServer(
            { ...options, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: limits.requestMs },
            listener,
          );
    this.#server.maxConnections = limits.connections;
    // Broken requests and handshakes have no client to inform, so the connection is closed.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Resolves with the port. Rejects with the system's error. */
  async listen({ address, port }: Pick<ListenOptions, 'address' | 'port'>): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ host: address, port }, resolve);
    await promise;
    this.#server.off('error', reject);
    // Ignores later errors such as a full file table: existing connections continue.
    this.#server.on('error', () => {});
    return (this.#server.address() as AddressInfo).port;
  }

  /** Applies to new connections. */
  use(certificate: Certificate): void {
    if ('setSecureContext' in this.#server)
      this.#server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' });
  }

  /** Stops accepting, and resolves once all requests are answered or after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), patienceMs);
    await closed;
    clearTimeout(timer);
  }
}

interface Serving {
  readonly answer: Answerer;
  readonly limits: Limits;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, limits }: Serving,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // A body is never read, so the connection cannot be reused.
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length !== '0' || encoding !== undefined)
    return send(
      response,
      { ...failure(413, 'a request has no body here'), headers: { connection: 'close' } },
      limits,
    );
  if (request.method !== 'GET')
    return send(response, { ...failure(405, 'only GET is answered'), headers: { allow: 'GET' } }, limits);
  const [, token] = /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? '') ?? [];
  const answered = await answer({ target: request.url ?? '/', token, gone: gone.signal });
  if (!gone.signal.aborted) send(response, answered, limits);
}

function send(
  response: ServerResponse,
  { status, body, contentType, headers = {} }: Answer,
  { answerMs }: Limits,
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  const timer = setTimeout(() => response.destroy(), answerMs);
  response.once('close', () => clearTimeout(timer));
  response.end(body);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Returns a `Status` as an API server does. */
export function failure(code: number, message: string): Answer {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: reasons[code] ?? 'Unknown',
    code,
  };
  return { status: code, body: `${JSON.stringify(status)}\n`, contentType: 'application/json' };
}

export function plain(status: number, body: string): Answer {
  return { status, body, contentType: 'text/plain; charset=utf-8' };
}

/**
 * An HTTP(S) server with limits on slow, large and frequent clients, for GET requests and for POST to one path. `Answerer`
 * has the content.
 */
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
  /** Undefined for a GET. */
  readonly body: string | undefined;
  /** True if the client has a certificate of the client CA. */
  readonly isVerified: boolean;
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
  /** The path that takes a POST; none unless given. */
  readonly post?: Post | undefined;
}

interface Post {
  readonly path: string;
  readonly mostBytes: number;
}

export class HttpServer {
  readonly #server: Server | TlsServer;

  constructor(answer: Answerer, { certificate, limits = usualLimits, post }: ListenOptions) {
    const listener: RequestListener = (request, response) =>
      void serve(request, response, { answer, limits, post });
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
            {
              ...options,
              ...certificate,
              // Only one path asks for a client's certificate, so a connection without one is served.
              requestCert: certificate.ca !== undefined,
              rejectUnauthorized: false,
              minVersion: 'TLSv1.2',
              handshakeTimeout: limits.requestMs,
            },
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
  readonly post: Post | undefined;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, limits, post }: Serving,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const refuse = (refusal: Answer, headers: Answer['headers']): void =>
    send(response, { ...refusal, headers: { ...headers } }, limits);
  const isPath = pathOf(request) === post?.path;
  const isPost = isPath && request.method === 'POST';
  const most = isPost && post !== undefined ? post.mostBytes : 0;
  const body = await bodyOf(request, most);
  // The rest of the body is never read, so the connection cannot be reused.
  if (body === undefined) {
    const why = most === 0 ? 'a request has no body here' : `a body has at most ${most} bytes here`;
    return refuse(failure(413, why), { connection: 'close' });
  }
  if (isPath && !isPost) return refuse(failure(405, 'only POST is answered here'), { allow: 'POST' });
  if (request.method !== 'GET' && !isPost)
    return refuse(failure(405, 'only GET is answered'), { allow: 'GET' });
  const [, token] = /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? '') ?? [];
  const answered = await answer({
    target: request.url ?? '/',
    body: isPost ? body : undefined,
    isVerified: 'authorized' in request.socket && request.socket.authorized === true,
    token,
    gone: gone.signal,
  });
  if (!gone.signal.aborted) send(response, answered, limits);
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Returns undefined if the body is longer. Stays pending if the client leaves. */
function bodyOf(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return Promise.resolve('');
  if (mostBytes === 0 || Number(length) > mostBytes) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
    else resolve(undefined);
  });
  request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  return promise;
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

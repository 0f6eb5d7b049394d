import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { SourceError } from '../../source/index.ts';
import { shownProxy } from '../config/choose-proxy.ts';
import { plainText } from '../config/known-credentials.ts';
import type { ResolvedConnection } from '../config/resolve-connection.ts';
import { isUntrusted } from '../dial/explain.ts';
import { equalTls, type TlsMaterial } from '../dial/tls-settings.ts';
import { ConnectionFailure, connectionError, type Target } from '../transport/connection-failure.ts';
import { createDispatcher, type DispatcherTarget } from '../transport/dispatcher.ts';
import {
  isWatch,
  type Transport,
  type Waiting,
  type WireRequest,
  type WireResponse,
} from '../transport/transport.ts';
import { type CredentialOptions, CredentialSource } from './credential-source.ts';
import type { Credentials } from './read-credentials.ts';

export interface TransportOptions extends CredentialOptions {
  /** Milliseconds between the pings that detect dead connections; 15,000 by default. */
  readonly pingIntervalMs?: number;
}

/**
 * Connects at the first request. Rejects with the signal's reason or a `SourceError`; repeats only after a 401 or an
 * untrusted certificate.
 */
export function createTransport(connection: ResolvedConnection, options: TransportOptions = {}): Transport {
  return new HttpTransport(connection, options);
}

interface Line {
  readonly small: Dispatcher;
  bulk: Dispatcher | undefined;
}

class HttpTransport implements Transport {
  readonly server: string;
  readonly #connection: ResolvedConnection;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #target: Target;
  readonly #credentials: CredentialSource;
  readonly #pingIntervalMs: number;
  readonly #closing = new AbortController();
  /** All lines that may carry a request; the last takes new ones. */
  readonly #lines: Line[] = [];
  #tls: TlsMaterial | undefined;

  constructor(connection: ResolvedConnection, options: TransportOptions) {
    const url = new URL(connection.server);
    this.server = connection.server;
    this.#connection = connection;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/$/, '');
    this.#target = {
      server: connection.server,
      contextName: connection.contextName,
      proxy: shownProxy(connection.proxyUrl),
    };
    this.#pingIntervalMs = options.pingIntervalMs ?? 15_000;
    this.#credentials = new CredentialSource(connection, options);
  }

  get waiting(): Waiting | undefined {
    return this.#credentials.waiting;
  }

  async request(request: WireRequest): Promise<WireResponse> {
    try {
      const credentials = await this.#credentials.current(request.signal).catch(unsent);
      const response = await this.#follow(request, credentials).catch((error: unknown) =>
        this.#trustAnew(error, request, credentials),
      );
      if (response.statusCode !== 401) return this.#answer(response);
      const fresh = await this.#credentials.renew(credentials, request.signal).catch((error: unknown) => {
        discard(response);
        return unsent(error);
      });
      if (fresh === credentials) return this.#answer(response);
      discard(response);
      return this.#answer(await this.#follow(request, fresh));
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      if (this.#closing.signal.aborted) throw new SourceError(`the connection to ${this.server} was closed.`);
      throw connectionError(error, this.#target);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const lines = this.#lines.splice(0).flatMap(dispatchersOf);
    await Promise.all([this.#credentials.close(), ...lines.map(dispatcher => dispatcher.destroy())]);
  }

  async #trustAnew(
    error: unknown,
    request: WireRequest,
    credentials: Credentials,
  ): Promise<Dispatcher.ResponseData> {
    if (!isUntrusted(error)) throw error;
    const fresh = await this.#credentials.trustAnew(credentials, request.signal).catch(unsent);
    if (fresh === credentials) throw error;
    return this.#follow(request, fresh);
  }

  async #follow(request: WireRequest, credentials: Credentials): Promise<Dispatcher.ResponseData> {
    const asked: Address[] = [];
    let address: Address = { origin: this.#origin, path: this.#basePath + request.path };
    for (;;) {
      asked.push(address);
      const response = await this.#send(request, credentials, address);
      let next: Address | undefined;
      try {
        next = redirectOf(request, response, asked);
      } catch (error) {
        discard(response);
        throw error;
      }
      if (next === undefined) return response;
      discard(response);
      address = next;
    }
  }

  async #send(
    request: WireRequest,
    credentials: Credentials,
    { origin, path }: Address,
  ): Promise<Dispatcher.ResponseData> {
    this.#closing.signal.throwIfAborted();
    request.leaving?.();
    const dispatcher = this.#dispatcher(credentials.tls, request.bulk === true);
    return dispatcher.request({
      origin,
      path,
      method: request.method,
      headers: {
        // The API server doesn't compress watches, which bring little at a time.
        ...(this.#connection.compression && !isWatch(request) && { 'accept-encoding': 'gzip' }),
        ...request.headers,
        ...credentials.headers,
        'user-agent': 'kubectl-gc-tree',
      },
      ...(request.body !== undefined && { body: request.body }),
      ...(request.signal !== undefined && { signal: request.signal }),
    });
  }

  #answer(response: Dispatcher.ResponseData): WireResponse {
    // Without a listener, an unread body that breaks off would end the process.
    response.body.on('error', () => {});
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return decompressed({ status: response.statusCode, headers, body: response.body });
  }

  #dispatcher(tls: TlsMaterial, bulk: boolean): Dispatcher {
    const line = this.#line(tls);
    if (!bulk) return line.small;
    line.bulk ??= createDispatcher({ ...this.#dispatcherTarget(), bulk }, tls);
    return line.bulk;
  }

  #line(tls: TlsMaterial): Line {
    const current = this.#lines.at(-1);
    const same = tls === this.#tls || (this.#tls !== undefined && equalTls(tls, this.#tls));
    if (current !== undefined && same) return current;
    this.#tls = tls;
    const health = {
      pingIntervalMs: this.#pingIntervalMs,
      onDead: () =>
        this.#drop(next, new ConnectionFailure(`the connection to ${this.server} died`, 'broken')),
    };
    const next: Line = {
      small: createDispatcher({ ...this.#dispatcherTarget(), health }, tls),
      bulk: undefined,
    };
    this.#lines.push(next);
    // The old connections close once their watches have ended.
    if (current !== undefined) {
      const closing = dispatchersOf(current).map(dispatcher => dispatcher.close());
      void Promise.all(closing).then(() => this.#forget(current));
    }
    return next;
  }

  #dispatcherTarget(): DispatcherTarget {
    const { server, proxyUrl, env, user } = this.#connection;
    return { server, proxyUrl, env, repeatsHeaders: repeatsHeaders(user) };
  }

  #drop(line: Line, reason: Error): void {
    this.#forget(line);
    for (const dispatcher of dispatchersOf(line)) void dispatcher.destroy(reason);
  }

  #forget(line: Line): void {
    const index = this.#lines.indexOf(line);
    if (index < 0) return;
    if (index === this.#lines.length - 1) this.#tls = undefined;
    this.#lines.splice(index, 1);
  }
}

function dispatchersOf({ small, bulk }: Line): Dispatcher[] {
  return bulk === undefined ? [small] : [small, bulk];
}

function repeatsHeaders({ asGroups, asUserExtra }: ResolvedConnection['user']): boolean {
  return asGroups.length > 1 || Object.values(asUserExtra).some(values => values.length > 1);
}

/** Reads the rest in the background so that the connection can be reused. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.dump().catch(() => {});
}

/** Without credentials the request was not sent or not processed. */
function unsent(error: unknown): never {
  throw error instanceof SourceError ? new ConnectionFailure(error.message, 'unsent', error) : error;
}

function decompressed(response: WireResponse): WireResponse {
  const { 'content-encoding': encoding, 'content-length': _length, ...headers } = response.headers;
  // Only the requested encoding is known, under both of its names.
  if (encoding === undefined || !/^(?:x-)?gzip$/i.test(encoding)) return response;
  return { ...response, headers, body: gunzip(response.body) };
}

function gunzip(body: Readable): Readable {
  // Node's default of 16 KB would split 80 MB of facts into five thousand chunks.
  const plain = createGunzip({ chunkSize: 128 * 1024 });
  // `pipeline` ends both streams; the reader sees errors on `plain`.
  pipeline(body, plain, () => {});
  plain.on('error', () => {});
  return plain;
}

/** Redirects in a row, as in Go (net/http `defaultCheckRedirect`, Go 1.26). */
const MOST = 10;

const statuses = new Set([301, 302, 303, 307, 308]);

/** A URL would normalise the path. */
export interface Address {
  readonly origin: string;
  readonly path: string;
}

/**
 * Returns undefined to accept the answer, or throws a `SourceError`. Stricter than kubectl, which sends credentials to
 * any named host (client-go v0.36, transport/round_trippers.go), and turns a DELETE answered by 302 into a GET; here
 * only a GET is redirected, on one host.
 */
function redirectOf(
  { method }: Pick<WireRequest, 'method'>,
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  asked: readonly Address[],
): Address | undefined {
  const { location } = headers;
  const last = asked.at(-1);
  if (
    method !== 'GET' ||
    !statuses.has(statusCode) ||
    typeof location !== 'string' ||
    location === '' ||
    last === undefined
  )
    return undefined;
  const from = new URL(last.path, last.origin);
  const next = URL.parse(location, from);
  if (next === null) throw new SourceError(`${last.origin} answered with a redirect that is no address.`);
  if (next.protocol !== from.protocol || next.hostname !== from.hostname) {
    const origin = plainText(next.origin, 160);
    throw new SourceError(
      `${last.origin} redirects to ${origin}, where credentials are not sent; if that is the cluster, pass it as --server or set it in the kubeconfig.`,
    );
  }
  if (asked.length >= MOST) throw new SourceError(`${last.origin} redirects ${MOST} times in a row.`);
  return { origin: next.origin, path: next.pathname + next.search };
}

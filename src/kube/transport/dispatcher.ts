import { EventEmitter } from 'node:events';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import type { KubeconfigEnvironment } from '../config/load-kubeconfig.ts';
import { createConnector } from '../dial/connector.ts';
import type { TlsMaterial } from '../dial/tls-settings.ts';
import { isSocks, proxyAuthorization } from '../dial/tunnel.ts';

export interface DispatcherTarget {
  readonly server: string;
  readonly proxyUrl: string;
  readonly env: KubeconfigEnvironment;
  /** Forces HTTP/1.1, because over HTTP/2 undici joins repeated headers (Impersonate-Group) with a comma. */
  readonly repeatsHeaders?: boolean;
  readonly bulk?: boolean;
  /** The milliseconds between pings, and the callback for a connection that died without being closed. */
  readonly health?: { readonly pingIntervalMs: number; readonly onDead: () => void };
}

// Watches are silent for minutes, so there is no body timeout. Idle connections close before Go servers' 90 s. HTTP/2
// takes a third of the time and processor of TLS connections (70 lists and watches); its windows allow 20 MB/s at a
// round trip of 100 ms. Bulk uses HTTP/1.1, because Node counts each 16 KB frame of HTTP/2: 56 MB of metadata take 130
// ms instead of 250, 80 MB of whole pods 385 ms instead of 690.
const common = {
  bodyTimeout: 0,
  headersTimeout: 90_000,
  keepAliveTimeout: 30_000,
};

const windows = {
  connectionWindowSize: 16 * 1024 * 1024,
  settings: { initialWindowSize: 2 * 1024 * 1024 },
};

/** Throws errors of node:tls for unusable certificates and keys. */
export function createDispatcher(target: DispatcherTarget, tls: TlsMaterial): Dispatcher {
  const { health, env } = target;
  const server = new URL(target.server);
  const proxy = target.proxyUrl === '' ? undefined : new URL(target.proxyUrl);
  const allowH2 = target.repeatsHeaders !== true && target.bulk !== true;
  const agent = new Agent({
    ...common,
    allowH2,
    h2Options: { ...windows, pingInterval: health?.pingIntervalMs ?? 0 },
    factory: pooled(health),
    connect: createConnector(server, tls, { proxy, allowH2, env }),
  });
  return proxy !== undefined && server.protocol === 'http:' && !isSocks(proxy)
    ? agent.compose(wholeAddresses(proxy))
    : agent;
}

// Rewrites plain http requests to the form that HTTP proxies expect.
function wholeAddresses(proxy: URL): Dispatcher.DispatcherComposeInterceptor {
  const authorization = proxyAuthorization(proxy);
  return dispatch => (options, handler) =>
    dispatch(
      {
        ...options,
        path: `${String(options.origin)}${options.path}`,
        headers: {
          ...(options.headers as Record<string, string>),
          ...(authorization !== undefined && { 'proxy-authorization': authorization }),
        },
      },
      handler,
    );
}

const missedPings = 3;

/**
 * With `health`, calls `onDead` once for each connection that answered a ping and then missed three. HTTP/1.1
 * connections never ping; each of their watches is checked for silence.
 */
function pooled(health: DispatcherTarget['health']): (origin: string | URL, options: object) => Dispatcher {
  return (origin, options) =>
    new Pool(origin, {
      ...options,
      factory: (clientOrigin, clientOptions) => {
        const client = new Client(clientOrigin, clientOptions);
        if (health !== undefined) watchPings(client, health.pingIntervalMs, health.onDead);
        goOnAfterGoAway(client);
        beginAtOnce(client);
        allowOddHeaders(client);
        return client;
      },
    });
}

// Counts missed answers instead of comparing clocks: a suspended laptop loses minutes but no pings.
function watchPings(client: Client, pingIntervalMs: number, onDead: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  let missed = 0;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  // The event is missing from undici's types.
  (client as EventEmitter).on('ping', () => {
    missed = 0;
    timer ??= setInterval(() => {
      if (++missed <= missedPings) return;
      stop();
      onDead();
    }, pingIntervalMs).unref();
  });
  client.on('disconnect', stop);
}

/**
 * Lets undici (8.12) repeat at once requests that a GOAWAY refused. It would wait for the old connection's watches, and
 * until it reconnects send only one request at a time, as over HTTP/1.1.
 */
function goOnAfterGoAway(client: Client): void {
  client.on('disconnect', (_origin, _targets, error) => {
    if (error.message.includes('"GOAWAY" frame received')) client.pipelining = 1_000;
  });
  client.on('connect', () => {
    client.pipelining = 1;
  });
}

/** Streams on a connection before the server's limit is known, as in Go (net/http2 `initialMaxConcurrentStreams`). */
const FIRST_STREAMS = 100;

/** Allows further requests before the server's settings arrive, unlike undici (8.12), as RFC 9113 §3.4 permits. */
function beginAtOnce(client: Client): void {
  client.on('connect', () => {
    const session = hidden(client, 'http2Session');
    if (session instanceof EventEmitter)
      session.emit('remoteSettings', { maxConcurrentStreams: FIRST_STREAMS });
  });
}

interface HeaderParser {
  readonly ptr: number;
  readonly llhttp: { readonly llhttp_set_lenient_headers: (parser: number, isLenient: 1) => void };
}

/**
 * Accepts control characters in header values, such as a Warning that quotes an object, which end the connection in
 * undici (8.12). Go's net/http passes them on, HTTP/2 in Node drops that header. Body lengths stay strict.
 */
function allowOddHeaders(client: Client): void {
  client.on('connect', () => {
    const socket = hidden(client, 'socket');
    const parser = hidden(socket, 'parser') as HeaderParser | null | undefined;
    parser?.llhttp?.llhttp_set_lenient_headers(parser.ptr, 1);
  });
}

function hidden(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(of).find(each => each.description === name);
  return symbol && (of as Readonly<Record<symbol, unknown>>)[symbol];
}

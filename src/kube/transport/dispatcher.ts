/** The one pool of connections that carries every request to a cluster, directly or through a proxy. */

import { EventEmitter } from 'node:events';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import type { KubeconfigEnvironment } from '../config/load-kubeconfig.ts';
import { createConnector } from '../dial/connector.ts';
import type { TlsMaterial } from '../dial/security.ts';
import { isSocks, proxyAuthorization } from '../dial/tunnel.ts';

export interface DispatcherTarget {
  readonly server: string;
  readonly proxyUrl: string;
  readonly env: KubeconfigEnvironment;
  /**
   * Some header has to be sent more than once, as Impersonate-Group with two groups. undici joins such values
   * with a comma over HTTP/2, which the API server takes as one group: then it is HTTP/1.1.
   */
  readonly repeatsHeaders?: boolean;
  /** For answers of tens of megabytes. */
  readonly bulk?: boolean;
  /** Milliseconds between pings, and what to do when a connection died without being closed. */
  readonly health?: { readonly pingIntervalMs: number; readonly onDead: () => void };
}

// Watches are silent for minutes; their readers have a watchdog. Idle connections are kept for the next
// round of requests, yet for less than the 90 s after which Go servers close them.
//
// HTTP/2 where the server has it, as API servers do: measured with 70 lists and 70 watches at once, it takes a
// third of the time and processor of as many TLS connections. Its windows bound what one slow reader can hold
// back, and are wide enough for 20 MB/s at a round trip of 100 ms.
//
// Bulk goes over HTTP/1.1: the 56 MB of metadata of 20,000 pods arrive in 130 ms in place of 250, the 80 MB of
// whole pods in 385 ms in place of 690, for Node cuts HTTP/2 into frames of 16 KB and counts each.
const common = {
  bodyTimeout: 0,
  headersTimeout: 90_000,
  keepAliveTimeout: 30_000,
};

const windows = {
  connectionWindowSize: 16 * 1024 * 1024,
  settings: { initialWindowSize: 2 * 1024 * 1024 },
};

/** Throws errors of node:tls for certificates and keys that cannot be used. */
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

// How an HTTP proxy wants requests for plain http.
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

/** Answers that may be missing in a row, as pings go out every `pingInterval`. */
const missedPings = 3;

/**
 * A `factory` for undici's agents. With `health` its clients count the answers to their own pings; `onDead` is called once
 * for each connection that has answered before and then missed three. HTTP/1.1 connections never ping, and
 * carry one watch each, which has its own watchdog.
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

// Counts missed answers instead of comparing clocks: after a laptop's sleep, minutes are gone but not a ping.
function watchPings(client: Client, pingIntervalMs: number, onDead: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  let missed = 0;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  // The event isn't among undici's types.
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
 * undici (8.12) sends again what a GOAWAY refused, but not as long as anything else runs on the old connection, and there
 * the watches go on for minutes: until it is connected anew, it allows itself no more requests than one of HTTP/1.1.
 */
function goOnAfterGoAway(client: Client): void {
  client.on('disconnect', (_origin, _targets, error) => {
    if (error.message.includes('"GOAWAY" frame received')) client.pipelining = 1_000;
  });
  client.on('connect', () => {
    client.pipelining = 1;
  });
}

/** Streams of a connection whose server hasn't said how many it takes, as Go has it (net/http2 `initialMaxConcurrentStreams`). */
const FIRST_STREAMS = 100;

/**
 * undici (8.12) sends one request on a new HTTP/2 connection, and the others when the server's settings come, a round trip
 * later. A client need not wait for them (RFC 9113 §3.4): here undici is told of settings at once, and of the server's when
 * they come.
 */
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
 * A control character in a header's value, such as a Warning that quotes an object, ends the connection in undici (8.12).
 * Go's net/http passes it on, and HTTP/2 in Node drops the header alone. Lengths of bodies are read as strictly as ever.
 */
function allowOddHeaders(client: Client): void {
  client.on('connect', () => {
    const socket = hidden(client, 'socket');
    const parser = hidden(socket, 'parser') as HeaderParser | null | undefined;
    parser?.llhttp?.llhttp_set_lenient_headers(parser.ptr, 1);
  });
}

/** A part of undici's that only a symbol leads to. */
function hidden(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  const symbol = Object.getOwnPropertySymbols(of).find(each => each.description === name);
  return symbol && (of as Readonly<Record<symbol, unknown>>)[symbol];
}

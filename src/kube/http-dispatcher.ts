/** The one pool of connections that carries every request to a cluster, directly or through a proxy. */
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { KubeConfig } from './auth/client-node.ts';
import type { TlsMaterial } from './auth/tls-material.ts';
import { pooledWithHealth } from './http-health.ts';

export interface DispatcherTarget {
  readonly server: string;
  readonly proxyUrl: string;
  readonly insecureSkipTlsVerify?: boolean;
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

// Watches are silent for minutes; whoever reads them has a watchdog. Idle connections are kept for the next
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

// Node tries the next address of a host after 250 ms, which is shorter than a slow VPN's round trip.
const connecting = { timeout: 20_000, autoSelectFamilyAttemptTimeout: 2_000 };

/**
 * Builds the dispatcher from client-node's reading of cluster and TLS material. Throws node:tls errors for
 * certificates that can't be parsed at the first request, not here.
 */
export function createDispatcher(target: DispatcherTarget, tls: TlsMaterial): Dispatcher {
  const options = new KubeConfig().createDispatcherOptions(
    {
      name: 'cluster',
      server: target.server,
      // Plain http has nothing to verify, but client-node wants it said.
      skipTLSVerify: target.insecureSkipTlsVerify === true || target.server.startsWith('http:'),
      ...(target.proxyUrl !== '' && { proxyUrl: target.proxyUrl.replace(/^socks5h:/, 'socks5:') }),
    },
    tls,
  );
  const { health } = target;
  const allowH2 = target.repeatsHeaders !== true && target.bulk !== true;
  const pooled = {
    ...common,
    allowH2,
    h2Options: { ...windows, pingInterval: health?.pingIntervalMs ?? 0 },
    ...(health && { factory: pooledWithHealth(health.pingIntervalMs, health.onDead) }),
  };
  // client-node types TLS options as node:tls does, undici as its own connector does: the same values.
  switch (options.type) {
    case 'proxy': {
      const requestTls = { ...options.requestTls, ...connecting, allowH2 };
      return new ProxyAgent({ ...pooled, uri: options.uri, requestTls } as ProxyAgent.Options);
    }
    case 'socks': {
      const requestTls = { ...options.requestTls, allowH2: false };
      const agent = { ...common, requestTls, connectTimeout: connecting.timeout };
      return silently(() => new Socks5ProxyAgent(options.uri, agent as Socks5ProxyAgent.Options));
    }
    case 'agent':
    case 'none': {
      const connect = { ...(options.type === 'agent' && options.connect), ...connecting };
      return new Agent({ ...pooled, connect } as Agent.Options);
    }
  }
}

// undici announces its SOCKS client as experimental on standard error, in the middle of a screen.
function silently<T>(create: () => T): T {
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return create();
  } finally {
    if (original !== undefined) Object.defineProperty(process, 'emitWarning', original);
  }
}

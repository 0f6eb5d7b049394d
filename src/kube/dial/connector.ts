/** Connects directly or by proxy, verifying each leg like Go's net/http; undici's proxies verify names differently. */
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { KubeconfigEnvironment } from '../config/load-kubeconfig.ts';
import { serverNameOf } from '../config/server-name.ts';
import { type TlsMaterial, tlsOptions } from './tls-settings.ts';
import { isSocks, ProxyFailure, tunnel } from './tunnel.ts';

export interface ConnectorOptions {
  readonly proxy: URL | undefined;
  readonly allowH2: boolean;
  readonly env: KubeconfigEnvironment;
}

/**
 * Applies the TLS material to a TLS proxy, too: as in kubectl, the cluster's authority, `tls-server-name` and client
 * certificate (net/http `addTLS`, Go 1.26). Throws an error of node:tls for unusable material.
 */
export function createConnector(
  server: URL,
  tls: TlsMaterial,
  { proxy, allowH2, env }: ConnectorOptions,
): buildConnector.connector {
  const toServer = connectorTo(server, tls, { allowH2, env });
  if (proxy === undefined) return toServer;
  const toProxy = connectorTo(proxy, tls, { allowH2: false, env });
  // An HTTP proxy takes plain http requests directly.
  if (server.protocol === 'http:' && !isSocks(proxy)) {
    return (_options, callback) =>
      toProxy(addressOf(proxy), (error, socket) =>
        error === null
          ? callback(null, socket)
          : callback(new ProxyFailure('the proxy failed', { cause: error }), null),
      );
  }
  const port = server.protocol === 'https:' ? 443 : 80;
  const open = callbackify((options: buildConnector.Options) =>
    tunnel(proxy, { hostname: options.hostname, port: Number(options.port) || port }, toProxy),
  );
  return (options, callback) =>
    open(options, (error, httpSocket) => {
      if (error !== null) callback(error, null);
      else if (server.protocol === 'https:') toServer({ ...options, httpSocket }, callback);
      else callback(null, httpSocket);
    });
}

// Node's default of 250 ms per address is shorter than a slow VPN's round trip.
const connecting = { timeout: 20_000, autoSelectFamilyAttemptTimeout: 2_000 };

function connectorTo(
  peer: URL,
  tls: TlsMaterial,
  { allowH2, env }: Omit<ConnectorOptions, 'proxy'>,
): buildConnector.connector {
  if (peer.protocol !== 'https:') return buildConnector(connecting);
  const name = tls.servername ?? peer.hostname;
  const servername = serverNameOf(name);
  const connect = buildConnector({ ...connecting, ...tlsOptions(tls, name, env), allowH2, preferH2: true });
  return ({ host: _host, servername: _servername, ...options }, callback) =>
    connect({ ...options, ...(servername !== undefined && { servername }) }, callback);
}

function addressOf({ protocol, hostname, port }: URL): buildConnector.Options {
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port };
}

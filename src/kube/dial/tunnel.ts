/** Tunnels through a proxy: an HTTP proxy's CONNECT, or SOCKS5. */
import type { Socket } from 'node:net';
import { SocksClient } from 'socks';
import { type buildConnector, Client } from 'undici';

export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

export interface Destination {
  readonly hostname: string;
  readonly port: number;
}

/** Opens a socket to `destination`; `connect` opens the one to the proxy. Rejects with a `ProxyFailure`. */
export async function tunnel(
  proxy: URL,
  destination: Destination,
  connect: buildConnector.connector,
): Promise<Socket> {
  try {
    return isSocks(proxy)
      ? await throughSocks(proxy, destination, connect)
      : await throughConnect(proxy, destination, connect);
  } catch (error) {
    if (error instanceof ProxyFailure) throw error;
    throw new ProxyFailure('the proxy failed', { cause: error });
  }
}

export function isSocks({ protocol }: URL): boolean {
  return protocol === 'socks5:' || protocol === 'socks5h:';
}

/** Returns `Basic …`, or undefined; an empty name or password is sent as well, as in Go. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const { userId, password } = credentialsOf(proxy);
  return `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
}

// A proxy may have to look for the host first (net/http `dialConn`, Go 1.26).
const answerTimeoutMs = 60_000;

async function throughConnect(
  proxy: URL,
  { hostname, port }: Destination,
  connect: buildConnector.connector,
): Promise<Socket> {
  const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const client = new Client(proxy.origin, { connect, headersTimeout: answerTimeoutMs });
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => {}).destroy();
    throw new ProxyFailure(`the proxy answered ${statusCode}`, { status: statusCode });
  } finally {
    // The socket no longer belongs to the client.
    void client.destroy();
  }
}

// The proxy resolves the name, for socks5 as for socks5h (net/http, Go 1.26).
async function throughSocks(
  proxy: URL,
  { hostname, port }: Destination,
  connect: buildConnector.connector,
): Promise<Socket> {
  const { socket } = await SocksClient.createConnection({
    command: 'connect',
    destination: { host: hostname, port },
    existing_socket: await connectTo(proxy, connect),
    timeout: answerTimeoutMs,
    proxy: { type: 5, host: proxy.host, port: socksPort, ...(proxy.username !== '' && credentialsOf(proxy)) },
  });
  return socket;
}

const socksPort = 1080;

function connectTo({ protocol, hostname, port }: URL, connect: buildConnector.connector): Promise<Socket> {
  const options = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port: port || String(socksPort) };
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

function credentialsOf({ username, password }: URL): { userId: string; password: string } {
  return { userId: decodeURIComponent(username), password: decodeURIComponent(password) };
}

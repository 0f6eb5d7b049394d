/** Servers on loopback for tests of the transport: http, https with HTTP/2 and 1.1, and TCP that can freeze. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach } from 'vitest';
import { fixture } from './kubeconfig-files.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** Connections that were accepted so far, and those that are open. */
  readonly accepted: number;
  readonly open: number;
}

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs after the test, before the servers end. */
export function cleanUp(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export interface TlsServerOptions {
  /** A pair of `fixtures`; `server` unless told. */
  readonly certificate?: string;
  /** Asks for a client certificate of the test CA. */
  readonly clientCertificates?: boolean;
}

export async function httpServer(handler: Handler): Promise<LocalServer> {
  return serve(createServer(handler), 'http');
}

/** HTTP/2 and HTTP/1.1, as the API server. */
export async function httpsServer(handler: Handler, options: TlsServerOptions = {}): Promise<LocalServer> {
  const name = options.certificate ?? 'server';
  const server = createSecureServer(
    {
      allowHTTP1: true,
      cert: readFileSync(fixture(`${name}.crt`)),
      key: readFileSync(fixture(`${name}.key`)),
      ca: readFileSync(fixture('ca.crt')),
      requestCert: options.clientCertificates === true,
      rejectUnauthorized: options.clientCertificates === true,
    },
    handler as unknown as Parameters<typeof createSecureServer>[1],
  );
  server.on('sessionError', () => {});
  return serve(server as unknown as Server, 'https');
}

async function serve(server: Server, scheme: string): Promise<LocalServer> {
  const sockets = track(server);
  await listen(server);
  const port = portOf(server);
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    get accepted() {
      return sockets.accepted;
    },
    get open() {
      return sockets.open.size;
    },
  };
}

/** The common name of the client certificate of a request. */
export function clientName(request: IncomingMessage): string {
  return String((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
}

/** A TCP relay whose connections can be frozen: open for both sides, with nothing passing any more. */
export async function freezableRelay(target: number): Promise<LocalServer & { freeze(): void }> {
  let pairs: [Socket, Socket][] = [];
  const server = createTcpServer(client => {
    const upstream = connect(target, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    pairs.push([client, upstream]);
    cleanups.push(() => void upstream.destroy());
  });
  const sockets = track(server);
  await listen(server);
  const port = portOf(server);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    get accepted() {
      return sockets.accepted;
    },
    get open() {
      return sockets.open.size;
    },
    freeze: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.pause();
        upstream.pause();
      }
      pairs = [];
    },
  };
}

export interface ConnectProxyOptions {
  /** A pair of `fixtures`; it speaks TLS with it. */
  readonly certificate?: string;
  /** Its answer to every CONNECT, in place of a tunnel. */
  readonly status?: number;
}

/** A proxy that tunnels CONNECT to wherever `port` is, whatever host was asked for; it notes the requests. */
export async function connectProxy(
  port: number,
  { certificate, status }: ConnectProxyOptions = {},
): Promise<LocalServer & { readonly asked: string[] }> {
  const asked: string[] = [];
  const refuse: Handler = (_request, response) => response.writeHead(400).end();
  const server =
    certificate === undefined
      ? createServer(refuse)
      : createHttpsServer(
          {
            cert: readFileSync(fixture(`${certificate}.crt`)),
            key: readFileSync(fixture(`${certificate}.key`)),
          },
          refuse,
        );
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (status !== undefined) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('close', () => upstream.destroy());
  });
  return Object.assign(await serve(server, certificate === undefined ? 'http' : 'https'), { asked });
}

/** A SOCKS5 proxy without authentication that leads to `port` whatever is asked for. */
export async function socksProxy(port: number): Promise<LocalServer & { readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createTcpServer(client => {
    client.on('error', () => {});
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const isName = request[3] === 3;
        asked.push(
          isName
            ? request.subarray(5, 5 + (request[4] ?? 0)).toString()
            : [...request.subarray(4, 8)].join('.'),
        );
        const upstream = connect(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        upstream.on('error', () => {});
        client.on('close', () => upstream.destroy());
      });
    });
  });
  const sockets = track(server);
  await listen(server);
  return {
    port: portOf(server),
    url: `socks5://127.0.0.1:${portOf(server)}`,
    get accepted() {
      return sockets.accepted;
    },
    get open() {
      return sockets.open.size;
    },
    asked,
  };
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise(resolve => server.close(resolve));
  return port;
}

function track(server: TcpServer): { accepted: number; readonly open: Set<Socket> } {
  const state = { accepted: 0, open: new Set<Socket>() };
  server.on('connection', (socket: Socket) => {
    state.accepted++;
    state.open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => state.open.delete(socket));
  });
  cleanups.push(async () => {
    for (const socket of state.open) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  return state;
}

async function listen(server: TcpServer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
}

function portOf(server: TcpServer): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

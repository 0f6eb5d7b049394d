/** What stands at the other end: TLS servers with any certificate, and proxies of every kind that Go knows. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server as NetServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Certificate } from '../../harness/certificates.ts';

export interface Running {
  readonly port: number;
  /** How many came so far. */
  connections(): number;
  close(): void;
}

export interface TlsServer extends TlsOptions {
  /** Its own certificate first, then what it sends with it. */
  readonly chain: readonly Certificate[];
}

/** In place of an answer to `/version`. */
export interface Redirect {
  readonly status: number;
  /** With `PORT` in place of the server's. */
  readonly location: string;
}

export interface VersionServerOptions {
  /** Weak certificates and ciphers are for the client to refuse. */
  readonly tls: TlsServer | undefined;
  readonly host: string;
  readonly redirect: Redirect | undefined;
  /** Of its answers. */
  readonly warning?: string;
  /** Gets each request. */
  readonly heard?: (request: IncomingMessage) => void;
  /** The first request is asked to come again after so long, when this has been done. */
  readonly later?: { readonly seconds: number; readonly meanwhile: () => Promise<void> };
}

/** Answers every request with a version. */
export function versionServer(options: VersionServerOptions): Promise<Running> {
  const { tls, host, redirect, warning, heard } = options;
  let { later } = options;
  const handler: RequestListener = (request, response) => {
    heard?.(request);
    if (later !== undefined) {
      const { seconds, meanwhile } = later;
      later = undefined;
      void meanwhile().then(() => response.writeHead(429, { 'retry-after': String(seconds) }).end());
      return;
    }
    if (warning !== undefined) response.setHeader('warning', warning);
    if (redirect === undefined || request.url !== '/version') return answer(request, response);
    const location = redirect.location.replace('PORT', String(request.socket.localPort));
    response.writeHead(redirect.status, { location }).end();
  };
  return listen(
    tls === undefined ? createServer(handler) : createHttpsServer(tlsOptions(tls), handler),
    host,
  );
}

const answer: RequestListener = (_request, response) => {
  response.end('{"major":"1","minor":"36","gitVersion":"v1.36.3"}');
};

function tlsOptions({ chain, ...rest }: TlsServer): TlsOptions {
  const [own] = chain;
  if (own === undefined) throw new Error('a server needs a certificate');
  return {
    cert: chain.map(({ certificate }) => readFileSync(certificate, 'utf8')).join('\n'),
    key: readFileSync(own.key),
    ciphers: 'DEFAULT:@SECLEVEL=0',
    ...rest,
  };
}

export interface ProxyOptions {
  /** Where all tunnels lead, whatever was asked for. */
  readonly to: number;
  /** It speaks TLS itself. */
  readonly tls?: TlsServer;
  /** `user:password` that it asks for. */
  readonly wants?: string;
  /** Answers this to every CONNECT. */
  readonly status?: number;
}

/** A proxy that tunnels CONNECT and forwards requests with a whole address. */
export function httpProxy({ to, tls, wants, status }: ProxyOptions): Promise<Running> {
  const refusal = (request: IncomingMessage): number | undefined => {
    const expected = `Basic ${Buffer.from(wants ?? '').toString('base64')}`;
    if (wants !== undefined && request.headers['proxy-authorization'] !== expected) return 407;
    return status;
  };
  const server = tls === undefined ? createServer() : createHttpsServer(tlsOptions(tls));
  server.on('request', (request: IncomingMessage, response) => {
    const code = refusal(request) ?? (request.url?.startsWith('http://') === true ? 200 : 400);
    response.writeHead(code);
    answer(request, response);
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const code = refusal(request);
    if (code !== undefined) return void client.end(`HTTP/1.1 ${code} No\r\ncontent-length: 0\r\n\r\n`);
    tunnel(client, to, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
  });
  return listen(server, '127.0.0.1');
}

/** A SOCKS5 proxy (RFC 1928, 1929); `status` is its reply to every request to connect. */
export function socksProxy({ to, wants, status = 0 }: ProxyOptions): Promise<Running> {
  const server = createTcpServer(client => {
    const next = (read: (data: Buffer) => void) => void client.once('data', read);
    client.on('error', () => {});
    const command = () =>
      next(() => {
        const reply = Buffer.from([5, status, 0, 1, 0, 0, 0, 0, 0, 0]);
        if (status !== 0) client.end(reply);
        else tunnel(client, to, () => client.write(reply));
      });
    next(greeting => {
      const offered = [...greeting.subarray(2, 2 + (greeting[1] ?? 0))];
      if (wants === undefined && offered.includes(0)) {
        client.write(Buffer.from([5, 0]));
        return command();
      }
      if (wants === undefined || !offered.includes(2)) return void client.end(Buffer.from([5, 255]));
      client.write(Buffer.from([5, 2]));
      next(data => {
        const user = data.subarray(2, 2 + (data[1] ?? 0)).toString();
        const right = `${user}:${data.subarray(3 + user.length).toString()}` === wants;
        if (!right) return void client.end(Buffer.from([1, 1]));
        client.write(Buffer.from([1, 0]));
        command();
      });
    });
  });
  return listen(server, '127.0.0.1');
}

function tunnel(client: Socket, port: number, connected: () => void): void {
  const upstream = connect(port, '127.0.0.1', () => {
    connected();
    client.pipe(upstream).pipe(client);
  });
  for (const socket of [client, upstream]) socket.on('error', () => {});
  client.on('close', () => upstream.destroy());
}

async function listen(server: Server | NetServer, host: string): Promise<Running> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    port: address.port,
    connections: () => connections,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * The stub API server behind TLS, with HTTP/2 or HTTP/1.1, and what can go wrong on the way to it and back: for each
 * fault either nothing was carried out, or everything was and the answer got lost.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerResponse } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net';
import { statusObject } from '../../harness/watch-error.ts';
import { fixture } from '../kubeconfig-files.ts';
import { cleanUp } from '../local-server.ts';
import type { StubAnswer, StubApi, StubRequest } from './stub-api.ts';

export type Fault =
  /** With `Retry-After: 1`, as the API server. */
  | '429'
  | '503'
  /** Without. */
  | '500'
  /** The TCP connection, as soon as the request is there. */
  | 'reset'
  | 'hang'
  /** 200, half of the body, and the end of the connection. */
  | 'truncated'
  /** The connection ends before this request: whoever sent it knows that nobody looked at it. HTTP/2 only. */
  | 'GOAWAY';

export interface Rule {
  readonly match: (request: StubRequest) => boolean;
  readonly fault: Fault;
  /** For so many requests that match. */
  times: number;
  /** The request is carried out before its answer gets lost. */
  readonly isCarriedOut?: boolean;
}

export class FaultyServer {
  readonly api: StubApi;
  /** Every request that arrived, as `GET /api`. */
  readonly requests: string[] = [];
  rule: Rule | undefined;
  /** Grows with everything that happens here. */
  activity = 0;
  url = '';
  readonly #raw = new Map<number | undefined, Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<() => void>();
  /** By session: the last stream whose request was looked at. */
  readonly #looked = new WeakMap<object, number>();

  constructor(api: StubApi) {
    this.api = api;
  }

  async listen(protocol: 'HTTP/2' | 'HTTP/1.1'): Promise<void> {
    const tls = { cert: readFileSync(fixture('server.crt')), key: readFileSync(fixture('server.key')) };
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      this.#take(request, response);
    const server: TcpServer =
      protocol === 'HTTP/2'
        ? createSecureServer(tls, handle as unknown as Parameters<typeof createSecureServer>[1])
        : createServer(tls, handle);
    server.on('sessionError', () => {});
    server.on('connection', (socket: Socket) => {
      this.activity += 1;
      this.#sockets.add(socket);
      this.#raw.set(socket.remotePort, socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    cleanUp(async () => {
      for (const socket of this.#sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    });
  }

  /** How often requests arrived that match. */
  count(match: RegExp): number {
    return this.requests.filter(request => match.test(request)).length;
  }

  /** Ends every watch as the API server does from time to time. */
  endWatches(): void {
    this.activity += 1;
    for (const end of Array.from(this.#watches)) end();
  }

  /** The fault is over; what hangs never comes, as behind a proxy that lost it. */
  lift(): void {
    this.rule = undefined;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    response.on('error', () => {});
    request.on('error', () => {});
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.activity += 1;
      const { method = '', url = '', headers } = request;
      this.requests.push(`${method} ${url}`);
      const body = Buffer.concat(parts).toString();
      const asked = { method, url, contentType: headers['content-type'] ?? '', body };
      const { rule } = this;
      const isMatch = rule?.match(asked) === true;
      if (rule === undefined || !isMatch || rule.times <= 0) {
        this.#looksAt(response);
        this.#send(response, this.api.answer(asked));
        return;
      }
      rule.times -= 1;
      this.#fail(rule, asked, response);
    });
  }

  #fail({ fault, isCarriedOut = false }: Rule, asked: StubRequest, response: ServerResponse): void {
    if (fault === 'GOAWAY') return this.#goAway(response);
    this.#looksAt(response);
    const answer = isCarriedOut ? this.api.answer(asked) : undefined;
    switch (fault) {
      case '429':
      case '500':
      case '503': {
        const status = Number(fault);
        if (fault !== '500') response.setHeader('retry-after', '1');
        const body = JSON.stringify(statusObject(status, `injected ${fault}`));
        this.#send(response, { status, contentType: 'application/json', body });
        return;
      }
      case 'reset':
        this.#cut(response);
        return;
      case 'hang':
        return;
      case 'truncated': {
        // What it would have been, where nothing was carried out, matters to nobody.
        const body = answer?.body ?? '{"kind":"ConfigMap","metadata":{"name":"nobody"}}\n';
        response.writeHead(200, {
          'content-type': answer?.contentType ?? 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        response.write(body.slice(0, Math.ceil(body.length / 2)), () => this.#breakOff(response));
      }
    }
  }

  #looksAt(response: ServerResponse): void {
    const { stream } = response as unknown as Partial<Http2ServerResponse>;
    if (stream?.session === undefined) return;
    this.#looked.set(stream.session, Math.max(stream.id ?? 0, this.#looked.get(stream.session) ?? 0));
  }

  /** GOAWAY with a last stream below this one; where later ones were looked at already, this one is refused alone. */
  #goAway(response: ServerResponse): void {
    const { stream } = response as unknown as Http2ServerResponse;
    const { session } = stream;
    const id = stream.id ?? 0;
    // Node takes a last stream of 0 for "the last one that was looked at".
    if (session === undefined || id === 1 || (this.#looked.get(session) ?? 0) > id) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    } else session.goaway(constants.NGHTTP2_NO_ERROR, id - 2);
  }

  /** As if the machine were gone: everything on the connection breaks. */
  #cut(response: ServerResponse): void {
    this.activity += 1;
    const { stream, socket } = response as unknown as Partial<Http2ServerResponse> & ServerResponse;
    const port = stream?.session?.socket.remotePort ?? socket?.remotePort;
    this.#raw.get(port)?.resetAndDestroy();
  }

  /** Ends the answer after what was written of it. */
  #breakOff(response: ServerResponse): void {
    this.activity += 1;
    const { stream } = response as unknown as Partial<Http2ServerResponse>;
    if (stream === undefined) response.socket?.end();
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #send(response: ServerResponse, { status, contentType, body, follow }: StubAnswer): void {
    this.activity += 1;
    const length = follow === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
    response.writeHead(status, { 'content-type': contentType, ...length });
    if (follow === undefined) {
      response.end(body);
      return;
    }
    response.flushHeaders();
    if (body !== '') response.write(body);
    const leave = follow(text => {
      this.activity += 1;
      response.write(text);
    });
    const end = (): void => void response.end();
    this.#watches.add(end);
    response.on('close', () => {
      leave();
      this.#watches.delete(end);
    });
  }
}

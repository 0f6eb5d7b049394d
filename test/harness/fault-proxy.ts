/**
 * A proxy between the tool and the API server that misbehaves on demand: it cuts, stalls and delays answers,
 * replaces them by errors or garbage, and ends watches as the API server would. TLS with HTTP/2 and HTTP/1.1
 * towards the tool, or plain http; credentials are passed on untouched.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerResponse } from 'node:http2';
import { Agent, request as upstreamRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Certificate } from './certificates.ts';
import { portOf } from './processes/ports.ts';
import { goneEvent, statusObject } from './watch-error.ts';

export type Fault =
  /** An error of the API server; `retryAfter` is in seconds. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfter?: number;
    }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nothing more comes after so many bytes, and the connection stays open. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The answer that was remembered for this path, as from a cache that lags behind. */
  | { readonly kind: 'remembered' }
  /** 200 with the wanted content type and bytes that mean nothing. */
  | { readonly kind: 'garbage'; readonly bytes?: number }
  /** HTTP/2 only: the connection takes nothing any more from this request on, which nobody has looked at. */
  | { readonly kind: 'goaway' }
  /** Somebody else answers it, over HTTP/2 too. */
  | { readonly kind: 'answered'; readonly by: (incoming: IncomingMessage, outgoing: ServerResponse) => void };

interface Rule {
  /** Tested against `METHOD /path?query`. */
  readonly match: RegExp;
  readonly fault: Fault;
  /** For the next so many matching requests; until lifted unless told. */
  readonly times?: number;
}

interface ActiveRule {
  /** Requests that it was applied to. */
  readonly hits: number;
  lift(): void;
}

/** A request under way, such as a watch. */
interface Exchange {
  /** `GET /api/v1/pods?watch=1…` */
  readonly request: string;
  cut(): void;
  /** Lets nothing more through, and keeps it open. */
  stall(): void;
  /** Into a watch between two events: the ERROR event that tells a client to list again; then it ends. */
  sendGone(): void;
  /** Whether it is answered in protobuf; undefined as long as it isn't answered. */
  readonly isProtobuf: boolean | undefined;
  /** Into a watch between two events: more of them, in its encoding. */
  sendEvents(frames: Uint8Array): void;
}

export interface FaultProxy {
  readonly url: string;
  addRule(rule: Rule): ActiveRule;
  /** Lifts every rule, for the end of a test that may have failed before it could. */
  liftRules(): void;
  /** Keeps the answers to matching requests, the latest to each path, for the fault `remembered`; undefined: no more. */
  remember(match: RegExp | undefined): void;
  /** Requests under way that match. */
  exchanges(match: RegExp): Exchange[];
  /** Every request so far, as `METHOD /path?query`. */
  readonly requests: readonly string[];
  /** Every answer of the API server so far, as `STATUS METHOD /path?query`, also of those that nobody got. */
  readonly answers: readonly string[];
  /** Versions of HTTP in which it was asked: `1.1`, `2.0`. */
  readonly httpVersions: ReadonlySet<string>;
  cutEverything(): void;
  stop(): Promise<void>;
}

export interface FaultProxyOptions {
  /** `https://host:port` of the API server. */
  readonly upstream: string;
  /** PEM file that verifies it. */
  readonly upstreamCa: string;
  /** Serves TLS with this certificate; plain http without. */
  readonly certificate?: Certificate;
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new Proxy(options);
  await proxy.listen();
  return proxy;
}

interface RuleState {
  readonly rule: Rule;
  left: number;
  hits: number;
}

class Proxy implements FaultProxy {
  url = '';
  readonly requests: string[] = [];
  readonly answers: string[] = [];
  readonly httpVersions = new Set<string>();
  readonly #options: FaultProxyOptions;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #rules = new Set<RuleState>();
  readonly #running = new Set<RunningExchange>();
  readonly #remembered = new Map<string, Remembered>();
  #remembers: RegExp | undefined;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(options.upstreamCa) });
    // HTTP/2's compatibility layer hands out objects of the same shape, so one handler serves both versions.
    const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => this.#handle(incoming, outgoing);
    if (options.certificate === undefined) {
      this.#server = createServer(handle);
    } else {
      const { certificate, key } = options.certificate;
      this.#server = createSecureServer(
        {
          allowHTTP1: true,
          cert: readFileSync(certificate),
          key: readFileSync(key),
          // Of what the tool hasn't read yet; a session of ten megabytes, Node's own limit, would be ended.
          maxSessionMemory: 1_000,
        },
        handle as unknown as Parameters<typeof createSecureServer>[1],
      ) as unknown as Server;
    }
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const scheme = this.#options.certificate === undefined ? 'http' : 'https';
    this.url = `${scheme}://127.0.0.1:${portOf(this.#server)}`;
  }

  addRule(rule: Rule): ActiveRule {
    const state: RuleState = { rule, left: rule.times ?? Number.POSITIVE_INFINITY, hits: 0 };
    this.#rules.add(state);
    return {
      get hits() {
        return state.hits;
      },
      lift: () => {
        this.#rules.delete(state);
      },
    };
  }

  liftRules(): void {
    this.#rules.clear();
  }

  remember(match: RegExp | undefined): void {
    this.#remembers = match;
  }

  exchanges(match: RegExp): Exchange[] {
    return [...this.#running].filter(({ request }) => match.test(request));
  }

  cutEverything(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.cutEverything();
    await closed;
  }

  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const request = `${incoming.method ?? ''} ${incoming.url ?? ''}`;
    this.requests.push(request);
    this.httpVersions.add(incoming.httpVersion);
    const fault = this.#faultFor(request);
    if (fault?.kind === 'status') {
      sendStatus(outgoing, fault);
      return;
    }
    if (fault?.kind === 'garbage') {
      const accepted = String(incoming.headers.accept ?? 'application/json').split(',')[0] ?? '';
      outgoing.writeHead(200, { 'content-type': accepted });
      outgoing.end(randomBytes(fault.bytes ?? 4096));
      return;
    }
    if (fault?.kind === 'remembered') {
      const known = this.#remembered.get(placeOf(incoming));
      outgoing.writeHead(known === undefined ? 500 : 200, known?.headers ?? {});
      outgoing.end(known?.body);
      return;
    }
    if (fault?.kind === 'goaway') {
      goAway(outgoing);
      return;
    }
    if (fault?.kind === 'answered') {
      fault.by(incoming, outgoing);
      return;
    }
    const exchange = new RunningExchange(request, incoming, outgoing);
    this.#running.add(exchange);
    outgoing.on('close', () => this.#running.delete(exchange));
    if (fault?.kind === 'delay') setTimeout(() => this.#forward(exchange, undefined), fault.milliseconds);
    else this.#forward(exchange, fault);
  }

  #faultFor(request: string): Fault | undefined {
    for (const state of this.#rules) {
      if (state.left <= 0 || !state.rule.match.test(request)) continue;
      state.left -= 1;
      state.hits += 1;
      return state.rule.fault;
    }
    return undefined;
  }

  #forward(exchange: RunningExchange, fault: (Fault & { kind: 'cut' | 'stall' }) | undefined): void {
    const { incoming, outgoing } = exchange;
    const url = new URL(incoming.url ?? '/', this.#options.upstream);
    const upstream = upstreamRequest(
      url,
      { method: incoming.method ?? 'GET', headers: endToEnd(incoming.headers), agent: this.#agent },
      answer => {
        this.answers.push(`${answer.statusCode ?? 0} ${exchange.request}`);
        if (outgoing.destroyed || outgoing.writableEnded) return;
        outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        // The API server sends a watch's headers before its first event, which may take long.
        outgoing.flushHeaders();
        exchange.answered(answer.headers['content-type'] ?? '');
        if (exchange.stalled) return;
        if (this.#remembers?.test(exchange.request) === true) this.#keep(incoming, answer);
        let left = fault?.afterBytes ?? Number.POSITIVE_INFINITY;
        answer.on('data', (chunk: Buffer) => {
          if (exchange.stalled) return;
          outgoing.write(chunk.subarray(0, left));
          left -= chunk.length;
          if (left > 0) return;
          if (fault?.kind === 'stall') exchange.stall();
          else exchange.cut();
        });
        answer.on('end', () => {
          if (!exchange.stalled) outgoing.end();
        });
        answer.on('error', () => exchange.broken());
      },
    );
    upstream.on('error', () => exchange.broken());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }

  #keep(incoming: IncomingMessage, answer: IncomingMessage): void {
    const parts: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => parts.push(chunk));
    answer.on('end', () => {
      const headers = endToEnd(answer.headers);
      this.#remembered.set(placeOf(incoming), { headers, body: Buffer.concat(parts) });
    });
  }
}

interface Remembered {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Whatever version is asked for, in the same format. */
function placeOf({ url = '', headers }: IncomingMessage): string {
  return `${url.replace(/\?.*/u, '')} ${headers.accept ?? ''}`;
}

class RunningExchange implements Exchange {
  readonly request: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  stalled = false;
  #contentType: string | undefined;
  #goneWanted = false;

  constructor(request: string, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.request = request;
    this.incoming = incoming;
    this.outgoing = outgoing;
  }

  /** On HTTP/1.1 the whole connection breaks; on HTTP/2 this stream is reset. */
  cut(): void {
    const { stream } = this.outgoing as unknown as Partial<Http2ServerResponse>;
    if (stream === undefined) this.outgoing.destroy();
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  stall(): void {
    this.stalled = true;
  }

  /** The other side went. What is stalled stays so, as behind a network that swallows everything. */
  broken(): void {
    if (!this.stalled) this.cut();
  }

  /** The headers of the answer have been passed on, so a body may follow. */
  answered(contentType: string): void {
    this.#contentType = contentType;
    if (this.#goneWanted) this.sendGone();
  }

  get isProtobuf(): boolean | undefined {
    return this.#contentType?.includes('protobuf');
  }

  sendEvents(frames: Uint8Array): void {
    this.outgoing.write(frames);
  }

  sendGone(): void {
    this.stalled = true;
    if (this.#contentType === undefined) this.#goneWanted = true;
    else this.outgoing.end(goneEvent(this.#contentType));
  }
}

/** Node takes a last stream of 0 for "the last one", so the first one is refused alone. */
function goAway(outgoing: ServerResponse): void {
  const { stream } = outgoing as unknown as Http2ServerResponse;
  const id = stream.id ?? 0;
  if (id > 1) stream.session?.goaway(constants.NGHTTP2_NO_ERROR, id - 2);
  else stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

function sendStatus(outgoing: ServerResponse, fault: Fault & { kind: 'status' }): void {
  outgoing.writeHead(fault.status, {
    'content-type': 'application/json',
    ...(fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }),
  });
  const body = statusObject(fault.status, fault.message ?? `injected ${fault.status}`);
  outgoing.end(JSON.stringify(body));
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'host',
  'http2-settings',
]);

/** Headers without those that belong to one connection, and without HTTP/2's pseudo headers. */
export function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !name.startsWith(':')),
  );
}

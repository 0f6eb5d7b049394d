/**
 * A small API server for one type, or a few: list, WatchList and watch in protobuf over HTTP on loopback, and GET in
 * JSON, with a history that can be compacted, and faults that are consumed one by each request.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transport, WireResponse } from '../../src/kube/transport/transport.ts';
import { SourceError } from '../../src/source/source.ts';
import {
  encodeBookmark,
  encodeEvent,
  encodeList,
  encodeObject,
  encodeStatus,
  envelope,
  type FakeObject,
} from './encode.ts';

const contentType = 'application/vnd.kubernetes.protobuf';

export type Fault =
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly retryAfter?: number;
      readonly message?: string;
    }
  /** Ends the connection after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Sends so many bytes of the body, then nothing, and keeps the connection. */
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'garbage' }
  /** Watches only: the ERROR event with code 410, then the end. */
  | { readonly kind: 'gone-event' }
  | { readonly kind: 'none' };

interface Collection {
  readonly namespace: string | undefined;
  /** Plural. */
  readonly resource: string;
  /** Answered in JSON, as whole objects. */
  readonly isWhole?: boolean;
}

interface Watcher {
  readonly response: ServerResponse;
  /** Events up to this version are not for it: it has them, or so it says. */
  since: number;
  readonly within: Collection;
  /** What may still be sent before a cut or stall. */
  budget: number;
  readonly atEnd: 'cut' | 'stall' | 'go-on';
}

/** What a backup of etcd holds. */
interface Saved {
  readonly objects: ReadonlyMap<string, FakeObject>;
  readonly version: number;
}

interface Recorded {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakeObject;
}

export class FakeApi {
  readonly requests: string[] = [];
  /** Times that somebody asked how far the server is. */
  looks = 0;
  /** Requests whose answer hasn't begun yet. */
  unanswered = 0;
  /** One for each list or watch request, in order; after the last all goes well. */
  readonly faults: Fault[] = [];
  /** For requests whose `path?query` contains the key, as long as it is set. */
  readonly standing = new Map<string, Fault>();
  readonly objects = new Map<string, FakeObject>();
  /** Fields of an object's JSON in addition to its metadata, by `namespace/name`. */
  readonly bodies = new Map<string, object>();
  #history: Recorded[] = [];
  #version = 100;
  #compacted = 0;
  #nextUid = 1;
  readonly #watchers = new Set<Watcher>();
  #server: Server | undefined;
  #port = 0;
  #processes = 0;
  #renewals = 0;
  #reachable = true;

  async start(): Promise<void> {
    this.#processes++;
    const server = createServer((incoming, response) => this.#answer(incoming, response));
    await new Promise<void>(resolve => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As a crash would; `start` brings it back on the same port with the same objects. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#watchers.clear();
    if (server === undefined) return;
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** The network alone: nothing comes through until it is there again. */
  setReachable(reachable: boolean): void {
    this.#reachable = reachable;
    if (!reachable) this.#server?.closeAllConnections();
  }

  /** Creates, or changes what has the name. */
  put(namespace: string, name: string, fields: Partial<FakeObject> = {}): void {
    const key = `${namespace}/${name}`;
    const known = this.objects.get(key);
    const object: FakeObject = {
      ...known,
      ...fields,
      namespace,
      name,
      uid: known?.uid ?? `uid-${this.#nextUid++}`,
      resourceVersion: String(++this.#version),
    };
    this.objects.set(key, object);
    this.#record(known === undefined ? 'ADDED' : 'MODIFIED', object);
  }

  remove(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const known = this.objects.get(key);
    if (known === undefined) return;
    this.objects.delete(key);
    this.#record('DELETED', { ...known, resourceVersion: String(++this.#version) });
  }

  /** Forgets the history, so that older versions cannot be watched from. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#version;
  }

  save(): Saved {
    return { objects: new Map(this.objects), version: this.#version };
  }

  /**
   * As etcd restored from a backup below the API servers: the version goes back, and goes on from there. Watches that
   * are open stay open. As from the watch cache of a process that has just started, none begins before that version.
   */
  restore(saved: Saved): void {
    this.objects.clear();
    for (const [key, object] of saved.objects) this.objects.set(key, object);
    this.#version = saved.version;
    this.compact();
  }

  /** Sends an event again that was sent before. */
  repeatLast(): void {
    const last = this.#history.at(-1);
    if (last !== undefined)
      for (const watcher of this.#watchers) this.#write(watcher, eventOf(last.type, last.object));
  }

  /** The server is further, by what happened to other kinds, and says so to whoever watches. */
  bookmark(): void {
    this.#version++;
    for (const watcher of this.#watchers) this.#write(watcher, encodeBookmark(String(this.#version), false));
  }

  /** Their time is over: they get what was sent before. */
  closeWatches(): void {
    for (const watcher of this.#watchers) watcher.response.end();
    this.#watchers.clear();
  }

  /** With an ERROR event that asks for so many seconds of patience. */
  failWatches(code: number, retryAfter: number): void {
    const failure = encodeEvent('ERROR', 'Status', encodeStatus(code, 'refused', retryAfter));
    for (const watcher of this.#watchers) watcher.response.end(failure);
    this.#watchers.clear();
  }

  endWatches(): void {
    for (const watcher of this.#watchers) watcher.response.destroy();
    this.#watchers.clear();
  }

  get watching(): number {
    return this.#watchers.size;
  }

  #record(type: Recorded['type'], object: FakeObject): void {
    const event: Recorded = { version: this.#version, type, object };
    this.#history.push(event);
    for (const watcher of this.#watchers) this.#sendTo(watcher, event);
  }

  /** Nothing, not even an error, where the watch began at a version that is still to come (v1.36, watch_cache.go). */
  #sendTo(watcher: Watcher, { version, type, object }: Recorded): void {
    if (!isIn(object, watcher.within)) return;
    if (version <= watcher.since) return;
    watcher.since = version;
    this.#write(watcher, this.#event(watcher, type, object));
  }

  #event({ within }: Watcher, type: Recorded['type'], object: FakeObject): Buffer {
    if (within.isWhole !== true) return eventOf(type, object);
    return Buffer.from(`${JSON.stringify({ type, object: this.#whole(object) })}\n`);
  }

  #write(watcher: Watcher, bytes: Buffer): void {
    const part = bytes.subarray(0, Math.max(0, watcher.budget));
    watcher.budget -= bytes.length;
    watcher.response.write(part);
    if (watcher.budget > 0 || watcher.atEnd !== 'cut') return;
    this.#watchers.delete(watcher);
    watcher.response.socket?.end();
    watcher.response.destroy();
  }

  #answer(incoming: IncomingMessage, response: ServerResponse): void {
    if (!this.#reachable) {
      incoming.socket.destroy();
      return;
    }
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    if (url.pathname === '/version') {
      response.end('{"gitVersion":"v1.36.3"}');
      return;
    }
    const name = url.pathname + url.search;
    const standing = [...this.standing].find(([part]) => name.includes(part))?.[1];
    const isLook = url.pathname.endsWith('/leases') || name === '/api/v1/namespaces?limit=1';
    if (isLook && standing === undefined) {
      this.looks++;
      this.#tellVersion(response, url.pathname.endsWith('/leases'));
      return;
    }
    this.requests.push(name);
    const fault = standing ?? this.faults.shift() ?? { kind: 'none' };
    if (fault.kind === 'status') {
      this.#refuse(response, fault.code, fault);
      return;
    }
    const [, namespace, resource = '', object] = PATH.exec(url.pathname) ?? [];
    const within = { namespace, resource };
    const { accept = '' } = incoming.headers;
    const isWhole = accept.startsWith('application/json') && !accept.includes('as=');
    if (object !== undefined) this.#get(response, { ...within, name: object }, fault);
    else if (url.searchParams.get('watch') === '1') this.#watch(url, response, { ...within, isWhole }, fault);
    else if (Number(url.searchParams.get('resourceVersion')) > this.#version)
      this.#refuse(response, 504, { retryAfter: 1, message: 'Too large resource version' });
    else if (isWhole) this.#listWhole(response, within);
    else this.#list(response, within, fault);
  }

  #get(response: ServerResponse, { name, ...within }: Collection & { name: string }, fault: Fault): void {
    if (fault.kind === 'stall') return;
    const object = this.#within(within).find(each => each.name === name);
    response.writeHead(object === undefined ? 404 : 200, { 'content-type': 'application/json' });
    const answer = object === undefined ? { kind: 'Status', details: { name } } : this.#whole(object);
    response.end(JSON.stringify(answer));
  }

  /** In JSON, with the lease that each API server renews as long as it runs, where leases were asked for. */
  #tellVersion(response: ServerResponse, withLease: boolean): void {
    const renewTime = new Date(Date.UTC(2026, 0, 1) + 10_000 * ++this.#renewals).toISOString();
    const lease = { spec: { holderIdentity: `apiserver_${this.#processes}`, renewTime } };
    const list = { metadata: { resourceVersion: String(this.#version) }, items: withLease ? [lease] : [] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(list));
  }

  #refuse(response: ServerResponse, code: number, fault: { retryAfter?: number; message?: string }): void {
    response.setHeader('content-type', contentType);
    if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
    response.writeHead(code);
    response.end(envelope('Status', encodeStatus(code, fault.message ?? 'refused')));
  }

  #list(response: ServerResponse, within: Collection, fault: Fault): void {
    const objects = this.#within(within);
    const body =
      fault.kind === 'garbage' ? Buffer.alloc(500, 0xff) : encodeList(objects, String(this.#version));
    response.writeHead(200, { 'content-type': contentType });
    response.flushHeaders();
    if (fault.kind === 'cut') {
      response.write(body.subarray(0, fault.after), () => response.destroy());
      if (fault.after === 0) response.destroy();
    } else if (fault.kind === 'stall') response.write(body.subarray(0, fault.after));
    else response.end(body);
  }

  #listWhole(response: ServerResponse, within: Collection): void {
    const items = this.#within(within).map(each => this.#whole(each));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ metadata: { resourceVersion: String(this.#version) }, items }));
  }

  #whole(object: FakeObject): object {
    return { ...this.bodies.get(`${object.namespace}/${object.name}`), metadata: object };
  }

  #within(collection: Collection): FakeObject[] {
    return [...this.objects.values()].filter(each => isIn(each, collection));
  }

  #watch(url: URL, response: ServerResponse, within: Collection, fault: Fault): void {
    const initial = url.searchParams.get('sendInitialEvents') === 'true';
    const from = Number(url.searchParams.get('resourceVersion') ?? 0);
    if (!initial && from < this.#compacted) {
      this.#refuse(response, 410, { message: 'too old resource version' });
      return;
    }
    response.writeHead(200, { 'content-type': within.isWhole === true ? 'application/json' : contentType });
    response.flushHeaders();
    if (fault.kind === 'garbage') {
      response.end(Buffer.alloc(500, 0xff));
      return;
    }
    if (fault.kind === 'gone-event') {
      response.end(encodeEvent('ERROR', 'Status', encodeStatus(410, 'too old resource version')));
      return;
    }
    const limited = fault.kind === 'cut' || fault.kind === 'stall';
    const watcher: Watcher = {
      response,
      since: initial ? this.#version : from,
      within,
      budget: limited ? fault.after : Infinity,
      atEnd: limited ? fault.kind : 'go-on',
    };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    if (initial) {
      for (const object of this.#within(within)) this.#write(watcher, eventOf('ADDED', object));
      this.#write(watcher, encodeBookmark(String(this.#version), true));
    } else for (const event of this.#history) this.#sendTo(watcher, event);
  }

  transport(): Transport {
    const port = this.#port;
    return {
      server: `http://127.0.0.1:${port}`,
      request: ({ method, path, headers, signal }) =>
        new Promise<WireResponse>((resolve, reject) => {
          this.unanswered++;
          const options = {
            host: '127.0.0.1',
            port,
            method,
            path,
            headers: { ...headers },
            ...(signal && { signal }),
          };
          const outgoing = request(options, incoming => {
            incoming.on('error', () => {});
            const answer: WireResponse = {
              status: incoming.statusCode ?? 0,
              headers: incoming.headers as Record<string, string>,
              body: incoming,
            };
            resolve(answer);
          });
          outgoing.on('error', error => reject(new SourceError(`cannot reach the server: ${error.message}`)));
          outgoing.end();
        }).finally(() => {
          this.unanswered--;
        }),
      close: async () => {},
    };
  }
}

/** Of a namespace, a plural, and a name, of which only the plural is always there. */
const PATH = /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?$/u;

function isIn({ namespace, resource }: FakeObject, within: Collection): boolean {
  if (resource !== undefined && resource !== within.resource) return false;
  return within.namespace === undefined || within.namespace === namespace;
}

function eventOf(type: Recorded['type'], object: FakeObject): Buffer {
  return encodeEvent(type, 'PartialObjectMetadata', encodeObject(object));
}

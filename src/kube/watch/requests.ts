/** The list and watch requests of one type, and their answers as streams of objects and events. */
import type { Readable } from 'node:stream';
import { factsKind } from '../../model/facts/facts.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { brokenAnswer } from '../transport/errors.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { WireError } from '../wire/cursor.ts';
import { JsonListStream, JsonWatchStream } from '../wire/json-list.ts';
import { type ListMeta, ListStream } from '../wire/list-stream.ts';
import { ObjectDecoder } from '../wire/object-decoder.ts';
import type { Pool } from '../wire/pool.ts';
import { type WatchEvent, WatchStream } from '../wire/watch-stream.ts';
import { type ConnectionMonitor, SILENT_LIST_MS, SILENT_WATCH_MS } from './connection.ts';
import { ApiFailure, readFailure } from './failure.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

/**
 * A list that hasn't begun by then never will, for the API server answers within a minute or refuses; a watch begins at
 * once, and behind a proxy that holds its headers back with its first bookmark, after a minute.
 */
const UNOPENED_MS = 90_000;

/** Pages in a row that hold no object, after which a list that still has a next page counts as endless. */
const MOST_EMPTY_PAGES = 100;

/** More than the lists of a namespace of 400 pods. */
const MUCH_BYTES = 4 * 1024 * 1024;
/** More than the lists of 20,000 pods with their owners: from here on, what is optimised pays. */
const VERY_MUCH_BYTES = 200 * 1024 * 1024;
let receivedBytes = 0;
let isLittleExpected = false;

/** What loads the product keeps V8's young generation small from here on, and optimises later (src/compile-cache.ts). */
export function expectMuch(): void {
  if (receivedBytes >= MUCH_BYTES) return;
  receivedBytes = MUCH_BYTES;
  expect('much');
}

/** One answer about a namespace: from when its lists arrive, V8 optimises less (src/compile-cache.ts). */
export function expectLittle(): void {
  isLittleExpected = receivedBytes === 0;
}

/** Everything is read that was to be read: V8 optimises what runs from here on as ever. */
export function expectNoMore(): void {
  if (receivedBytes >= MUCH_BYTES) expect('no-more');
}

function expect(what: 'much' | 'no-more' | 'little'): void {
  (Reflect.get(process, Symbol.for(`kubectl-gc-tree.expect-${what}`)) as (() => void) | undefined)?.();
}

function countReceived(bytes: number): void {
  if (receivedBytes >= VERY_MUCH_BYTES) return;
  const before = receivedBytes;
  // By then, all of Node that is needed is loaded.
  if (before === 0 && isLittleExpected) expect('little');
  if (before < MUCH_BYTES && before + bytes >= MUCH_BYTES) expectMuch();
  receivedBytes = before + bytes;
  if (receivedBytes >= VERY_MUCH_BYTES) expectNoMore();
}

/** What to ask for: metadata alone, or whole objects to read facts from. */
export type Depth = 'metadata' | 'full';

/** Who ends requests that hang or have fallen silent. */
export type RequestWatch = Pick<ConnectionMonitor, 'alive' | 'watch' | 'await' | 'heard' | 'forget'>;

export interface RequestsOptions {
  readonly type: ResourceType;
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
  readonly transport: Transport;
  readonly connection: RequestWatch;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** Lists of this type are large. */
  readonly bulk: boolean;
}

export interface ListRequest {
  readonly depth: Depth;
  /** At least as new as this; undefined for the newest state. */
  readonly resourceVersion: string | undefined;
  readonly item: (object: KubeObject) => void;
  /** Only objects of this name. */
  readonly name?: string;
  /** Called with the list's version when it begins to arrive. */
  readonly begun?: ((resourceVersion: string) => void) | undefined;
}

export interface WatchRequest {
  readonly depth: Depth;
  readonly query: URLSearchParams;
  readonly event: (event: WatchEvent) => void;
  /** Called when the server has taken the watch on. */
  readonly open?: () => void;
  /** Ends this watch alone. */
  readonly signal?: AbortSignal;
}

/** A stream was silent for longer than the server ever is. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

export class Requests {
  /** Set where the protobuf of this server could not be read. */
  jsonOnly = false;
  readonly #options: RequestsOptions;
  readonly #path: string;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#path = collectionPath(options.type, options.namespace);
  }

  /**
   * Lists everything, page by page where the server makes pages. Resolves with the list's resourceVersion.
   * Rejects with an `ApiFailure`, a `WireError`, or whatever broke the connection; what `item` got before
   * that is true, but not all.
   */
  async list(request: ListRequest): Promise<string> {
    const { depth, resourceVersion, name } = request;
    let next = '';
    const tokens = new Set<string>();
    const firsts = new Set<string>();
    for (let empty = 0; ; ) {
      const response = await this.#ask(depth, next === '' ? { resourceVersion, name } : { next, name });
      let first: string | undefined;
      const item = (object: KubeObject): void => {
        first ??= `${object.namespace}/${object.name}/${object.uid}`;
        request.item(object);
      };
      const meta = await this.#readList(response, { ...request, item });
      if (meta.continue === '') return meta.resourceVersion;
      next = meta.continue;
      empty = first === undefined ? empty + 1 : 0;
      const isRepeated = tokens.has(next) || (first !== undefined && firsts.has(first));
      if (isRepeated || empty >= MOST_EMPTY_PAGES) throw new WireError('the pages of its list never end');
      tokens.add(next);
      if (first !== undefined) firsts.add(first);
    }
  }

  /** The version that the server is at, by a list of one object that is read and thrown away. Rejects like `list`. */
  async version(): Promise<string> {
    const query = new URLSearchParams({ limit: '1' });
    const response = await this.#send(query, this.#accept('metadata', 'List'), {});
    const meta = await this.#readList(response, {
      depth: 'metadata',
      resourceVersion: undefined,
      item: () => {},
    });
    return meta.resourceVersion;
  }

  /** Asks for a list or its `next` page. Resolves when the answer begins; it must be read or destroyed. */
  #ask(
    depth: Depth,
    from: { resourceVersion?: string | undefined; next?: string; name?: string | undefined },
  ): Promise<WireResponse> {
    const query = new URLSearchParams();
    if (from.name !== undefined) query.set('fieldSelector', `metadata.name=${from.name}`);
    if (from.next !== undefined) query.set('continue', from.next);
    else if (from.resourceVersion !== undefined) query.set('resourceVersion', from.resourceVersion);
    return this.#send(query, this.#accept(depth, 'List'), { bulk: this.#options.bulk });
  }

  /** Watches until the server ends the stream. Rejects like `list`, not for an ERROR event, which `event` gets. */
  async watch({ depth, query, event, open, signal }: WatchRequest): Promise<void> {
    query.set('watch', '1');
    query.set('allowWatchBookmarks', 'true');
    const response = await this.#send(query, this.#accept(depth, ''), { own: signal });
    const { type, pool } = this.#options;
    const stream = isProtobuf(response)
      ? new WatchStream(new ObjectDecoder(type, pool, depth === 'full'), event)
      : new JsonWatchStream(type, depth === 'full', event);
    open?.();
    await this.#read(response, SILENT_WATCH_MS, chunk => stream.push(chunk));
  }

  #accept(depth: Depth, suffix: 'List' | ''): string {
    const as = `;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;
    const metadata = depth === 'metadata' || factsKind(this.#options.type) === undefined;
    const json = metadata ? [JSON_TYPE + as, JSON_TYPE] : [JSON_TYPE];
    return (this.jsonOnly ? json : [metadata ? PROTOBUF + as : PROTOBUF, ...json]).join(',');
  }

  async #send(
    query: URLSearchParams,
    accept: string,
    { own, bulk = false }: { readonly own?: AbortSignal | undefined; readonly bulk?: boolean },
  ): Promise<WireResponse> {
    const { transport, connection, signal } = this.#options;
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    const opening = new AbortController();
    const giveUp = (): void => opening.abort(new Error('no answer came'));
    const awaited = [connection.await(), connection.watch(UNOPENED_MS, giveUp)];
    const ends = own === undefined ? [signal, opening.signal] : [signal, opening.signal, own];
    const response = await transport
      .request({
        method: 'GET',
        path: this.#path + search,
        headers: { accept },
        signal: AbortSignal.any([...ends, connection.alive]),
        bulk,
        stream: true,
      })
      .finally(() => {
        for (const each of awaited) connection.forget(each);
      });
    if (response.status !== 200) throw await readFailure(response);
    return response;
  }

  async #readList(response: WireResponse, { depth, item, begun }: ListRequest): Promise<ListMeta> {
    const { type, pool } = this.#options;
    if (isProtobuf(response)) {
      const decoder = new ObjectDecoder(type, pool, depth === 'full');
      let first = true;
      const stream = new ListStream((cursor, end) => {
        if (first) begun?.(stream.meta.resourceVersion);
        first = false;
        const object = decoder.decode(cursor, end);
        if (object !== undefined) item(object);
      });
      await this.#read(response, SILENT_LIST_MS, chunk => stream.push(chunk));
      stream.finish();
      return stream.meta;
    }
    const stream = new JsonListStream(type, depth === 'full', item);
    await this.#read(response, SILENT_LIST_MS, chunk => stream.push(chunk));
    return stream.finish();
  }

  /** Reads the body to its end under the watch of the connection monitor. */
  async #read(response: WireResponse, silence: number, push: (chunk: Buffer) => void): Promise<void> {
    const { transport, connection, signal } = this.#options;
    const silent = (): void => {
      response.body.destroy(new Silence('the stream has fallen silent'));
    };
    const heard = connection.watch(silence, silent);
    try {
      await readBody(response.body, chunk => {
        connection.heard(heard);
        countReceived(chunk.length);
        try {
          push(chunk);
        } catch (error) {
          throw error instanceof ApiFailure ? error : asWireError(error);
        }
        return !signal.aborted;
      });
    } catch (error) {
      const isOwn = error instanceof Silence || error instanceof WireError || error instanceof ApiFailure;
      throw isOwn ? error : brokenAnswer(error, transport.server);
    } finally {
      connection.forget(heard);
    }
  }
}

/**
 * How long what arrives may be read before everything else has its turn, keys above all. Node reads up to 2 MB of one
 * connection at once, which take 10 ms and more to decode.
 */
const TURN_MS = 3;
/**
 * Between two turns while somebody is at the keys. The API server has sent what the connection holds by then, and waits too:
 * on two cores that both share, a key otherwise waits longer for a processor than for anything in this program.
 */
const REST_MS = 12;
/** From a key on nothing is read for so long, unless a turn is due: until what the key does is on the screen. */
const KEY_MS = 15;

/** The turn of all bodies that are being read: the one that ends it and those that come after wait for the next. */
class Turn {
  #spent = 0;
  #givesWayUntil = 0;
  #keyUntil = 0;
  readonly #waiting: Readable[] = [];

  giveWay(milliseconds: number): void {
    const now = performance.now();
    this.#givesWayUntil = now + milliseconds;
    this.#keyUntil = now + Math.min(milliseconds, KEY_MS);
  }

  /** Counts what reading a part of the body took; the body is held where that was enough. */
  took(milliseconds: number, body: Readable): void {
    if (this.#spent === 0) setImmediate(() => this.#rest());
    // Above 0, however short it was.
    this.#spent += Math.max(milliseconds, Number.MIN_VALUE);
    if (this.#spent < TURN_MS && performance.now() >= this.#keyUntil) return;
    body.pause();
    this.#waiting.push(body);
  }

  /** Where nothing waits the turn wasn't used up. */
  #rest(): void {
    if (this.#waiting.length > 0 && performance.now() < this.#givesWayUntil)
      setTimeout(() => this.#end(), REST_MS);
    else this.#end();
  }

  #end(): void {
    this.#spent = 0;
    for (const body of this.#waiting.splice(0)) body.resume();
  }
}

const turn = new Turn();

/** For so many milliseconds from now, reading leaves more of the time to everything else. */
export function giveWay(milliseconds: number): void {
  turn.giveWay(milliseconds);
}

/**
 * Hands over each chunk as it arrives, until the end or until `take` returns false. By events and not as an
 * iteration, which joins what has piled up and makes a promise for each piece: of 80 MB in 50,000 pieces that
 * is 0.2 s.
 */
function readBody(body: Readable, take: (chunk: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new Error('the answer broke off')));
    body.on('data', (chunk: Buffer) => {
      try {
        const from = performance.now();
        if (take(chunk)) return turn.took(performance.now() - from, body);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      // After the first failure nothing more is taken.
      body.removeAllListeners('data');
      resolve();
      body.destroy();
    });
  });
}

/** pbf throws errors of its own for numbers and field types that cannot be. */
function asWireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  return new WireError('the bytes make no sense', { cause: error });
}

function isProtobuf(response: WireResponse): boolean {
  return (response.headers['content-type'] ?? '').startsWith(PROTOBUF);
}

/** `/apis/apps/v1/namespaces/shop/deployments`; without a namespace the collection across all of them. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${type.resource}`;
}

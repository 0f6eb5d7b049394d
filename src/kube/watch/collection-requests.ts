import type { Readable } from 'node:stream';
import { Facts, type KubeObject, type ResourceType } from '../../model/index.ts';
import { v8Memory } from '../../platform/index.ts';
import { brokenAnswer } from '../transport/connection-failure.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { WireError } from '../wire/cursor.ts';
import { JsonListStream, JsonWatchStream } from '../wire/json-list.ts';
import { type ListMeta, ListStream } from '../wire/list-stream.ts';
import { ObjectDecoder } from '../wire/object-decoder.ts';
import type { Pool } from '../wire/pool.ts';
import { type WatchEvent, WatchStream } from '../wire/watch-stream.ts';
import { ApiFailure, readFailure } from './api-failure.ts';
import { type ConnectionMonitor, SILENT_LIST_MS, SILENT_WATCH_MS } from './connection-monitor.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

/**
 * After this time an answer won't begin: the API server answers a list within a minute or refuses it. A watch begins at
 * once, or with its first bookmark after a minute behind a proxy that holds its headers back.
 */
const UNOPENED_MS = 90_000;

/** After this many empty pages in a row, a list that still has a next page counts as endless. */
const MOST_EMPTY_PAGES = 100;

export type Depth = 'metadata' | 'full';

export type RequestWatch = Pick<ConnectionMonitor, 'alive' | 'watch' | 'await' | 'heard' | 'forget'>;

export interface CollectionRequestsOptions {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly transport: Transport;
  readonly connection: RequestWatch;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly bulk: boolean;
}

export interface ListRequest {
  readonly depth: Depth;
  /** The oldest version accepted; undefined for the newest state. */
  readonly resourceVersion: string | undefined;
  readonly item: (object: KubeObject) => void;
  readonly name?: string;
  /** Called with the list's version when the list begins to arrive. */
  readonly begun?: ((resourceVersion: string) => void) | undefined;
}

export interface WatchRequest {
  readonly depth: Depth;
  readonly query: URLSearchParams;
  readonly event: (event: WatchEvent) => void;
  readonly open?: () => void;
  readonly signal?: AbortSignal;
}

/** The error for a stream that was silent for longer than the server ever is. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

export class CollectionRequests {
  /** Set if this server's protobuf could not be read. */
  jsonOnly = false;
  readonly #options: CollectionRequestsOptions;
  readonly #path: string;

  constructor(options: CollectionRequestsOptions) {
    this.#options = options;
    this.#path = collectionPath(options.type, options.namespace);
  }

  /**
   * Resolves with the list's resourceVersion. Rejects with an `ApiFailure`, a `WireError`, or the connection's error;
   * objects passed to `item` before are valid, but incomplete.
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

  /** Resolves with the server's current version, from a list of one object that is discarded. Rejects like `list`. */
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

  /** Requests a list or its `next` page. Resolves when the answer begins; it must be read or destroyed. */
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

  /** Watches until the server ends the stream. Rejects like `list`, but passes an ERROR event to `event`. */
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
    const { type } = this.#options;
    const isState = Facts.areOfState(type);
    const metadata = depth === 'metadata' || !(Facts.areOf(type) || isState);
    const json = metadata ? [JSON_TYPE + as, JSON_TYPE] : [JSON_TYPE];
    return (
      this.jsonOnly || (isState && !metadata) ? json : [metadata ? PROTOBUF + as : PROTOBUF, ...json]
    ).join(',');
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

  /** Reads the body to its end while the connection monitor checks it for silence. */
  async #read(response: WireResponse, silence: number, push: (chunk: Buffer) => void): Promise<void> {
    const { transport, connection, signal } = this.#options;
    const silent = (): void => {
      response.body.destroy(new Silence('the stream has fallen silent'));
    };
    const heard = connection.watch(silence, silent);
    try {
      await readBody(response.body, chunk => {
        connection.heard(heard);
        v8Memory.countReceived(chunk.length);
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

/** Milliseconds of reading before keys get their turn: Node reads up to 2 MB at once, which take 10 ms to decode. */
const TURN_MS = 3;
/** Milliseconds between two turns while the user presses keys, in which a server on these cores waits, too. */
const REST_MS = 12;
/** After a key, reading stops for this many milliseconds, unless a turn is due, so that the screen is drawn first. */
const KEY_MS = 15;

/** The turn shared by all bodies being read: the body that ends it and those after it wait for the next. */
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

  took(milliseconds: number, body: Readable): void {
    if (this.#spent === 0) setImmediate(() => this.#rest());
    // The sum must be above 0, however short the read was.
    this.#spent += Math.max(milliseconds, Number.MIN_VALUE);
    if (this.#spent < TURN_MS && performance.now() >= this.#keyUntil) return;
    body.pause();
    this.#waiting.push(body);
  }

  /** Without waiting bodies the turn wasn't used up. */
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

/** Slows reading for this many milliseconds; never stops it. */
export function giveWay(milliseconds: number): void {
  turn.giveWay(milliseconds);
}

/** Passes on chunks until `take` returns false. Events avoid a promise for each: 0.2 s for 80 MB in 50,000 pieces. */
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
      body.removeAllListeners('data');
      resolve();
      body.destroy();
    });
  });
}

/** Wraps pbf's own errors for impossible numbers and field types. */
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

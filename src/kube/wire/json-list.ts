/**
 * Lists and watches in JSON, for API servers that speak no protobuf (some aggregated ones). A list is cut
 * into its items while it arrives, so that one item at a time is parsed and the whole never held.
 */
import { objectFromJson } from '../../model/json/from-json.ts';
import { jsonValue, record, text } from '../../model/json/json.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { WireError } from './cursor.ts';
import { statusFromJson } from './envelope.ts';
import type { ListMeta } from './list-stream.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from './watch-stream.ts';

const MAX_ITEM = 64 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;

/**
 * Follows nesting and strings byte by byte. The elements of the top-level `items` are handed out as they
 * close; what remains of the document, with `items` empty, is small and is parsed at the end.
 */
export class JsonListStream {
  readonly #type: ResourceType;
  readonly #full: boolean;
  readonly #item: (object: KubeObject) => void;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last string at depth 1, where a colon followed it. */
  #key: Buffer[] = [];
  #lastKey = '';
  #inItems = false;
  readonly #outside: Buffer[] = [];
  #outsideLength = 0;
  #parts: Buffer[] = [];
  #partsLength = 0;

  /** `full`: whole objects, so that facts are read where the kind has any. */
  constructor(type: ResourceType, full: boolean, item: (object: KubeObject) => void) {
    this.#type = type;
    this.#full = full;
    this.#item = item;
  }

  /** Throws `WireError` where an item isn't JSON. */
  push(chunk: Buffer): void {
    // Where the part begins that belongs to the current item, or to what surrounds the items.
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0; // within the chunk
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        if (this.#depth === 1 && this.#inString) this.#key.push(chunk.subarray(i, i + 1));
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          if (this.#depth === 1) this.#key = [];
          break;
        case COLON:
          if (this.#depth === 1) this.#lastKey = Buffer.concat(this.#key).toString('utf8');
          break;
        case OPEN:
        case OPEN_LIST:
          this.#depth++;
          if (this.#depth === 2 && byte === OPEN_LIST && this.#lastKey === 'items') {
            this.#keepOutside(chunk, from, i + 1);
            this.#inItems = true;
            from = i + 1;
          } else if (this.#depth === 3 && this.#inItems && byte === OPEN) from = i;
          break;
        case CLOSE:
        case CLOSE_LIST:
          this.#depth--;
          if (this.#depth < 0) throw new WireError('the list is not JSON');
          if (this.#depth === 2 && this.#inItems && byte === CLOSE) {
            this.#keepPart(chunk, from, i + 1);
            this.#complete();
            from = i + 1;
          } else if (this.#depth === 1 && this.#inItems) {
            this.#inItems = false;
            from = i;
          }
          break;
        default:
          break;
      }
    }
    if (!this.#inItems) this.#keepOutside(chunk, from, chunk.length);
    else if (this.#depth >= 3) this.#keepPart(chunk, from, chunk.length);
  }

  /** The list's metadata. Throws `WireError` where the list broke off. */
  finish(): ListMeta {
    const rest = this.#depth === 0 ? parseJson(Buffer.concat(this.#outside).toString('utf8')) : undefined;
    if (rest === undefined) throw new WireError('the list broke off');
    const metadata = record(record(rest)['metadata']);
    return { resourceVersion: text(metadata['resourceVersion']), continue: text(metadata['continue']) };
  }

  #keepOutside(chunk: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#outside.push(Buffer.from(chunk.subarray(start, end)));
    this.#outsideLength += end - start;
    if (this.#outsideLength > MAX_ITEM) throw new WireError('the list is too long');
  }

  #keepPart(chunk: Buffer, start: number, end: number): void {
    this.#parts.push(chunk.subarray(start, end));
    this.#partsLength += end - start;
    if (this.#partsLength > MAX_ITEM) throw new WireError('an item is too long');
  }

  #complete(): void {
    const source = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partsLength = 0;
    const json = parseJson(source?.toString('utf8') ?? '');
    if (json === undefined) throw new WireError('an item of the list is not JSON');
    const object = readObject(this.#type, json, this.#full);
    if (object !== undefined) this.#item(object);
  }
}

/** One JSON document per line, `{"type":…,"object":{…}}`. */
export class JsonWatchStream {
  readonly #type: ResourceType;
  readonly #full: boolean;
  readonly #event: (event: WatchEvent) => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(type: ResourceType, full: boolean, event: (event: WatchEvent) => void) {
    this.#type = type;
    this.#full = full;
    this.#event = event;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, from);
      if (end < 0) break;
      this.#parts.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      if (line.trim() !== '') this.#read(line);
    }
    if (from === chunk.length) return;
    this.#parts.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    if (this.#length > MAX_ITEM) throw new WireError('a watch event is too long');
  }

  #read(line: string): void {
    const json = parseJson(line);
    if (json === undefined) throw new WireError('a watch event is not JSON');
    const type = text(record(json)['type']);
    const body = record(record(json)['object']);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED': {
        const object = readObject(this.#type, body, this.#full);
        if (object !== undefined) this.#event({ type, object });
        break;
      }
      case 'BOOKMARK': {
        const metadata = record(body['metadata']);
        const initial = record(metadata['annotations'])[INITIAL_EVENTS_END] === 'true';
        this.#event({ type, resourceVersion: text(metadata['resourceVersion']), initial });
        break;
      }
      case 'ERROR':
        this.#event({ type, status: statusFromJson(body) });
        break;
      default:
        throw new WireError('a watch event has an unknown type');
    }
  }
}

/** Metadata alone has no facts; `objectFromJson` would take what is missing for empty. */
function readObject(type: ResourceType, json: unknown, full: boolean): KubeObject | undefined {
  const object = objectFromJson(type, record(json));
  return object === undefined || full || object.facts === undefined
    ? object
    : object.with({ facts: undefined });
}

/** Undefined for what isn't JSON; the parser's own message would quote the content. */
export function parseJson(source: string): unknown {
  try {
    return jsonValue(source);
  } catch {
    return undefined;
  }
}

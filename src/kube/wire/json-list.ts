/** Lists and watches in JSON, for API servers without protobuf. Items are parsed one at a time. */

import {
  type JsonRecord,
  jsonValue,
  type KubeObject,
  objectJson,
  type ResourceType,
  record,
  text,
} from '../../model/index.ts';
import { JsonCutter, ParseError } from '../../source/index.ts';
import { WireError } from './cursor.ts';
import { statusFromJson } from './envelope.ts';
import type { ListMeta } from './list-stream.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from './watch-stream.ts';

const MAX_ITEM = 64 * 1024 * 1024;

/** Emits elements of the top-level `items` as they close; the small rest is parsed at the end. */
export class JsonListStream {
  readonly #cutter: JsonCutter;
  #list: JsonRecord | undefined;

  /** `full`: whole objects, so facts are read for kinds that have any. */
  constructor(type: ResourceType, full: boolean, item: (object: KubeObject) => void) {
    this.#cutter = new JsonCutter(({ bytes, part }) => {
      const json = parseJson(bytes.toString('utf8'));
      if (json === undefined) throw new WireError('the list is not JSON');
      const object = part === 'item' ? objectFromAnswer(type, json, full) : undefined;
      if (object !== undefined) item(object);
      if (part === 'document') this.#list = record(json);
    });
  }

  /** Throws `WireError` if it isn't JSON. */
  push(chunk: Buffer): void {
    try {
      this.#cutter.push(chunk);
    } catch (error) {
      throw error instanceof ParseError ? new WireError('the list is not JSON', { cause: error }) : error;
    }
  }

  /** Returns the list's metadata. Throws `WireError` if the list broke off. */
  finish(): ListMeta {
    if (this.#list === undefined) throw new WireError('the list broke off');
    const metadata = record(this.#list['metadata']);
    return { resourceVersion: text(metadata['resourceVersion']), continue: text(metadata['continue']) };
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
        const object = objectFromAnswer(this.#type, body, this.#full);
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

/** Removes facts from metadata alone, because `objectJson.read` takes missing fields for empty. */
export function objectFromAnswer(type: ResourceType, json: unknown, full: boolean): KubeObject | undefined {
  const object = objectJson.read(type, record(json));
  return object === undefined || full || object.facts === undefined
    ? object
    : object.with({ facts: undefined });
}

/** Returns undefined for invalid JSON; the parser's own message would quote the content. */
export function parseJson(source: string): unknown {
  try {
    return jsonValue(source);
  } catch {
    return undefined;
  }
}

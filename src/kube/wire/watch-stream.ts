/**
 * Cuts a protobuf watch into frames: a big-endian length of four bytes, then a WatchEvent. Source: k8s.io/apimachinery
 * v0.36.3, pkg/util/framer, pkg/apis/meta/v1/generated.proto.
 */
import type { KubeObject } from '../../model/index.ts';
import { Cursor, WireError } from './cursor.ts';
import { type ApiStatus, openEnvelope, readStatus } from './envelope.ts';
import type { ObjectDecoder } from './object-decoder.ts';

const MAX_FRAME = 64 * 1024 * 1024;

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** `initial`: all objects that existed at the watch's start have been sent (WatchList). */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initial: boolean }
  | { readonly type: 'ERROR'; readonly status: ApiStatus };

/** Set to `true` on the bookmark that ends the initial events of a WatchList. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export class WatchStream {
  readonly #decoder: ObjectDecoder;
  readonly #event: (event: WatchEvent) => void;
  #header = 0;
  #headerBytes = 0;
  #frame: Buffer | undefined;
  #frameLength = 0;

  constructor(decoder: ObjectDecoder, event: (event: WatchEvent) => void) {
    this.#decoder = decoder;
    this.#event = event;
  }

  /** Throws `WireError` at the first invalid frame; earlier frames were delivered. */
  push(chunk: Buffer): void {
    const cursor = new Cursor(chunk);
    let pos = 0;
    while (pos < chunk.length) {
      if (this.#frame !== undefined) {
        const taken = Math.min(this.#frame.length - this.#frameLength, chunk.length - pos);
        chunk.copy(this.#frame, this.#frameLength, pos, pos + taken);
        this.#frameLength += taken;
        pos += taken;
        if (this.#frameLength < this.#frame.length) return;
        const whole = this.#frame;
        this.#frame = undefined;
        this.#read(new Cursor(whole), whole.length);
      } else if (this.#headerBytes < 4) {
        this.#header = this.#header * 256 + (chunk[pos++] ?? 0);
        this.#headerBytes++;
        continue;
      } else {
        pos = this.#begin(chunk, pos, cursor);
      }
    }
    if (this.#headerBytes === 4 && this.#frame === undefined) this.#begin(chunk, pos, cursor);
  }

  #begin(chunk: Buffer, pos: number, cursor: Cursor): number {
    const length = this.#header;
    this.#header = 0;
    this.#headerBytes = 0;
    if (length > MAX_FRAME || length === 0) throw new WireError('a watch frame has an impossible length');
    const end = pos + length;
    if (end <= chunk.length) {
      cursor.pos = pos;
      this.#read(cursor, end);
      return end;
    }
    this.#frame = Buffer.allocUnsafeSlow(length);
    this.#frameLength = chunk.copy(this.#frame, 0, pos);
    return chunk.length;
  }

  /** Emits the event only after the whole frame was validated: an inner length may reach beyond it. */
  #read(cursor: Cursor, end: number): void {
    let type = '';
    let event: WatchEvent | undefined;
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) type = cursor.text();
      else if (field === 2) event = this.#readObject(cursor, type);
    }
    cursor.leave(end);
    if (event !== undefined) this.#event(event);
  }

  /** RawExtension{raw = 1} → Unknown → object. Go writes the type first. */
  #readObject(cursor: Cursor, type: string): WatchEvent | undefined {
    let event: WatchEvent | undefined;
    cursor.fields(field => {
      if (field !== 1) return;
      const rawEnd = cursor.enter();
      event = this.#eventOf(cursor, rawEnd, type);
      cursor.pos = rawEnd;
    });
    return event;
  }

  #eventOf(cursor: Cursor, rawEnd: number, type: string): WatchEvent | undefined {
    const envelope = openEnvelope(cursor, rawEnd);
    cursor.pos = envelope.start;
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED': {
        const object = this.#decoder.decode(cursor, envelope.end);
        return object && { type, object };
      }
      case 'BOOKMARK':
        return { type, ...readBookmark(cursor, envelope.end) };
      case 'ERROR':
        return { type, status: readStatus(cursor, envelope.end) };
      default:
        throw new WireError('a watch event has an unknown type');
    }
  }
}

/** Reads a bookmark, which has only a resourceVersion and perhaps the annotation. */
function readBookmark(cursor: Cursor, end: number): { resourceVersion: string; initial: boolean } {
  const bookmark = { resourceVersion: '', initial: false };
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field !== 1) continue;
    cursor.fields(inner => {
      if (inner === 6) bookmark.resourceVersion = cursor.text();
      else if (inner === 12) bookmark.initial = readAnnotation(cursor) || bookmark.initial;
    });
  }
  cursor.leave(end);
  return bookmark;
}

function readAnnotation(cursor: Cursor): boolean {
  let key = '';
  let value = '';
  cursor.fields(field => {
    if (field === 1) key = cursor.text();
    else if (field === 2) value = cursor.text();
  });
  return key === INITIAL_EVENTS_END && value === 'true';
}

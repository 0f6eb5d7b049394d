/** What the cutters hand out: a part of a file that holds one document, or one element of a list's `items`. */

export interface Piece {
  /** Its bytes: valid until the next piece is asked for. */
  readonly bytes: Buffer;
  /** Position of the first byte in the file. */
  readonly offset: number;
  /** Line of the first byte, from 1. */
  readonly line: number;
  /**
   * `item`: an element of `items` (in YAML a sequence of one); the document that it belongs to comes later.
   * `document`: a whole document, or what remains of one around its items.
   */
  readonly part: 'item' | 'document';
  readonly format: 'json' | 'yaml';
  /** Documents only: how many elements were handed out before. */
  readonly items: number;
  /** Documents only: lines behind this one of the piece lie `count` lines further down in the file. */
  readonly cut?: { readonly after: number; readonly count: number };
}

export interface Cutter {
  /** Takes the next bytes of the file and hands out what they complete. Throws a `CutError`. */
  push(chunk: Buffer): void;
  /** The file has ended. */
  end(): void;
}

/** Why a file cannot be cut into pieces: at a line of it, from 1. */
export class CutError extends Error {
  override readonly name = 'CutError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A larger document or list element is refused: memory has to stay bounded, and no API object is near it. */
export const MAX_PIECE_BYTES = 64 * 1024 * 1024;

/** More levels of mappings and lists are refused, and told as such: no API object has a tenth of them. */
export const MAX_DEPTH = 500;

const LOG_BEGIN = Buffer.from('==== START logs for container');
const LOG_END = Buffer.from('==== END logs for container');

/** `kubectl cluster-info dump` prints container logs between its lists: the lines around them. */
export function isLogBegin(bytes: Buffer, at: number): boolean {
  return bytes.compare(LOG_BEGIN, 0, LOG_BEGIN.length, at, at + LOG_BEGIN.length) === 0;
}

export function isLogEnd(bytes: Buffer, at: number): boolean {
  return bytes.compare(LOG_END, 0, LOG_END.length, at, at + LOG_END.length) === 0;
}

/** Bytes of a file from the first that isn't needed any more: what the cutters work on. */
export class Window {
  bytes: Buffer = Buffer.alloc(0);
  /** Position in the file of the first byte of `bytes`. */
  offset = 0;
  /** What `bytes` is a part of, with room behind it; a piece that was handed out is a part of it too. */
  #store: Buffer = this.bytes;
  /** Index in the store of the first byte behind `bytes`. */
  #end = 0;

  /**
   * Drops what lies before `from` (an index into `bytes`) and appends. Returns how far indexes moved. A piece of
   * many chunks is copied a few times, not once for each of them.
   */
  advance(from: number, chunk: Buffer): number {
    this.offset += from;
    const rest = this.bytes.length - from;
    if (rest === 0) {
      this.bytes = chunk;
      this.#store = chunk;
      this.#end = chunk.length;
      return from;
    }
    if (this.#end + chunk.length > this.#store.length) {
      const larger = Buffer.allocUnsafe(2 * (rest + chunk.length));
      this.bytes.copy(larger, 0, from);
      this.#store = larger;
      this.#end = rest;
    }
    const begin = this.#end - rest;
    chunk.copy(this.#store, this.#end);
    this.#end += chunk.length;
    this.bytes = this.#store.subarray(begin, this.#end);
    return from;
  }
}

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
  /** Documents only: the file ends before it does, within the list that it is or behind it. */
  readonly cutOff?: true;
  /** Documents only: lines behind this one of the piece lie `count` lines further down in the file. */
  readonly cut?: { readonly after: number; readonly count: number };
}

/** Why a piece cannot be cut or read. `line` and `column` are the file's, from 1. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
  readonly line: number;
  readonly column: number | undefined;

  constructor(message: string, line: number, column?: number) {
    super(message);
    this.line = line;
    this.column = column;
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
  return standsAt(bytes, at, LOG_BEGIN);
}

export function isLogEnd(bytes: Buffer, at: number): boolean {
  return standsAt(bytes, at, LOG_END);
}

const TRAILER = Buffer.from('Cluster info dumped to ');

/** What `kubectl cluster-info dump` prints behind everything. */
export function isTrailer(bytes: Buffer, at: number): boolean {
  return standsAt(bytes, at, TRAILER);
}

function standsAt(bytes: Buffer, at: number, text: Buffer): boolean {
  return bytes.subarray(at, at + text.length).equals(text);
}

/** Takes a file chunk by chunk, and hands out the pieces that are complete. */
export abstract class Cutter {
  /** Bytes of the file from the first that is still needed. Indexes below are into these. */
  protected bytes: Buffer = Buffer.alloc(0);
  /** Position in the file of the first byte of `bytes`. */
  protected offset = 0;
  /** Index of the byte or line that comes next, and the number of its line. */
  protected at = 0;
  protected line = 1;
  /** Index and line of the first byte of what is being gathered: an element, or a part of the document around them. */
  protected begin = 0;
  protected beginLine = 1;
  /** Where the document begins in the file. */
  protected documentLine = 1;
  protected documentOffset = 0;
  /** Elements that were handed out, their lines, and the document's lines before them. */
  protected items = 0;
  protected itemLines = 0;
  protected headLines = 0;
  readonly #format: Piece['format'];
  readonly #hand: (piece: Piece) => void;
  /** What `bytes` is a part of, with room behind it; a piece that was handed out is a part of it too. */
  #store: Buffer = this.bytes;
  /** Index in the store of the first byte behind `bytes`. */
  #end = 0;

  constructor(format: Piece['format'], hand: (piece: Piece) => void) {
    this.#format = format;
    this.#hand = hand;
  }

  /** Takes the next bytes of the file and hands out what they complete. Throws a `ParseError`. */
  abstract push(chunk: Buffer): void;

  /** The file has ended. */
  abstract end(): void;

  /**
   * Drops what lies before `begin` and appends. Returns how far indexes moved. A piece of many chunks is copied a few
   * times, not once for each of them.
   */
  protected advance(chunk: Buffer): number {
    const from = this.begin;
    this.offset += from;
    this.begin = 0;
    this.at -= from;
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

  protected limitPiece(): void {
    if (this.bytes.length - this.begin > MAX_PIECE_BYTES)
      throw new ParseError('what begins here is larger than 64 MB', this.beginLine);
  }

  protected emit(bytes: Buffer, part: Piece['part'], cutOff = false): void {
    const { items } = this;
    const document = part === 'document';
    this.#hand({
      bytes,
      part,
      format: this.#format,
      offset: document ? this.documentOffset : this.offset + this.begin,
      line: document ? this.documentLine : this.beginLine,
      items: document ? items : 0,
      ...(cutOff ? { cutOff } : {}),
      ...(document && items > 0 ? { cut: { after: this.headLines, count: this.itemLines } } : {}),
    });
  }
}

/** A part of a file that holds one document, or one element of a list's `items`. */

export interface Piece {
  /** Valid until the next piece is requested. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** Line of the first byte, from 1. */
  readonly line: number;
  /** `item`: an element of `items` (in YAML a sequence of one). `document`: a document, or the rest of one. */
  readonly part: 'item' | 'document';
  readonly format: 'json' | 'yaml';
  /** Documents only: number of elements handed out before. */
  readonly items: number;
  /** Documents only: the file ends within the list or after it. */
  readonly cutOff?: true;
  /** Documents only: lines after `after` are `count` lines further down in the file. */
  readonly cut?: { readonly after: number; readonly count: number };
}

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

/** Larger documents and elements are refused to bound memory; no API object comes near. */
export const MAX_PIECE_BYTES = 64 * 1024 * 1024;

/** Deeper nesting is refused; API objects have less than a tenth. */
export const MAX_DEPTH = 500;

const LOG_BEGIN = Buffer.from('==== START logs for container');
const LOG_END = Buffer.from('==== END logs for container');

/** Matches the lines around container logs, which `kubectl cluster-info dump` prints between lists. */
export function isLogBegin(bytes: Buffer, at: number): boolean {
  return standsAt(bytes, at, LOG_BEGIN);
}

export function isLogEnd(bytes: Buffer, at: number): boolean {
  return standsAt(bytes, at, LOG_END);
}

const TRAILER = Buffer.from('Cluster info dumped to ');

/** Matches the last line of `kubectl cluster-info dump`. */
export function isTrailer(bytes: Buffer, at: number): boolean {
  return standsAt(bytes, at, TRAILER);
}

function standsAt(bytes: Buffer, at: number, text: Buffer): boolean {
  return bytes.subarray(at, at + text.length).equals(text);
}

/** Takes a file in chunks, and hands out complete pieces. */
export abstract class Cutter {
  /** Bytes of the file from the first still needed; the indexes below refer to it. */
  protected bytes: Buffer = Buffer.alloc(0);
  protected offset = 0;
  /** Index and line of the next byte or line. */
  protected at = 0;
  protected line = 1;
  /** Index and line of the first byte of the current element, or of the document around elements. */
  protected begin = 0;
  protected beginLine = 1;
  protected documentLine = 1;
  protected documentOffset = 0;
  /** Elements handed out, their lines, and the document's lines before them. */
  protected items = 0;
  protected itemLines = 0;
  protected headLines = 0;
  readonly #format: Piece['format'];
  readonly #hand: (piece: Piece) => void;
  /** The buffer that holds `bytes`, handed-out pieces and room for more. */
  #store: Buffer = this.bytes;
  /** Index in the store just after `bytes`. */
  #end = 0;

  constructor(format: Piece['format'], hand: (piece: Piece) => void) {
    this.#format = format;
    this.#hand = hand;
  }

  /** Takes bytes, and hands out the pieces they complete. Throws a `ParseError`. */
  abstract push(chunk: Buffer): void;

  abstract end(): void;

  /** Drops bytes before `begin` and appends. Returns the shift of indexes. Copies a long piece only a few times. */
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

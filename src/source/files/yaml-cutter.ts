/**
 * Cuts YAML into documents and a block-style list into elements, by line beginnings: a dash in the elements' column
 * starts one, because its content is further right (YAML 1.2 §8.2).
 */
import * as ascii from './ascii-bytes.ts';
import { Cutter, isLogBegin, isLogEnd, isTrailer, MAX_PIECE_BYTES, type Piece } from './piece.ts';

const ITEMS = Buffer.from('items:');
const BEFORE_VALUES = Buffer.from(':-[{,\n\r');

/** `before`: before the first element, which sets the column. */
type State = 'document' | 'before' | 'items' | 'logs';

export class YamlCutter extends Cutter {
  #state: State = 'document';
  #head: Buffer | undefined;
  #column = 0;
  /** The current text has an anchor that later text may use, so it isn't cut. */
  #anchored = false;
  /** The document has a line other than blanks, comments and directives. */
  #content = false;

  constructor(hand: (piece: Piece) => void) {
    super('yaml', hand);
  }

  override push(chunk: Buffer): void {
    this.advance(chunk);
    const { bytes } = this;
    // A line may span chunks; earlier ones have no end of it.
    let from = bytes.length - chunk.length;
    for (;;) {
      const newline = bytes.indexOf(ascii.NEWLINE, from);
      if (newline < 0) break;
      this.#take(newline + 1);
      from = newline + 1;
    }
    this.limitPiece();
  }

  override end(): void {
    if (this.at < this.bytes.length) this.#take(this.bytes.length);
    this.#finish(this.at);
  }

  #take(next: number): void {
    const { bytes } = this;
    const first = bytes[this.at] ?? ascii.NEWLINE;
    // Most lines: within an element whose dash is in the first column.
    if (this.#state !== 'items' || this.#column > 0 || first !== ascii.SPACE) this.#judge(first, next);
    this.at = next;
    this.line++;
  }

  #judge(first: number, next: number): void {
    const { bytes } = this;
    const at = this.at;
    if (this.#state === 'logs') {
      this.begin = next;
      this.beginLine = this.line + 1;
      if (first === ascii.EQUALS && isLogEnd(bytes, at)) this.#open('document', next);
      return;
    }
    if (first === ascii.EQUALS && isLogBegin(bytes, at)) {
      this.#finish(at);
      this.#open('logs', next);
      return;
    }
    if (first === ascii.LETTER_C && isTrailer(bytes, at)) {
      this.#finish(at);
      this.#open('document', next);
      return;
    }
    if ((first === ascii.DASH || first === ascii.DOT) && this.#isMarker(first, next)) {
      this.#finish(at);
      if (!hasContent(bytes, at + 3, next)) {
        this.#open('document', next);
        return;
      }
      this.#open('document', at + 3);
      this.documentLine = this.line;
      this.beginLine = this.line;
      this.#content = true;
      return;
    }
    if (this.#state === 'items' || this.#state === 'before') this.#element(next);
    else if (!this.#content && first === ascii.PERCENT) {
      // A directive, which states the default.
      this.begin = next;
      this.beginLine = this.line + 1;
      this.documentLine = this.beginLine;
      this.documentOffset = this.offset + next;
    } else {
      this.#content ||= hasContent(bytes, at, next);
      if (first === ITEMS[0] && this.#head === undefined && this.#isItems(next) && !this.#headHasAnchor()) {
        this.#head = Buffer.from(bytes.subarray(this.begin, next));
        this.headLines = this.line + 1 - this.documentLine;
        this.begin = next;
        this.beginLine = this.line + 1;
        this.#state = 'before';
      }
    }
  }

  #element(next: number): void {
    const { bytes } = this;
    let at = this.at;
    while (bytes[at] === ascii.SPACE) at++;
    const first = bytes[at] ?? ascii.NEWLINE;
    if (at >= next || first === ascii.NEWLINE || first === ascii.RETURN || first === ascii.HASH) return;
    const column = at - this.at;
    const second = bytes[at + 1] ?? ascii.NEWLINE;
    const dash =
      first === ascii.DASH && (second === ascii.SPACE || second === ascii.NEWLINE || second === ascii.RETURN);
    if (this.#state === 'before') {
      if (dash) this.#column = column;
      else {
        // Not a block sequence, so it belongs to the document.
        this.#head = Buffer.concat([this.#head ?? Buffer.alloc(0), bytes.subarray(this.begin, this.at)]);
        this.headLines += this.line - this.beginLine;
        this.begin = this.at;
        this.beginLine = this.line;
        this.#state = 'document';
        return;
      }
      this.#state = 'items';
      this.itemLines = this.line - this.beginLine;
      this.begin = this.at;
      this.beginLine = this.line;
    } else if (column === this.#column && dash) {
      if (!this.#keepsAnchors()) this.#item();
    } else if (column <= this.#column) {
      this.#item();
      this.#state = 'document';
    }
  }

  /** Checks if the text before the current line must stay with what follows. */
  #keepsAnchors(): boolean {
    const { bytes } = this;
    // Text may look like an anchor, so a large list is cut anyway.
    if (this.at - this.begin > MAX_PIECE_BYTES / 2) this.#anchored = false;
    else this.#anchored ||= hasAnchor(bytes, this.begin, this.at);
    return this.#anchored;
  }

  #item(): void {
    this.emit(this.bytes.subarray(this.begin, this.at), 'item');
    this.items++;
    this.itemLines += this.line - this.beginLine;
    this.begin = this.at;
    this.beginLine = this.line;
  }

  #finish(end: number): void {
    if (this.#state === 'logs') return;
    if (this.#state === 'items') this.#item();
    const tail = this.bytes.subarray(this.begin, end);
    const bytes = this.#head === undefined ? tail : Buffer.concat([this.#head, tail]);
    if (this.#content) this.emit(bytes, 'document');
  }

  #open(state: State, begin: number): void {
    this.#state = state;
    this.begin = begin;
    this.beginLine = this.line + 1;
    this.documentLine = this.line + 1;
    this.documentOffset = this.offset + begin;
    this.#head = undefined;
    this.headLines = 0;
    this.itemLines = 0;
    this.items = 0;
    this.#anchored = false;
    this.#content = false;
  }

  /** Matches `---` or `...` at the start of a line, alone or before a space. */
  #isMarker(first: number, next: number): boolean {
    const { bytes } = this;
    const at = this.at;
    if (bytes[at + 1] !== first || bytes[at + 2] !== first) return false;
    const after = bytes[at + 3] ?? ascii.NEWLINE;
    return (
      at + 3 >= next ||
      after === ascii.NEWLINE ||
      after === ascii.RETURN ||
      after === ascii.SPACE ||
      after === ascii.TAB
    );
  }

  /** Elements may use an anchor of the head, so the document stays whole. */
  #headHasAnchor(): boolean {
    return hasAnchor(this.bytes, this.begin, this.at);
  }

  #isItems(next: number): boolean {
    const { bytes } = this;
    const at = this.at;
    if (next - at < ITEMS.length || bytes.compare(ITEMS, 0, ITEMS.length, at, at + ITEMS.length) !== 0)
      return false;
    return !hasContent(bytes, at + ITEMS.length, next);
  }
}

/** Checks for anything except spaces and a comment. */
function hasContent(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === ascii.HASH) return false;
    if (byte !== ascii.SPACE && byte !== ascii.TAB && byte !== ascii.NEWLINE && byte !== ascii.RETURN)
      return true;
  }
  return false;
}

/** Checks for text like an anchor: `&name` at the start of a value. */
function hasAnchor(bytes: Buffer, from: number, to: number): boolean {
  const part = bytes.subarray(from, to);
  for (let at = part.indexOf(ascii.AMPERSAND); at >= 0; at = part.indexOf(ascii.AMPERSAND, at + 1)) {
    let before = at - 1;
    while (part[before] === ascii.SPACE) before--;
    if (isName(part[at + 1]) && (before < 0 || BEFORE_VALUES.includes(part[before] ?? 0))) return true;
  }
  return false;
}

function isName(byte = 0): boolean {
  return /[\w-]/u.test(String.fromCharCode(byte));
}

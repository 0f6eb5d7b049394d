/**
 * Cuts YAML into its documents, and a block-style list into its elements, by looking at the beginnings of
 * lines alone: a line at the column of the elements that begins with a dash begins one, because whatever
 * belongs to an element stands further right (YAML 1.2 §8.2). One element at a time is parsed, so that memory
 * doesn't grow with the list.
 */
import {
  CutError,
  type Cutter,
  isLogBegin,
  isLogEnd,
  MAX_PIECE_BYTES,
  type Piece,
  Window,
} from '../piece.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const HASH = 0x23;
const PERCENT = 0x25;
const DASH = 0x2d;
const DOT = 0x2e;
const EQUALS = 0x3d;
const AMPERSAND = 0x26;
const ITEMS = Buffer.from('items:');
const BEFORE_VALUES = Buffer.from(':-[{,\n\r');

/** What the lines belong to. `before`: of the elements, whose column the first of them decides. */
type State = 'document' | 'before' | 'items' | 'logs';

export class YamlCutter implements Cutter {
  readonly #window = new Window();
  readonly #hand: (piece: Piece) => void;
  #state: State = 'document';
  /** Index of the first byte of what is being gathered: an element, or a part of the document. */
  #begin = 0;
  #beginLine = 1;
  /** Index and number of the line that comes next. */
  #at = 0;
  #line = 1;
  /** Where the document begins in the file. */
  #documentLine = 1;
  #documentOffset = 0;
  /** The document's text before its items. */
  #head: Buffer | undefined;
  #headLines = 0;
  #itemLines = 0;
  #items = 0;
  /** Column of the elements. */
  #column = 0;
  /** What was gathered has an anchor, which what follows may stand for: it isn't cut any more. */
  #anchored = false;
  /** The document has a line that isn't blank, a comment or a directive. */
  #content = false;

  constructor(hand: (piece: Piece) => void) {
    this.#hand = hand;
  }

  push(chunk: Buffer): void {
    const moved = this.#window.advance(this.#begin, chunk);
    this.#begin -= moved;
    this.#at -= moved;
    const { bytes } = this.#window;
    // A line may come in many chunks: what was looked through has no end of it.
    let from = bytes.length - chunk.length;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#take(newline + 1);
      from = newline + 1;
    }
    if (bytes.length - this.#begin > MAX_PIECE_BYTES)
      throw new CutError(this.#beginLine, 'what begins here is larger than 64 MB');
  }

  end(): void {
    if (this.#at < this.#window.bytes.length) this.#take(this.#window.bytes.length);
    this.#finish(this.#at);
  }

  /** One line, from `#at` to `next`. */
  #take(next: number): void {
    const { bytes } = this.#window;
    const first = bytes[this.#at] ?? NEWLINE;
    // By far the most lines: inside of an element whose dash stands in the first column.
    if (this.#state !== 'items' || this.#column > 0 || first !== SPACE) this.#judge(first, next);
    this.#at = next;
    this.#line++;
  }

  #judge(first: number, next: number): void {
    const { bytes } = this.#window;
    const at = this.#at;
    if (this.#state === 'logs') {
      this.#begin = next;
      this.#beginLine = this.#line + 1;
      if (first === EQUALS && isLogEnd(bytes, at)) this.#open('document', next);
      return;
    }
    if (first === EQUALS && isLogBegin(bytes, at)) {
      this.#finish(at);
      this.#open('logs', next);
      return;
    }
    if ((first === DASH || first === DOT) && this.#isMarker(first, next)) {
      this.#finish(at);
      if (!hasContent(bytes, at + 3, next)) {
        this.#open('document', next);
        return;
      }
      this.#open('document', at + 3);
      this.#documentLine = this.#line;
      this.#beginLine = this.#line;
      this.#content = true;
      return;
    }
    if (this.#state === 'items' || this.#state === 'before') this.#element(next);
    else if (!this.#content && first === PERCENT) {
      // A directive; what it says is the default.
      this.#begin = next;
      this.#beginLine = this.#line + 1;
      this.#documentLine = this.#beginLine;
      this.#documentOffset = this.#window.offset + next;
    } else {
      this.#content ||= hasContent(bytes, at, next);
      if (first === ITEMS[0] && this.#head === undefined && this.#isItems(next) && !this.#headHasAnchor()) {
        this.#head = Buffer.from(bytes.subarray(this.#begin, next));
        this.#headLines = this.#line + 1 - this.#documentLine;
        this.#begin = next;
        this.#beginLine = this.#line + 1;
        this.#state = 'before';
      }
    }
  }

  /** A line after `items:`. */
  #element(next: number): void {
    const { bytes } = this.#window;
    let at = this.#at;
    while (bytes[at] === SPACE) at++;
    const first = bytes[at] ?? NEWLINE;
    if (at >= next || first === NEWLINE || first === RETURN || first === HASH) return;
    const column = at - this.#at;
    const second = bytes[at + 1] ?? NEWLINE;
    const dash = first === DASH && (second === SPACE || second === NEWLINE || second === RETURN);
    if (this.#state === 'before') {
      if (dash) this.#column = column;
      else {
        // Not a block sequence: all of it is the document's.
        this.#head = Buffer.concat([this.#head ?? Buffer.alloc(0), bytes.subarray(this.#begin, this.#at)]);
        this.#headLines += this.#line - this.#beginLine;
        this.#begin = this.#at;
        this.#beginLine = this.#line;
        this.#state = 'document';
        return;
      }
      this.#state = 'items';
      this.#itemLines = this.#line - this.#beginLine;
      this.#begin = this.#at;
      this.#beginLine = this.#line;
    } else if (column === this.#column && dash) {
      if (!this.#keepsAnchors()) this.#item();
    } else if (column <= this.#column) {
      this.#item();
      this.#state = 'document';
    }
  }

  /** Whether what ends before the current line is to stay together with what follows. */
  #keepsAnchors(): boolean {
    const { bytes } = this.#window;
    // Text may look like an anchor; a large list is cut all the same.
    if (this.#at - this.#begin > MAX_PIECE_BYTES / 2) this.#anchored = false;
    else this.#anchored ||= hasAnchor(bytes, this.#begin, this.#at);
    return this.#anchored;
  }

  /** Hands out the element that ends before the current line. */
  #item(): void {
    this.#emit(this.#window.bytes.subarray(this.#begin, this.#at), 'item');
    this.#items++;
    this.#itemLines += this.#line - this.#beginLine;
    this.#begin = this.#at;
    this.#beginLine = this.#line;
  }

  #emit(bytes: Buffer, part: 'item' | 'document'): void {
    const document = part === 'document';
    this.#hand({
      bytes,
      part,
      format: 'yaml',
      offset: document ? this.#documentOffset : this.#window.offset + this.#begin,
      line: document ? this.#documentLine : this.#beginLine,
      items: document ? this.#items : 0,
      ...(document && this.#items > 0 ? { cut: { after: this.#headLines, count: this.#itemLines } } : {}),
    });
  }

  /** The document ends at an index. */
  #finish(end: number): void {
    if (this.#state === 'logs') return;
    if (this.#state === 'items') this.#item();
    const tail = this.#window.bytes.subarray(this.#begin, end);
    const bytes = this.#head === undefined ? tail : Buffer.concat([this.#head, tail]);
    if (this.#content) this.#emit(bytes, 'document');
  }

  #open(state: State, begin: number): void {
    this.#state = state;
    this.#begin = begin;
    this.#beginLine = this.#line + 1;
    this.#documentLine = this.#line + 1;
    this.#documentOffset = this.#window.offset + begin;
    this.#head = undefined;
    this.#headLines = 0;
    this.#itemLines = 0;
    this.#items = 0;
    this.#anchored = false;
    this.#content = false;
  }

  /** `---` or `...` at the beginning of a line, alone or before a space. */
  #isMarker(first: number, next: number): boolean {
    const { bytes } = this.#window;
    const at = this.#at;
    if (bytes[at + 1] !== first || bytes[at + 2] !== first) return false;
    const after = bytes[at + 3] ?? NEWLINE;
    return at + 3 >= next || after === NEWLINE || after === RETURN || after === SPACE || after === TAB;
  }

  /** Elements may stand for what the head says: then all of it is one piece. */
  #headHasAnchor(): boolean {
    return hasAnchor(this.#window.bytes, this.#begin, this.#at);
  }

  #isItems(next: number): boolean {
    const { bytes } = this.#window;
    const at = this.#at;
    if (next - at < ITEMS.length || bytes.compare(ITEMS, 0, ITEMS.length, at, at + ITEMS.length) !== 0)
      return false;
    return !hasContent(bytes, at + ITEMS.length, next);
  }
}

/** Whether anything but spaces and a comment stands between two indexes. */
function hasContent(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === HASH) return false;
    if (byte !== SPACE && byte !== TAB && byte !== NEWLINE && byte !== RETURN) return true;
  }
  return false;
}

/** Whether anything between two indexes looks like an anchor: `&name` where a value begins. */
function hasAnchor(bytes: Buffer, from: number, to: number): boolean {
  const part = bytes.subarray(from, to);
  for (let at = part.indexOf(AMPERSAND); at >= 0; at = part.indexOf(AMPERSAND, at + 1)) {
    let before = at - 1;
    while (part[before] === SPACE) before--;
    if (isName(part[at + 1]) && (before < 0 || BEFORE_VALUES.includes(part[before] ?? 0))) return true;
  }
  return false;
}

function isName(byte = 0): boolean {
  return /[\w-]/u.test(String.fromCharCode(byte));
}

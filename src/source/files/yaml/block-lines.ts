/**
 * The lines of a text in kubectl's block style, one after another, and what stands where on one of them. Apart from
 * `block-yaml.ts`, which makes values of them.
 */

const SPACE = 0x20;
const NEWLINE = 0x0a;
const DASH = 0x2d;
const HASH = 0x23;
const COLON = 0x3a;
const QUESTION = 0x3f;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const AMPERSAND = 0x26;
const EXCLAMATION = 0x21;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const OPEN_LIST = 0x5b;

const special = /["'[{]/gu;

/** Thrown where a text isn't plain block YAML, and caught in `block-yaml.ts`: cheaper to write than to pass up every level. */
export const leave = new Error('not plain block YAML');

export class BlockLines {
  protected readonly text: string;
  /** Of the current line: where its content begins, and the column of that. */
  protected at = 0;
  protected indent = 0;
  /** Where the line after the current one begins. */
  protected next = 0;
  protected end = false;
  #nextSpecial = -1;

  constructor(text: string) {
    this.text = text;
    this.line();
  }

  /** Moves to the next line with content. */
  protected line(): void {
    const text = this.text;
    for (;;) {
      let at = this.next;
      if (at >= text.length) {
        this.end = true;
        this.indent = -1;
        return;
      }
      const start = at;
      while (text.charCodeAt(at) === SPACE) at++;
      const newline = text.indexOf('\n', at);
      this.next = newline < 0 ? text.length : newline + 1;
      const first = text.charCodeAt(at);
      if (at >= text.length || first === NEWLINE) continue;
      if (first === HASH || (at === start && (text.startsWith('...', at) || text.startsWith('---', at))))
        throw leave;
      this.at = at;
      this.indent = at - start;
      return;
    }
  }

  /** Where the current line's text ends, without its line break and trailing spaces. */
  protected lineEnd(): number {
    const text = this.text;
    let end = this.next;
    for (;;) {
      const last = text.charCodeAt(end - 1);
      if (end <= this.at || (last !== NEWLINE && last !== SPACE)) return end;
      end--;
    }
  }

  protected isDash(): boolean {
    const text = this.text;
    if (text.charCodeAt(this.at) !== DASH) return false;
    const after = text.charCodeAt(this.at + 1);
    return after === SPACE || after === NEWLINE || this.at + 1 >= text.length;
  }

  /** Position of a colon before a space or the line's end, from `from` on; -1 where there is none. */
  protected colonBefore(end: number, from: number): number {
    const text = this.text;
    // Not by indexOf: where no colon follows it would read on to the end of the text, for every line.
    for (let colon = from; colon < end; colon++) {
      if (text.charCodeAt(colon) !== COLON) continue;
      if (colon + 1 >= end || text.charCodeAt(colon + 1) === SPACE) return colon;
    }
    return -1;
  }

  /** Where the next quote or bracket is. */
  #special(): number {
    if (this.#nextSpecial < this.at) {
      special.lastIndex = this.at;
      this.#nextSpecial = special.exec(this.text)?.index ?? this.text.length;
    }
    return this.#nextSpecial;
  }

  /**
   * Whether the current line may begin a text in quotes or a collection in brackets that goes on behind it. kubectl
   * reads those to their end wherever the lines behind stand, so that nothing tells which of them belong to it.
   */
  protected opensMore(): boolean {
    if (this.#special() >= this.next) return false;
    const text = this.text;
    const end = this.lineEnd();
    let at = this.at;
    while (text.charCodeAt(at) === DASH && text.charCodeAt(at + 1) === SPACE) at = this.#pastSpaces(at + 1);
    at = this.#pastProperties(at, end);
    const first = text.charCodeAt(at);
    if (first === QUESTION) return true;
    if (first !== OPEN && first !== OPEN_LIST) {
      const key = first === DOUBLE || first === SINGLE ? this.#closing(at, end) : at;
      if (key < 0) return true;
      const colon = this.colonBefore(end, key);
      if (colon < 0) return key !== at && this.#pastSpaces(key + 1) < end;
      at = this.#pastProperties(this.#pastSpaces(colon + 1), end);
    }
    switch (text.charCodeAt(at)) {
      case DOUBLE:
      case SINGLE:
        // A comment behind it is the full parser's, as is whatever else.
        return this.#closing(at, end) !== end - 1;
      case OPEN:
      case OPEN_LIST:
        return end - at !== 2 || !['{}', '[]'].includes(text.slice(at, end));
      default:
        return false;
    }
  }

  #pastSpaces(at: number): number {
    while (this.text.charCodeAt(at) === SPACE) at++;
    return at;
  }

  /** Behind anchors and tags. */
  #pastProperties(at: number, end: number): number {
    const text = this.text;
    while (at < end && (text.charCodeAt(at) === AMPERSAND || text.charCodeAt(at) === EXCLAMATION)) {
      while (at < end && text.charCodeAt(at) !== SPACE) at++;
      at = this.#pastSpaces(at);
    }
    return at;
  }

  /** Position of the quote that ends the quoted text at `at`, -1 where the line has none. */
  #closing(at: number, end: number): number {
    const text = this.text;
    const mark = text.charCodeAt(at);
    for (let index = at + 1; index < end; index++) {
      const code = text.charCodeAt(index);
      if (code === BACKSLASH && mark === DOUBLE) index++;
      else if (code === mark) {
        if (mark === DOUBLE || text.charCodeAt(index + 1) !== SINGLE) return index;
        index++;
      }
    }
    return -1;
  }

  /** As `#line`, but a line may begin with `#`: within a literal block that is text. */
  protected lineOfAny(): void {
    for (;;) {
      try {
        this.line();
        return;
      } catch (error) {
        if (error !== leave) throw error;
      }
    }
  }

  protected blankLinesAhead(): number {
    const text = this.text;
    let blank = 0;
    let at = this.next;
    while (at < text.length) {
      while (text.charCodeAt(at) === SPACE) at++;
      if (text.charCodeAt(at) !== NEWLINE) return blank;
      blank++;
      at++;
    }
    return blank;
  }
}

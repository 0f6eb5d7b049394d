/** The lines of a text in kubectl's block style, and what stands where on one; `block-yaml.ts` makes values of them. */
import * as ascii from '../ascii.ts';

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
      while (text.charCodeAt(at) === ascii.SPACE) at++;
      const newline = text.indexOf('\n', at);
      this.next = newline < 0 ? text.length : newline + 1;
      const first = text.charCodeAt(at);
      if (at >= text.length || first === ascii.NEWLINE) continue;
      if (
        first === ascii.HASH ||
        (at === start && (text.startsWith('...', at) || text.startsWith('---', at)))
      )
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
      if (end <= this.at || (last !== ascii.NEWLINE && last !== ascii.SPACE)) return end;
      end--;
    }
  }

  protected isDash(): boolean {
    const text = this.text;
    if (text.charCodeAt(this.at) !== ascii.DASH) return false;
    const after = text.charCodeAt(this.at + 1);
    return after === ascii.SPACE || after === ascii.NEWLINE || this.at + 1 >= text.length;
  }

  /** Position of a colon before a space or the line's end, from `from` on; -1 where there is none. */
  protected colonBefore(end: number, from: number): number {
    const text = this.text;
    // Not by indexOf: where no colon follows it would read on to the end of the text, for every line.
    for (let colon = from; colon < end; colon++) {
      if (text.charCodeAt(colon) !== ascii.COLON) continue;
      if (colon + 1 >= end || text.charCodeAt(colon + 1) === ascii.SPACE) return colon;
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
    while (text.charCodeAt(at) === ascii.DASH && text.charCodeAt(at + 1) === ascii.SPACE)
      at = this.#pastSpaces(at + 1);
    at = this.#pastProperties(at, end);
    const first = text.charCodeAt(at);
    if (first === ascii.QUESTION) return true;
    if (first !== ascii.OPEN && first !== ascii.OPEN_LIST) {
      const key = first === ascii.DOUBLE_QUOTE || first === ascii.SINGLE_QUOTE ? this.#closing(at, end) : at;
      if (key < 0) return true;
      const colon = this.colonBefore(end, key);
      if (colon < 0) return key !== at && this.#pastSpaces(key + 1) < end;
      at = this.#pastProperties(this.#pastSpaces(colon + 1), end);
    }
    switch (text.charCodeAt(at)) {
      case ascii.DOUBLE_QUOTE:
      case ascii.SINGLE_QUOTE:
        // A comment behind it is the full parser's, as is whatever else.
        return this.#closing(at, end) !== end - 1;
      case ascii.OPEN:
      case ascii.OPEN_LIST:
        return end - at !== 2 || !['{}', '[]'].includes(text.slice(at, end));
      default:
        return false;
    }
  }

  /**
   * Column to the right of which the text of a literal or folded block stands that the current line begins (`key: |-`);
   * -1 where it begins none, or one that says its own column.
   */
  protected blockParent(): number {
    if (this.#special() < this.next) return -1;
    const { text } = this;
    const end = this.lineEnd();
    const sign = text.charCodeAt(end - 1);
    const mark = sign === ascii.DASH || sign === ascii.PLUS ? end - 2 : end - 1;
    const code = text.charCodeAt(mark);
    if (text.charCodeAt(mark - 1) !== ascii.SPACE || (code !== ascii.BAR && code !== ascii.GREATER))
      return -1;
    let at = this.at;
    let dash = -1;
    while (text.charCodeAt(at) === ascii.DASH && text.charCodeAt(at + 1) === ascii.SPACE) {
      dash = at;
      at = this.#pastSpaces(at + 1);
    }
    const parent = at === mark ? dash : at;
    if (parent < 0 || text.charCodeAt(at) === ascii.HASH) return -1;
    if (at < mark && this.#pastSpaces(this.colonBefore(end, at) + 1) !== mark) return -1;
    return this.indent + parent - this.at;
  }

  #pastSpaces(at: number): number {
    while (this.text.charCodeAt(at) === ascii.SPACE) at++;
    return at;
  }

  /** Behind anchors and tags. */
  #pastProperties(at: number, end: number): number {
    const text = this.text;
    while (
      at < end &&
      (text.charCodeAt(at) === ascii.AMPERSAND || text.charCodeAt(at) === ascii.EXCLAMATION)
    ) {
      while (at < end && text.charCodeAt(at) !== ascii.SPACE) at++;
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
      if (code === ascii.BACKSLASH && mark === ascii.DOUBLE_QUOTE) index++;
      else if (code === mark) {
        if (mark === ascii.DOUBLE_QUOTE || text.charCodeAt(index + 1) !== ascii.SINGLE_QUOTE) return index;
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
      while (text.charCodeAt(at) === ascii.SPACE) at++;
      if (text.charCodeAt(at) !== ascii.NEWLINE) return blank;
      blank++;
      at++;
    }
    return blank;
  }
}

/**
 * Rows in columns without the blanks that none of them needs: rows are drawn for a screen that is wide enough for
 * anything, and a file shouldn't be as wide.
 */
import { displayWidth } from '../../text/terminal/width.ts';

/** Blank columns that are left between two columns of text. */
const GAP = 2;

interface Piece {
  /** The first of its columns. */
  readonly at: number;
  readonly text: string;
}

/** Takes lines that stand below each other and gives them back narrower, with every word where its column is. */
export class ColumnCompactor {
  readonly #lines: (readonly Piece[])[] = [];
  /** For each column whether any line has text there. */
  readonly #used: boolean[] = [];

  /** One text across all columns, which gives none of them a width. */
  addAcross(line: string): void {
    this.#lines.push([{ at: 0, text: line }]);
  }

  add(line: string): void {
    const pieces: Piece[] = [];
    // Single blanks are within a text, longer ones between two.
    for (const match of line.matchAll(/\S+(?: \S+)*/gu)) {
      const [text] = match;
      const at = displayWidth(line.slice(0, match.index));
      pieces.push({ at, text });
      const end = at + displayWidth(text);
      while (this.#used.length < end) this.#used.push(false);
      this.#used.fill(true, at, end);
    }
    this.#lines.push(pieces);
  }

  *narrowed(): Generator<string> {
    const places = this.#places();
    for (const pieces of this.#lines) {
      let out = '';
      let width = 0;
      for (const { at, text } of pieces) {
        const place = places[at] ?? at;
        out += ' '.repeat(Math.max(0, place - width)) + text;
        width = place + displayWidth(text);
      }
      yield out;
    }
  }

  /** Where each column stands once the blank ones are gone. */
  #places(): readonly number[] {
    const places: number[] = [];
    let blanks = 0;
    let place = 0;
    for (let column = 0; column < this.#used.length; column++) {
      places.push(place);
      blanks = this.#used[column] === true ? 0 : blanks + 1;
      if (blanks <= GAP) place += 1;
    }
    return places;
  }
}

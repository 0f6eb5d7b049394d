/**
 * Finds words with typing errors. A slip is a letter too many, too few, another one, or two swapped. Bit-parallel (H.
 * Hyyrö, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances, 2003): 150,000 lines take some
 * tens of milliseconds.
 */

/** Characters before which no word begins inside a line. */
const SEPARATORS: ReadonlySet<number> = new Set(Array.from(' /-.:_=', character => character.charCodeAt(0)));
/** Bits of a number; longer words are cut. */
const MOST_LETTERS = 31;

export interface Slipped {
  readonly slips: number;
  readonly at: number;
  readonly length: number;
}

/** Returns the slips allowed; short words would match nearly everything. */
function slipsAllowed(letters: number): number {
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

export class SlippedWord {
  readonly #masks = new Int32Array(128);
  readonly #word: string;
  readonly #allowed: number;
  readonly #length: number;

  /** In lower case. */
  constructor(word: string) {
    this.#word = word.slice(0, MOST_LETTERS);
    this.#length = this.#word.length;
    this.#allowed = slipsAllowed(this.#length);
    for (let i = 0; i < this.#length; i++) {
      const code = this.#word.charCodeAt(i);
      if (code < 128) this.#masks[code] = (this.#masks[code] ?? 0) | (1 << i);
    }
  }

  /** Returns the best match, the first of equals. */
  in(line: string): Slipped | undefined {
    if (this.#allowed === 0) return undefined;
    let best: Slipped | undefined;
    let most = this.#allowed;
    for (let at = 0; at < line.length && most >= 0; at++) {
      if (at > 0 && !SEPARATORS.has(line.charCodeAt(at - 1))) continue;
      if (!this.#mayBegin(line, at)) continue;
      const found = this.#at(line, at, most);
      if (found === undefined) continue;
      best = found;
      most = found.slips - 1;
    }
    return best;
  }

  /** Requires one of the first two letters in the first two places; otherwise there are two slips already. */
  #mayBegin(line: string, at: number): boolean {
    const first = this.#masks[line.charCodeAt(at)] ?? 0;
    return ((first | (this.#masks[line.charCodeAt(at + 1)] ?? 0)) & 3) !== 0;
  }

  /** Matches the word with each beginning of the text from `start`. */
  #at(line: string, start: number, most: number): Slipped | undefined {
    const length = this.#length;
    const last = 1 << (length - 1);
    const end = Math.min(line.length, start + length + most);
    let positive = -1;
    let negative = 0;
    let zero = 0;
    let before = 0;
    let slips = length;
    let least = most + 1;
    let until = 0;
    for (let i = start; i < end; i++) {
      const mask = this.#masks[line.charCodeAt(i)] ?? 0;
      const swapped = ((~zero & mask) << 1) & before;
      zero = ((((mask & positive) + positive) | 0) ^ positive) | mask | negative | swapped;
      const up = negative | ~(zero | positive);
      const down = zero & positive;
      if ((up & last) !== 0) slips += 1;
      else if ((down & last) !== 0) slips -= 1;
      const shifted = (up << 1) | 1;
      positive = (down << 1) | ~(zero | shifted);
      negative = shifted & zero;
      before = mask;
      // The longest of equals includes letters swapped at the end.
      if (slips <= least && slips <= most) {
        least = slips;
        until = i + 1;
      }
    }
    return least > most ? undefined : { slips: least, at: start, length: until - start };
  }
}

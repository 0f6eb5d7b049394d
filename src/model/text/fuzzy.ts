/** Words with typing errors, matched by fuse.js: on the screen and on the command line. */
import Fuse from 'fuse.js/basic';

export interface SimilarWord {
  readonly word: string;
  /** 0 for a word that contains the typed one; about the share of letters that are wrong for others. */
  readonly score: number;
}

/** Fuse.js divides a distance by this number, so that a match late in a word scores worse. */
const DISTANCE = 20;
/** Share of letters that may be wrong in the label of an item. */
const WRONG_IN_LABELS = 0.4;

/** Returns the words that match with at most this share of wrong letters, the best first, then by alphabet. */
function similarWords(word: string, words: readonly string[], threshold: number): readonly SimilarWord[] {
  const fuse = new Fuse(words, {
    includeScore: true,
    ignoreFieldNorm: true,
    distance: DISTANCE,
    threshold,
    shouldSort: false,
  });
  return fuse
    .search(word)
    .map(({ item, score = 0 }) => ({ word: item, score }))
    .sort((a, b) => a.score - b.score || (a.word < b.word ? -1 : 1));
}

/**
 * Returns the words that a mistyped one may stand for, the likeliest first: one wrong letter in three, at least one, at
 * most three.
 */
function closestWords(word: string, known: Iterable<string>, limit = 3): string[] {
  const wrong = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  // Fuse.js also finds the word within a longer one.
  const candidates = [...known].filter(each => Math.abs(each.length - word.length) <= wrong);
  const swapped = candidates.filter(each => isSwapped(word, each)).sort();
  const found = similarWords(word, candidates, wrong / word.length).map(each => each.word);
  return [...new Set([...swapped, ...found])].slice(0, limit);
}

/** Compares swapped neighbours, which fuse.js counts as two wrong letters: too many for a word of four. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return (
    a[at] === b[at + 1] && a[at + 1] === b[at] && at + 1 < a.length && a.slice(at + 2) === b.slice(at + 2)
  );
}

/** Returns the items in whose label each term is, or words similar to it, the most similar first. */
function similarItems<Item extends { readonly label: string }>(
  items: readonly Item[],
  terms: readonly string[],
): readonly Item[] {
  let scores = new Map(items.map(item => [item, 0]));
  for (const term of terms) {
    const fuse = new Fuse([...scores.keys()], {
      keys: ['label'],
      includeScore: true,
      ignoreLocation: true,
      threshold: WRONG_IN_LABELS,
    });
    scores = new Map(fuse.search(term).map(({ item, score = 0 }) => [item, (scores.get(item) ?? 0) + score]));
  }
  return [...scores].sort((a, b) => a[1] - b[1]).map(([item]) => item);
}

const SEPARATORS = /[\s/\-.:_=]+/u;
/** Suffixes of generated names, of characters that `rand.String` (apimachinery, v0.36) chooses from. */
const GENERATED = /^(?:(?=.*\d)[bcdfghjklmnpqrstvwxz2456789]{4,}|[bcdfghjklmnpqrstvwxz]{8,})$/u;
/** Words that fuse.js ranks in one step. */
const STEP = 500;
const MOST_SIMILAR = 8;
/** How much worse than the best match another one may be. */
const MARGIN = 0.15;

function wordsIn(line: string): readonly string[] {
  return line.split(SEPARATORS).filter(Boolean);
}

/** The distinct words of lines, and which of them a mistyped word may stand for. */
export class Vocabulary {
  readonly #letters = new Map<string, number>();

  /** Adds the words and names of a line, without suffixes of generated names. */
  add(line: string): void {
    for (const name of line.split(/[\s/]+/u)) {
      const words = wordsIn(name).filter(word => !GENERATED.test(word));
      for (const word of words) this.#add(word);
      if (words.length > 1) this.#add(words.join('-'));
    }
  }

  #add(word: string): void {
    if (!this.#letters.has(word)) this.#letters.set(word, lettersOf(word));
  }

  /** Returns the most similar words that don't contain the typed one, after pauses: each `yield` may be followed by other work. */
  *similar(typed: string): Generator<undefined, readonly SimilarWord[]> {
    const threshold = thresholdOf(typed);
    if (threshold === 0) return [];
    const letters = lettersOf(typed);
    const missing = Math.floor(threshold * typed.length);
    const found: SimilarWord[] = [];
    let candidates: string[] = [];
    const rank = (): void => {
      found.push(...similarWords(typed, candidates, threshold));
      candidates = [];
    };
    for (const [word, its] of this.#letters) {
      if (bitCount(letters & ~its) > missing || word.includes(typed)) continue;
      if (isSwapped(typed, word)) found.push({ word, score: 1 / typed.length });
      else candidates.push(word);
      if (candidates.length < STEP) continue;
      rank();
      yield undefined;
    }
    rank();
    found.sort((a, b) => a.score - b.score);
    const worst = (found[0]?.score ?? 0) + MARGIN;
    return found.filter(({ score }) => score <= worst).slice(0, MOST_SIMILAR);
  }
}

/** In short words nearly everything would match. */
function thresholdOf({ length }: string): number {
  if (length < 4) return 0;
  return length < 6 ? 1 / length : 0.5;
}

/** One bit for each letter in the word; digits and other characters share the remaining bits. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

export const SimilarWord = { closest: closestWords, items: similarItems, wordsIn };

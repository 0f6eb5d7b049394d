/**
 * How a query matches an object: each of its words in kind, namespace or name, else in a finalizer, a label or the uid,
 * else in the former with typing errors, else as letters in order. Search, the tree's filter and what is highlighted are one.
 */
import type { GraphNode } from '../../graph/node.ts';
import { type Slipped, SlippedWord } from './slips.ts';

export interface SearchEntry {
  readonly node: GraphNode;
  /** `deployment deploy shop/api`, lower case, unsanitised: for matching alone. The name stands last. */
  readonly line: string;
}

/** What a word was found in, beside kind, namespace and name. */
export type Aside =
  | { readonly of: 'finalizer'; readonly text: string }
  | { readonly of: 'label'; readonly text: string }
  | { readonly of: 'uid'; readonly text: string };

/** From here on a word may be the beginning of a uid: fewer letters begin too many of them. */
const UID_LETTERS = 4;
/** Letters in order count as far as they aren't spread over more than so many times as many. */
const SPREAD = 2.5;

/** How a word fits where it doesn't stand as it is; each worse than the one before. */
const COST = { finalizer: 2, label: 4, uid: 3, slip: 10, letters: 30 } as const;

export class Terms {
  readonly words: readonly string[];
  readonly #slipped: readonly SlippedWord[];

  constructor(query: string) {
    this.words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    this.#slipped = this.words.map(word => new SlippedWord(word));
  }

  /** Every word stands in kind, namespace or name. */
  areIn(line: string): boolean {
    for (const word of this.words) if (!line.includes(word)) return false;
    return true;
  }

  /** Every word stands in the line or in a finalizer, a label or the uid: how well, 0 is best. Undefined where one doesn't. */
  areAround({ line, node }: SearchEntry): number | undefined {
    let cost = 0;
    for (const word of this.words) {
      if (line.includes(word)) continue;
      const aside = asideOf(node, word);
      if (aside === undefined) return undefined;
      cost += COST[aside.of];
    }
    return cost;
  }

  /** The same, with typing errors in kind, namespace and name. */
  areLike(entry: SearchEntry): number | undefined {
    let cost = 0;
    for (const [i, word] of this.words.entries()) {
      if (entry.line.includes(word)) continue;
      const slips = this.#slipped[i]?.in(entry.line)?.slips;
      const aside = slips === undefined ? asideOf(entry.node, word) : undefined;
      if (slips === undefined && aside === undefined) return undefined;
      cost += aside === undefined ? COST.slip * (slips ?? 0) : COST[aside.of];
    }
    return cost;
  }

  /** The letters of each word stand in the line in this order, not too far from each other. */
  areSpreadOver(line: string): number | undefined {
    let cost = 0;
    for (const word of this.words) {
      const spread = spreadOf(line, word);
      if (spread === undefined || spread > word.length * SPREAD) return undefined;
      cost += spread === word.length ? 0 : COST.letters + spread - word.length;
    }
    return cost;
  }

  /** Which parts of a text the words are in, as `[from, to]`, in order and apart from each other. */
  placesIn(text: string): readonly (readonly [from: number, to: number])[] {
    const line = text.toLowerCase();
    const places = this.words.flatMap((word, i) => placesOf(line, word, this.#slipped[i]?.in(line)));
    const out: [number, number][] = [];
    for (const [from, to] of places.sort((a, b) => a[0] - b[0])) {
      const last = out.at(-1);
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else out.push([from, to]);
    }
    return out;
  }

  /** In which of a node's finalizers, labels or uid the words are that its title doesn't have. */
  besides(node: GraphNode, title: string): readonly Aside[] {
    const line = title.toLowerCase();
    return this.words.flatMap(word => (line.includes(word) ? [] : (asideOf(node, word) ?? [])));
  }
}

function placesOf(line: string, word: string, slipped: Slipped | undefined): [number, number][] {
  // The name stands last.
  const at = line.lastIndexOf(word);
  if (at >= 0) return [[at, at + word.length]];
  if (slipped !== undefined) return [[slipped.at, slipped.at + slipped.length]];
  const from = tightest(line, word);
  if (from === undefined) return [];
  const letters: [number, number][] = [];
  let next = from;
  for (const letter of word) {
    const place = line.indexOf(letter, next);
    letters.push([place, place + 1]);
    next = place + 1;
  }
  return letters;
}

/** Over how many characters the letters of a word are spread where they are nearest to each other. */
function spreadOf(line: string, word: string): number | undefined {
  const from = tightest(line, word);
  return from === undefined ? undefined : endFrom(line, word, from) - from;
}

/** Where the shortest stretch begins that has the letters in order. */
function tightest(line: string, word: string): number | undefined {
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  const [first = ''] = word;
  for (let from = line.indexOf(first); from >= 0; from = line.indexOf(first, from + 1)) {
    const end = endFrom(line, word, from);
    if (end < 0) break;
    if (end - from >= least) continue;
    best = from;
    least = end - from;
  }
  return best;
}

/** -1 where the letters don't all follow. */
function endFrom(line: string, word: string, from: number): number {
  let at = from;
  for (const letter of word) {
    at = line.indexOf(letter, at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

/** `word` in lower case. Labels count as `key=value`. */
function asideOf({ object, uid }: GraphNode, word: string): Aside | undefined {
  if (word.length >= UID_LETTERS && uid.startsWith(word)) return { of: 'uid', text: uid };
  if (object === undefined || word.length < 2) return undefined;
  for (const finalizer of object.finalizers)
    if (finalizer.toLowerCase().includes(word)) return { of: 'finalizer', text: finalizer };
  const { labels } = object;
  const isPair = word.includes('=');
  for (let i = 0; i + 1 < labels.length; i += 2) {
    const key = labels[i] ?? '';
    const value = labels[i + 1] ?? '';
    const has = isPair
      ? `${key}=${value}`.toLowerCase().includes(word)
      : key.toLowerCase().includes(word) || value.toLowerCase().includes(word);
    if (has) return { of: 'label', text: `${key}=${value}` };
  }
  return undefined;
}

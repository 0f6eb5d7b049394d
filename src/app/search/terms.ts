/**
 * Matches a query's words: in kind, namespace or name, else in a finalizer, label or uid, else with typing errors, else
 * as letters in order. Search, the tree's filter and highlighting share it.
 */
import type { GraphNode } from '../../graph/node.ts';
import { type Slipped, SlippedWord } from './slips.ts';

export interface SearchEntry {
  readonly node: GraphNode;
  /** `deployment deploy shop/api`, lower case, unsanitised, only for matching. The name comes last. */
  readonly line: string;
}

export type Aside =
  | { readonly of: 'finalizer'; readonly text: string }
  | { readonly of: 'label'; readonly text: string }
  | { readonly of: 'uid'; readonly text: string };

/** Minimum letters for matching a uid's beginning. */
const UID_LETTERS = 4;
/** Maximum spread of letters, relative to their number. */
const SPREAD = 2.5;

/** Costs of inexact matches. */
const COST = { finalizer: 2, label: 4, uid: 3, slip: 10, letters: 30 } as const;

export class Terms {
  readonly words: readonly string[];
  readonly #slipped: readonly SlippedWord[];

  constructor(query: string) {
    this.words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    this.#slipped = this.words.map(word => new SlippedWord(word));
  }

  areIn(line: string): boolean {
    for (const word of this.words) if (!line.includes(word)) return false;
    return true;
  }

  /** Returns the cost of every word's match, surroundings included; 0 is best, undefined is no match. */
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

  /** Returns the cost as `areAround` does, with typing errors in the line. */
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

  /** Returns the cost if each word's letters are in order and close together. */
  areSpreadOver(line: string): number | undefined {
    let cost = 0;
    for (const word of this.words) {
      const spread = spreadOf(line, word);
      if (spread === undefined || spread > word.length * SPREAD) return undefined;
      cost += spread === word.length ? 0 : COST.letters + spread - word.length;
    }
    return cost;
  }

  /** Returns the matched parts as `[from, to]`, in order and without overlap. */
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

  /** Lists matches outside the title. */
  besides(node: GraphNode, title: string): readonly Aside[] {
    const line = title.toLowerCase();
    return this.words.flatMap(word => (line.includes(word) ? [] : (asideOf(node, word) ?? [])));
  }
}

function placesOf(line: string, word: string, slipped: Slipped | undefined): [number, number][] {
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

/** Returns the shortest length that contains the letters in order. */
function spreadOf(line: string, word: string): number | undefined {
  const from = tightest(line, word);
  return from === undefined ? undefined : endFrom(line, word, from) - from;
}

/** Returns where the shortest such stretch begins. */
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

/** Returns -1 if the letters don't all follow. */
function endFrom(line: string, word: string, from: number): number {
  let at = from;
  for (const letter of word) {
    at = line.indexOf(letter, at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

/** Finds a lowercase word outside the line. Labels count as `key=value`. */
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

/**
 * How a query matches an object: each of its words in kind, namespace or name, else in a finalizer, a label or the uid,
 * else in the former with typing errors. Search, the tree's filter and highlights share it.
 */
import type { GraphNode } from '../../graph/index.ts';
import { SimilarWord, type Vocabulary } from '../../model/index.ts';

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
/** Costs of a word that isn't in the line as it is; a similar word costs its share of `similar`. */
const COST = { finalizer: 2, label: 4, uid: 3, similar: 60 } as const;

interface Part {
  readonly part: string;
  readonly similar: readonly SimilarWord[];
}

export class Terms {
  readonly words: readonly string[];
  /** For each word its parts, such as `stokc` and `import`, with similar words. */
  #parts: readonly (readonly Part[])[] = [];

  constructor(query: string) {
    this.words = query.toLowerCase().split(/\s+/u).filter(Boolean);
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

  /** Looks up the words that each mistyped word may stand for, for `areLike` and `placesIn`; with pauses. */
  *learnSimilar(vocabulary: Vocabulary): Generator<undefined, void> {
    const parts: Part[][] = [];
    for (const word of this.words) {
      const its: Part[] = [];
      for (const part of SimilarWord.wordsIn(word))
        its.push({ part, similar: yield* vocabulary.similar(part) });
      parts.push(its);
    }
    this.#parts = parts;
  }

  /** Like `areAround`, but accepts similar words in kind, namespace and name. */
  areLike(entry: SearchEntry): number | undefined {
    let cost = 0;
    for (const [i, word] of this.words.entries()) {
      if (entry.line.includes(word)) continue;
      const similar = this.#similarIn(entry.line, i);
      const aside = similar === undefined ? asideOf(entry.node, word) : undefined;
      if (similar === undefined && aside === undefined) return undefined;
      for (const { score } of similar ?? []) cost += COST.similar * score;
      if (aside !== undefined) cost += COST[aside.of];
    }
    return cost;
  }

  /** Returns the words of the line that the parts of a word stand for; undefined if one stands for none. */
  #similarIn(line: string, index: number): readonly SimilarWord[] | undefined {
    const parts = this.#parts[index] ?? [];
    const found: SimilarWord[] = [];
    for (const { part, similar } of parts) {
      const match = line.includes(part)
        ? { word: part, score: 0 }
        : similar.find(({ word }) => line.includes(word));
      if (match === undefined) return undefined;
      found.push(match);
    }
    return parts.length === 0 ? undefined : found;
  }

  /** Returns the matched parts as `[from, to]`, in order and without overlap. */
  placesIn(text: string): readonly (readonly [from: number, to: number])[] {
    const line = text.toLowerCase();
    const places = this.words.flatMap((word, i) =>
      line.includes(word)
        ? [placeOf(line, word)]
        : (this.#similarIn(line, i) ?? []).map(similar => placeOf(line, similar.word)),
    );
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

/** The last one, as the name comes last. */
function placeOf(line: string, word: string): [number, number] {
  const at = line.lastIndexOf(word);
  return [at, at + word.length];
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

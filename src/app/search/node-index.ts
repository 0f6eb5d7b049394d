/** The search index: one lowercase line per node, for both the search and the tree's filter. */
import type { GraphNode } from '../../graph/index.ts';
import { SimilarWord, type Uid, UidMap, Vocabulary } from '../../model/index.ts';
import { type SearchEntry, Terms } from './terms.ts';

function searchLine(node: GraphNode): string {
  const { kind } = node.object?.type ?? node.identity;
  const { namespace, name } = node.object ?? node.identity;
  // Users type short names: `sts web`.
  const words = [kind, ...(node.object?.type.shortNames ?? [])].join(' ');
  return `${words} ${namespace === '' ? '' : `${namespace}/`}${name}`.toLowerCase();
}

export class SearchIndex {
  readonly #byUid = new UidMap<SearchEntry>();
  readonly #rest: Iterator<GraphNode>;
  #complete = false;

  /** Adds nodes later: see `build`. The iterator must tolerate changes. */
  constructor(nodes: Iterable<GraphNode>) {
    this.#rest = nodes[Symbol.iterator]();
  }

  /** Adds up to `count` nodes; true once complete. 150,000 in one go would hold up input. */
  build(count: number): boolean {
    for (let i = 0; i < count && !this.#complete; i++) {
      const { value, done } = this.#rest.next();
      if (done === true) this.#complete = true;
      else this.add(value);
    }
    return this.#complete;
  }

  add(node: GraphNode): void {
    const known = this.#byUid.get(node.uid);
    if (known?.node === node) return;
    this.#byUid.set(node.uid, { node, line: searchLine(node) });
  }

  remove(uid: Uid): void {
    this.#byUid.delete(uid);
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** Tolerates changes while iterating. */
  [Symbol.iterator](): IterableIterator<SearchEntry> {
    return this.#byUid.values();
  }
}

export type NodeMatcher = (node: GraphNode) => boolean;

export function searchTerms(query: string): string[] {
  return query.toLowerCase().split(/\s+/u).filter(Boolean);
}

export function includesAll(line: string, terms: readonly string[]): boolean {
  for (const term of terms) if (!line.includes(term)) return false;
  return true;
}

/**
 * Returns the filter's rule: every word of the query is in kind, namespace or name, or in a finalizer, a label or the uid.
 * With `like`, words that are similar to those of these nodes count, too.
 */
export function matcher(query: string, like?: Iterable<GraphNode>): NodeMatcher {
  const terms = new Terms(query);
  if (like !== undefined) {
    const vocabulary = new Vocabulary();
    for (const node of like) vocabulary.add(searchLine(node));
    for (const _ of terms.learnSimilar(vocabulary));
  }
  return node => {
    const entry = { node, line: searchLine(node) };
    return (like === undefined ? terms.areAround(entry) : terms.areLike(entry)) !== undefined;
  };
}

/** Returns the items whose label is the words, then those that begin with them, then those that contain them. */
export function matchingItems<Item extends { readonly label: string }>(
  items: readonly Item[],
  query: string,
): readonly Item[] {
  const terms = searchTerms(query);
  if (terms.length === 0) return items;
  const groups: [Item[], Item[], Item[]] = [[], [], []];
  const whole = terms.join(' ');
  for (const item of items) {
    const line = item.label.toLowerCase();
    // An exact match precedes longer names: `prod` before `prod-eu`.
    if (line === whole) groups[0].push(item);
    else if (line.startsWith(terms[0] ?? '') && includesAll(line, terms)) groups[1].push(item);
    else if (includesAll(line, terms)) groups[2].push(item);
  }
  return groups.flat();
}

/** Like `matchingItems`, but returns items with similar words if none matches. */
export function fittingItems<Item extends { readonly label: string }>(
  items: readonly Item[],
  query: string,
): readonly Item[] {
  const found = matchingItems(items, query);
  return found.length > 0 ? found : SimilarWord.items(items, searchTerms(query));
}

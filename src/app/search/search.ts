/**
 * Fuzzy search over everything, in steps. Plain `includes` first (5 to 12 ms at 150,000 objects), a subsequence scan
 * where that finds little (40 to 60 ms), and fuse.js to rank at most 5,000 candidates: alone it would take seconds.
 */

import type { GraphNode } from '../../graph/node.ts';
import { objectTitle } from '../../model/text/titles.ts';
import type { Ports } from '../session/ports.ts';
import { SlicedWork } from '../session/sliced-work.ts';
import type { Message } from '../state/messages.ts';
import type { SearchHit, State } from '../state/state.ts';
import {
  includesAll,
  type Ranker,
  type SearchEntry,
  type SearchIndex,
  searchTerms,
  subsequenceAll,
} from './index.ts';

export interface SearchProgress {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly done: boolean;
}

export interface SearchRequest {
  readonly index: SearchIndex;
  /** What an earlier, shorter query matched, where this one continues it: nothing else can match. */
  readonly narrowed: readonly SearchEntry[] | undefined;
  readonly query: string;
  /** Objects in scope stand before equal ones out of it. */
  readonly inScope: (node: GraphNode) => boolean;
  readonly rank: Ranker;
}

const SLICE = 8_000;
const FEW = 200;
const RANKED = 5_000;
const RANK_SLICE = 400;
const SHOWN = 200;

interface Candidate {
  readonly entry: SearchEntry;
  score: number;
}

/** Yields what it has after each slice, undefined where nothing new is to be shown. Returns every match. */
export function* search(
  request: SearchRequest,
): Generator<SearchProgress | undefined, SearchEntry[] | undefined> {
  const { query, rank } = request;
  while (!request.index.build(SLICE)) yield undefined;
  const entries = request.narrowed ?? request.index.entries();
  const terms = searchTerms(query);
  const matched: SearchEntry[] = [];
  const buckets: SearchEntry[][] = [];
  const rest: SearchEntry[] = [];
  for (let at = 0; at < entries.length; at += SLICE) {
    const end = Math.min(at + SLICE, entries.length);
    for (let i = at; i < end; i++) {
      const entry = entries[i];
      if (entry === undefined) continue;
      if (!includesAll(entry.line, terms)) rest.push(entry);
      else {
        matched.push(entry);
        (buckets[rankOf(entry, terms, request)] ??= []).push(entry);
      }
    }
    if (end < entries.length) yield undefined;
  }
  const literal = matched.length;
  if (literal > 0) yield progress(best(buckets), matched.length, false);
  if (literal < FEW) {
    for (let at = 0; at < rest.length; at += SLICE) {
      const end = Math.min(at + SLICE, rest.length);
      for (let i = at; i < end; i++) {
        const entry = rest[i];
        if (entry !== undefined && subsequenceAll(entry.line, terms)) matched.push(entry);
      }
      yield undefined;
    }
  }
  // A literal hit beats every fuzzy one, so the fuzzy ones are ranked among themselves.
  const quick = best(buckets);
  const fuzzy = matched.slice(literal, literal + RANKED);
  const ranked: Candidate[] = [];
  for (let at = 0; at < fuzzy.length; at += RANK_SLICE) {
    const part = fuzzy.slice(at, at + RANK_SLICE);
    for (const { index, score } of rank(
      part.map(entry => entry.line),
      query.trim().toLowerCase(),
    )) {
      const entry = part[index];
      if (entry !== undefined) ranked.push({ entry, score });
    }
    yield undefined;
  }
  // fuse.js looks for a similar stretch of text; letters that are far apart are a match all the same.
  if (ranked.length === 0)
    for (const entry of fuzzy) ranked.push({ entry, score: spread(entry.line, terms) });
  ranked.sort((a, b) => a.score - b.score || a.entry.line.length - b.entry.line.length);
  const found = ranked.map(candidate => candidate.entry);
  yield progress([...quick, ...found].slice(0, SHOWN), literal + found.length, true);
  // Where the letters weren't looked for, a longer query may still match by them elsewhere.
  return literal < FEW ? matched : undefined;
}

function progress(entries: readonly SearchEntry[], total: number, done: boolean): SearchProgress {
  return { hits: entries.map(({ node }) => ({ node, title: objectTitle(node.identity) })), total, done };
}

/** Over how many characters the letters of the terms are spread. */
function spread(line: string, terms: readonly string[]): number {
  return terms.reduce((sum, term) => {
    const begin = line.indexOf(term[0] ?? '');
    let at = begin - 1;
    for (const character of term) at = line.indexOf(character, at + 1);
    return sum + at - begin;
  }, 0);
}

/** Rank of a literal hit: the whole name, the kind, the name's beginning, within the name, elsewhere. */
function rankOf(entry: SearchEntry, terms: readonly string[], { inScope }: SearchRequest): number {
  const last = terms.at(-1) ?? '';
  const { line } = entry;
  const name = Math.max(line.lastIndexOf(' '), line.lastIndexOf('/')) + 1;
  const at = line.indexOf(last, name);
  const whole = line.length - name === last.length;
  const isKind = (): boolean => line.startsWith(`${last} `) || line.includes(` ${last} `);
  const rank = at === name ? (whole ? 0 : 2) : isKind() ? 1 : at > name ? 3 : 4;
  return rank * 2 + (inScope(entry.node) ? 0 : 1);
}

/** The first of the best ranks; among equals the shortest. Of a rank that is very full, whichever came first. */
function best(buckets: readonly (readonly SearchEntry[] | undefined)[]): SearchEntry[] {
  const out: SearchEntry[] = [];
  for (const bucket of buckets) {
    if (bucket === undefined) continue;
    const sorted = bucket
      .slice(0, RANKED)
      .sort((a, b) => a.line.length - b.line.length || (a.line < b.line ? -1 : 1));
    out.push(...sorted.slice(0, SHOWN - out.length));
    if (out.length >= SHOWN) break;
  }
  return out;
}

type Found = Extract<Message, { type: 'found' }>;

/** A longer query goes on from what the shorter one found. */
export class SearchRunner {
  readonly #loadRanker: Ports['loadRanker'];
  readonly #dispatch: (found: Found) => void;
  readonly #work: SlicedWork;
  #narrowed:
    | { readonly query: string; readonly entries: readonly SearchEntry[]; revision: number }
    | undefined;
  #ranker: Ranker | undefined;

  constructor(ports: Pick<Ports, 'now' | 'soon' | 'loadRanker'>, dispatch: (found: Found) => void) {
    this.#loadRanker = () => ports.loadRanker();
    this.#dispatch = dispatch;
    this.#work = new SlicedWork(ports);
  }

  /** Ends the search; the next one begins from scratch. */
  stop(): void {
    this.#work.stop();
    this.#narrowed = undefined;
  }

  search({ cluster, revision }: State, query: string): void {
    this.#work.stop();
    if (cluster === undefined) return;
    if (this.#ranker === undefined) {
      void this.#loadRanker().then(ranker => {
        this.#ranker = ranker;
      });
    }
    const narrowed = this.#narrowed;
    const continues = narrowed?.revision === revision && query.startsWith(narrowed.query);
    const steps = search({
      index: cluster.searchIndex,
      narrowed: continues ? narrowed.entries : undefined,
      query,
      inScope: node => cluster.inScope(node),
      rank: (lines, words) =>
        this.#ranker?.(lines, words) ?? lines.map((_, index) => ({ index, score: index })),
    });
    this.#work.start(() => {
      const step = steps.next();
      if (step.done === true)
        this.#narrowed = step.value === undefined ? undefined : { query, entries: step.value, revision };
      else if (step.value !== undefined) this.#dispatch({ type: 'found', query, ...step.value });
      return step.done === true;
    });
  }
}

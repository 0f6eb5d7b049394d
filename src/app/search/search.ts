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

const SLICE = 1_000;
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
  const terms = searchTerms(query);
  // What comes meanwhile doesn't keep the search from ending.
  const entries = request.narrowed ?? request.index;
  const most = request.narrowed?.length ?? request.index.size;
  const few: SearchEntry[] = [];
  const buckets: SearchEntry[][] = [];
  let literal = 0;
  let looked = 0;
  for (const entry of entries) {
    if (looked++ === most) break;
    if (looked % SLICE === 0) yield undefined;
    if (!includesAll(entry.line, terms)) continue;
    if (literal++ < FEW) few.push(entry);
    const bucket = (buckets[rankOf(entry, terms, request)] ??= []);
    if (bucket.length < RANKED) bucket.push(entry);
  }
  const quick = best(buckets);
  if (literal > 0) yield progress(quick, literal, false);
  const loose: SearchEntry[] = [];
  if (literal < FEW) {
    looked = 0;
    for (const entry of entries) {
      if (looked++ === most) break;
      if (looked % SLICE === 0) yield undefined;
      if (subsequenceAll(entry.line, terms) && !includesAll(entry.line, terms)) loose.push(entry);
    }
    yield undefined;
  }
  // A literal hit beats every fuzzy one, so the fuzzy ones are ranked among themselves.
  const fuzzy = loose.slice(0, RANKED);
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
  return literal < FEW ? [...few, ...loose] : undefined;
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
    out.push(...shortest(bucket, SHOWN - out.length));
    if (out.length >= SHOWN) break;
  }
  return out;
}

/** The first `count` of them in order. To sort thousands for that would keep a key waiting. */
function shortest(entries: readonly SearchEntry[], count: number): SearchEntry[] {
  const chosen: SearchEntry[] = [];
  for (const entry of entries) {
    const last = chosen[count - 1];
    if (last !== undefined && compareLines(entry, last) >= 0) continue;
    let at = 0;
    for (let end = chosen.length; at < end; ) {
      const middle = (at + end) >> 1;
      const other = chosen[middle];
      if (other !== undefined && compareLines(other, entry) <= 0) at = middle + 1;
      else end = middle;
    }
    chosen.splice(at, 0, entry);
    if (chosen.length > count) chosen.pop();
  }
  return chosen;
}

function compareLines({ line: a }: SearchEntry, { line: b }: SearchEntry): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
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

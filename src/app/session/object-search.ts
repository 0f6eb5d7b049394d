/** Searches everything in steps: names first, at once, then surroundings and similar words (`terms.ts`). */

import type { GraphNode } from '../../graph/index.ts';
import { objectTitle, shownName, Vocabulary } from '../../model/index.ts';
import type { Ports } from '../background/ports.ts';
import { SlicedWork } from '../background/sliced-work.ts';
import type { SearchIndex } from '../search/node-index.ts';
import { type SearchEntry, Terms } from '../search/terms.ts';
import type { Message } from '../state/messages.ts';
import type { SearchHit, State } from '../state/state.ts';

export interface SearchProgress {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly done: boolean;
}

export interface SearchRequest {
  readonly index: SearchIndex;
  /** Matches of a shorter query that this one continues: nothing else can match. */
  readonly narrowed: readonly SearchEntry[] | undefined;
  readonly query: string;
  /** Filled by the first search that needs it. */
  readonly vocabulary: { words?: Vocabulary };
  /** Objects in scope stand before equal ones out of it. */
  readonly inScope: (node: GraphNode) => boolean;
}

const SLICE = 1_000;
const FEW = 200;
const RANKED = 5_000;
const SHOWN = 200;
/** Entries searched before matches are shown. */
const TOLD = 10_000;

interface Candidate {
  readonly entry: SearchEntry;
  /** Lower is better. */
  readonly score: number;
}

/** Yields after each slice, undefined without news; returns every match. */
export function* search(
  request: SearchRequest,
): Generator<SearchProgress | undefined, SearchEntry[] | undefined> {
  const { index, narrowed } = request;
  while (!index.build(SLICE)) yield undefined;
  const terms = new Terms(request.query);
  const literal: SearchEntry[] = [];
  const buckets: SearchEntry[][] = [];
  let count = 0;
  for (const entry of sliced(narrowed ?? index, narrowed?.length ?? index.size)) {
    if (entry === undefined) {
      yield undefined;
      continue;
    }
    if (!terms.areIn(entry.line)) continue;
    if (count++ < RANKED) literal.push(entry);
    const bucket = (buckets[rankOf(entry, terms.words, request)] ??= []);
    if (bucket.length < RANKED) bucket.push(entry);
  }
  const quick = best(buckets);
  const told = (more: readonly Candidate[], total: number, done: boolean): SearchProgress =>
    progress([...quick, ...sorted(more)].slice(0, SHOWN), terms, total, done);
  if (count > 0) yield told([], count, false);
  const isLike = count < FEW;
  if (isLike) yield* terms.learnSimilar((request.vocabulary.words ??= yield* vocabularyOf(index)));
  // Below matches in names come matches in other fields and, if these are few, similar words.
  const around: Candidate[] = [];
  let found = 0;
  let looked = 0;
  let shown = 0;
  const add = (entry: SearchEntry, score: number): void => {
    found += 1;
    if (around.length < RANKED)
      around.push({ entry, score: score * 2 + (request.inScope(entry.node) ? 0 : 1) });
  };
  for (const entry of sliced(index, index.size)) {
    if (++looked % TOLD === 0 && found > shown) {
      shown = found;
      yield told(around, count + found, false);
    }
    if (entry === undefined) {
      yield undefined;
      continue;
    }
    if (terms.areIn(entry.line)) continue;
    const score = isLike ? terms.areLike(entry) : terms.areAround(entry);
    if (score !== undefined) add(entry, score);
  }
  yield told(around, count + found, true);
  // A longer query can only match entries that the shorter one matches.
  return count <= RANKED ? literal : undefined;
}

function* vocabularyOf(index: SearchIndex): Generator<undefined, Vocabulary> {
  const vocabulary = new Vocabulary();
  for (const entry of sliced(index, index.size)) {
    if (entry === undefined) yield undefined;
    else vocabulary.add(entry.line);
  }
  return vocabulary;
}

/** The first `most` of the entries, with a pause after each slice: what comes meanwhile doesn't keep the search from ending. */
function* sliced(entries: Iterable<SearchEntry>, most: number): Generator<SearchEntry | undefined> {
  let looked = 0;
  for (const entry of entries) {
    if (looked++ === most) return;
    if (looked % SLICE === 0) yield undefined;
    yield entry;
  }
}

function sorted(candidates: readonly Candidate[]): SearchEntry[] {
  return [...candidates]
    .sort((a, b) => a.score - b.score || compareLines(a.entry, b.entry))
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

function progress(
  entries: readonly SearchEntry[],
  terms: Terms,
  total: number,
  done: boolean,
): SearchProgress {
  const hits = entries.map(({ node }) => {
    const title = objectTitle(node.identity);
    const besides = terms.besides(node, title).map(({ of, text }) => `${of} ${shownName(text)}`);
    return { node, title, places: terms.placesIn(title), besides: [...new Set(besides)].join(', ') };
  });
  return { hits, total, done };
}

/** Ranks a literal hit: whole name, kind, name's beginning, within the name, elsewhere. */
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

/** Returns the best ranks, the shortest first; from a full rank, the first found. */
function best(buckets: readonly (readonly SearchEntry[] | undefined)[]): SearchEntry[] {
  const out: SearchEntry[] = [];
  for (const bucket of buckets) {
    if (bucket === undefined) continue;
    out.push(...shortest(bucket, SHOWN - out.length));
    if (out.length >= SHOWN) break;
  }
  return out;
}

/** Selects the first `count` in order: sorting thousands would delay a key. */
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

/** Continues a shorter query's results. */
export class SearchRunner {
  readonly #dispatch: (found: Found) => void;
  readonly #work: SlicedWork;
  /** Built by the first search that looks for similar words. */
  #vocabulary: SearchRequest['vocabulary'] = {};
  #narrowed:
    | { readonly query: string; readonly entries: readonly SearchEntry[]; revision: number }
    | undefined;

  constructor(ports: Pick<Ports, 'now' | 'soon'>, dispatch: (found: Found) => void) {
    this.#dispatch = dispatch;
    this.#work = new SlicedWork(ports);
  }

  /** Ends the search; the next one starts from scratch. */
  stop(): void {
    this.#work.stop();
    this.#narrowed = undefined;
    this.#vocabulary = {};
  }

  search({ cluster, revision }: State, query: string): void {
    this.#work.stop();
    if (cluster === undefined) return;
    const narrowed = this.#narrowed;
    const continues = narrowed?.revision === revision && query.startsWith(narrowed.query);
    const steps = search({
      index: cluster.searchIndex,
      narrowed: continues ? narrowed.entries : undefined,
      query,
      vocabulary: this.#vocabulary,
      inScope: node => cluster.inScope(node),
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

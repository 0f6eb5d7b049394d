/**
 * Reads, after each message, what is shown beside what is watched: in the details of the object under the cursor, and as
 * the state of the rows of custom resources.
 */
import { Facts, type KubeObject, type ResourceType } from '../../model/index.ts';
import { printedColumns, type Source, wholeReads } from '../../source/index.ts';
import { type Line, stateWords } from '../../text/index.ts';
import { isInDetails, layoutOf, listHeight } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

/** Milliseconds between requests, also for a passing cursor or a busy object. */
const PAUSE_MS = 500;
/** Milliseconds between requests for rows, several of which may be busy. */
const ROWS_PAUSE_MS = 2_000;
/** Maximum number of objects to read for a focused object: their lists are JSON. */
const MOST_READ = 2_000;
/** Maximum number of kinds of rows to read at a time, and of changed objects. */
const MOST_KINDS = 4;
const MOST_CHANGED = 3;
/** Milliseconds until the users of an object are read again. */
const USES_MS = 60_000;

export interface DetailReadsOptions {
  readonly now: () => number;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
  readonly describe: (error: unknown) => string;
  readonly dispatch: (message: Extract<Message, { type: 'printed' | 'rowStates' | 'uses' }>) => void;
}

interface Read {
  /** Changes as soon as the answer may be another one. */
  readonly key: string;
  readonly read: () => Promise<Parameters<DetailReadsOptions['dispatch']>[0]>;
}

type Wanted = (state: State, source: Source, options: DetailReadsOptions) => Read | undefined;

export class DetailReads {
  readonly #readers: readonly DetailReader[];

  constructor(options: DetailReadsOptions) {
    this.#readers = [
      new DetailReader(options, columns),
      new DetailReader(options, rowStates, ROWS_PAUSE_MS),
      new DetailReader(options, uses),
    ];
  }

  follow(): void {
    for (const reader of this.#readers) reader.follow();
  }
}

class DetailReader {
  readonly #options: DetailReadsOptions;
  readonly #wanted: Wanted;
  readonly #pause: number;
  #asked = '';
  #askedOf: Source | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DetailReadsOptions, wanted: Wanted, pause = PAUSE_MS) {
    this.#options = options;
    this.#wanted = wanted;
    this.#pause = pause;
  }

  follow(): void {
    const { getState, source: sourceOf, now, dispatch } = this.#options;
    if (now() - this.#askedAt < this.#pause) return;
    const state = getState();
    const source = sourceOf();
    const wanted = source && this.#wanted(state, source, this.#options);
    if (wanted === undefined) return;
    const { key } = wanted;
    if (key === this.#asked && source === this.#askedOf) return;
    this.#asked = key;
    this.#askedOf = source;
    this.#askedAt = now();
    void wanted.read().then(
      message => {
        if (key === this.#asked) dispatch(message);
      },
      // A source that fails shows no columns.
      () => undefined,
    );
  }
}

/** Reads the printer columns of a custom resource. */
function columns(state: State, source: Source): Read | undefined {
  const object = layoutOf(state).details === undefined ? undefined : currentNode(state)?.object;
  const type = definitionsIn(state);
  if (object === undefined || type === undefined || !Facts.areOfState(object.type)) return undefined;
  const { uid, resourceVersion } = object;
  return {
    key: `${uid} ${resourceVersion}`,
    read: async () => {
      const found = await printedColumns(wholeReads(source), type, [object]);
      const texts = (found.get(uid) ?? []).map(({ text }) => text);
      return { type: 'printed', printed: { uid, resourceVersion, columns: texts } };
    },
  };
}

function definitionsIn({ cluster }: State): ResourceType | undefined {
  return cluster?.view.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
}

/**
 * Reads the states that definitions print for the shown rows of custom resources whose status says nothing itself: once
 * for all objects of their kinds, which have at most 1,000 if their status is known, then for shown objects that change.
 */
function rowStates(state: State, source: Source): Read | undefined {
  const { cluster, view, tree, rowStates: known } = state;
  const type = definitionsIn(state);
  const isLive = source.info.source === 'cluster' || source.info.source === 'demo';
  if (cluster === undefined || type === undefined || view !== 'tree' || !isLive) return undefined;
  const isSilent = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined && object.deletionTimestamp === undefined && stateWords.isSilent(object);
  const shown = cluster.rows
    .window(tree.top, listHeight(state))
    .flatMap(item => (item.kind === 'object' && isSilent(item.node.object) ? item.node.object : []));
  const kinds = new Set(shown.filter(({ uid }) => !known.has(uid)).map(each => each.type));
  const changed = shown.filter(each => known.get(each.uid)?.resourceVersion !== each.resourceVersion);
  const wanted =
    kinds.size === 0
      ? changed.slice(0, MOST_CHANGED)
      : [...kinds]
          .slice(0, MOST_KINDS)
          .flatMap(kind =>
            [...cluster.view.graph.ofType(kind)].flatMap(node =>
              isSilent(node.object) && cluster.inScope(node) ? node.object : [],
            ),
          );
  if (wanted.length === 0) return undefined;
  return {
    key: wanted.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`).join(),
    read: async () => {
      // Objects that can't be read have no state.
      const found = await printedColumns(wholeReads(source), type, wanted).catch(() => undefined);
      const states = wanted.map(({ uid, resourceVersion }) => {
        const text = found?.get(uid)?.find(({ isState }) => isState)?.text ?? '';
        return [uid, { resourceVersion, text }] as const;
      });
      return { type: 'rowStates', states: new Map(states) };
    },
  };
}

/** Reads what uses an object and what it uses, only for details that have the focus: it takes several lists. */
function uses(state: State, source: Source, { now, describe }: DetailReadsOptions): Read | undefined {
  const node = currentNode(state);
  const { cluster, graphComplete } = state;
  if (cluster === undefined || !node?.object || !graphComplete || !isInDetails(state)) return undefined;
  if (layoutOf(state).details === undefined) return undefined;
  const { uid, resourceVersion } = node.object;
  return {
    key: `${uid} ${resourceVersion} ${Math.floor(now() / USES_MS)}`,
    read: async () => {
      const { usesOf } = await import('./object-documents.ts');
      const lines = await usesOf(source, cluster.view, node, MOST_READ).catch(
        (error: unknown): readonly Line[] => [
          [{ text: 'Used by', style: 'title' }],
          [{ text: `  ${describe(error)}`, style: 'danger' }],
        ],
      );
      return { type: 'uses', uses: { uid, lines } };
    },
  };
}

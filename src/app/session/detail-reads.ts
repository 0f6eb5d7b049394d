/** Reads, after each message, what the details of the object under the cursor show beside what is watched. */
import { Facts } from '../../model/index.ts';
import { printedColumns, type Source, wholeReads } from '../../source/index.ts';
import type { Line } from '../../text/index.ts';
import { isInDetails, layoutOf } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

/** Milliseconds between requests, also for a passing cursor or a busy object. */
const PAUSE_MS = 500;
/** Maximum number of objects to read for a focused object: their lists are JSON. */
const MOST_READ = 2_000;
/** Milliseconds until the users of an object are read again. */
const USES_MS = 60_000;

export interface DetailReadsOptions {
  readonly now: () => number;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
  readonly describe: (error: unknown) => string;
  readonly dispatch: (message: Extract<Message, { type: 'printed' | 'uses' }>) => void;
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
    this.#readers = [columns, uses].map(wanted => new DetailReader(options, wanted));
  }

  follow(): void {
    for (const reader of this.#readers) reader.follow();
  }
}

class DetailReader {
  readonly #options: DetailReadsOptions;
  readonly #wanted: Wanted;
  #asked = '';
  #askedOf: Source | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DetailReadsOptions, wanted: Wanted) {
    this.#options = options;
    this.#wanted = wanted;
  }

  follow(): void {
    const { getState, source: sourceOf, now, dispatch } = this.#options;
    const state = getState();
    const source = sourceOf();
    const wanted = source && this.#wanted(state, source, this.#options);
    if (wanted === undefined || layoutOf(state).details === undefined) return;
    const { key } = wanted;
    if ((key === this.#asked && source === this.#askedOf) || now() - this.#askedAt < PAUSE_MS) return;
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
  const object = currentNode(state)?.object;
  const type = state.cluster?.view.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
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

/** Reads what uses an object and what it uses, only for details that have the focus: it takes several lists. */
function uses(state: State, source: Source, { now, describe }: DetailReadsOptions): Read | undefined {
  const node = currentNode(state);
  const { cluster, graphComplete } = state;
  if (cluster === undefined || !node?.object || !graphComplete || !isInDetails(state)) return undefined;
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

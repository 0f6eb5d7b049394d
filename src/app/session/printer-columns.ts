/** Reads, after each message, what the definition of the custom resource under the cursor prints, if it may have changed. */
import { Facts } from '../../model/index.ts';
import { printedColumns, type Source, wholeReads } from '../../source/index.ts';
import { layoutOf } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

/** Milliseconds between requests, also for a passing cursor or a busy object. */
const PAUSE_MS = 500;

export interface ColumnsRunnerOptions {
  readonly now: () => number;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
  readonly dispatch: (message: Extract<Message, { type: 'printed' }>) => void;
}

export class ColumnsRunner {
  readonly #options: ColumnsRunnerOptions;
  #asked = '';
  #askedOf: Source | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ColumnsRunnerOptions) {
    this.#options = options;
  }

  follow(): void {
    const { getState, source: sourceOf, now, dispatch } = this.#options;
    const state = getState();
    const source = sourceOf();
    const object = currentNode(state)?.object;
    if (source === undefined || object === undefined || !Facts.areOfState(object.type)) return;
    const { uid, resourceVersion } = object;
    const asked = `${uid} ${resourceVersion}`;
    if (layoutOf(state).details === undefined || (asked === this.#asked && source === this.#askedOf)) return;
    if (now() - this.#askedAt < PAUSE_MS) return;
    const { catalog } = state.cluster?.view ?? {};
    const type = catalog?.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    if (type === undefined) return;
    this.#asked = asked;
    this.#askedOf = source;
    this.#askedAt = now();
    void printedColumns(wholeReads(source), type, [object]).then(
      found => {
        const columns = (found.get(uid) ?? []).map(({ text }) => text);
        if (asked === this.#asked) dispatch({ type: 'printed', printed: { uid, resourceVersion, columns } });
      },
      // A source that fails shows no columns.
      () => undefined,
    );
  }
}

/** Looks up objects that are referred to but not listed, the one under the cursor first. Runs after each message. */

import type { LookUp } from '../../model/index.ts';
import type { Source } from '../../source/index.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

/** Milliseconds between requests; the screen's clock calls again every second. */
const PAUSE_MS = 500;

export interface LookUpRunnerOptions {
  readonly now: () => number;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
}

export class LookUpRunner {
  readonly #options: LookUpRunnerOptions;
  #asked: readonly unknown[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LookUpRunnerOptions) {
    this.#options = options;
  }

  follow(): void {
    const state = this.#options.getState();
    const { cluster, graphComplete } = state;
    const source = this.#options.source();
    if (source?.lookUp === undefined || cluster === undefined || !graphComplete) return;
    const asked = [
      cluster,
      cluster.view.absences.revision,
      cluster.problems?.diagnosis.assumptionsRevision ?? 0,
      currentNode(state)?.uid,
    ];
    if (asked.every((part, i) => i in this.#asked && part === this.#asked[i])) return;
    const now = this.#options.now();
    if (now - this.#askedAt < PAUSE_MS) return;
    this.#askedAt = now;
    this.#asked = asked;
    source.lookUp(wantedOn(state, cluster), { urgent: false });
  }
}

function* wantedOn(state: State, { view, problems }: ClusterModel): IterableIterator<LookUp> {
  const node = currentNode(state);
  if (node !== undefined && problems?.covers(node.identity) === true)
    yield* problems.diagnostics.explain(problems.diagnosis, node).assumed;
  yield* view.absences.unconfirmed();
  if (problems !== undefined) yield* problems.diagnosis.assumptions();
}

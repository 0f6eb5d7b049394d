/**
 * Runs searches in slices between which input is looked at, one at a time, and lets a longer query go on from what
 * the shorter one found.
 */

import type { Cancel, Ports } from '../session/ports.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import type { SearchEntry } from './index.ts';
import { type Ranker, search } from './search.ts';

/** How long a search may keep input waiting. */
const SLICE_MS = 6;

type Found = Extract<Message, { type: 'found' }>;

export class SearchRunner {
  readonly #ports: Pick<Ports, 'now' | 'soon' | 'loadRanker'>;
  readonly #tell: (found: Found) => void;
  #searching: Cancel | undefined;
  #number = 0;
  #narrowed:
    | { readonly query: string; readonly entries: readonly SearchEntry[]; revision: number }
    | undefined;
  #ranker: Ranker | undefined;

  constructor(ports: Pick<Ports, 'now' | 'soon' | 'loadRanker'>, tell: (found: Found) => void) {
    this.#ports = ports;
    this.#tell = tell;
  }

  stop(): void {
    this.#number += 1;
    this.#searching?.();
    this.#searching = undefined;
  }

  /** Ends the search, and what it found isn't needed for the next one. */
  forget(): void {
    this.stop();
    this.#narrowed = undefined;
  }

  search({ cluster, revision }: State, query: string): void {
    this.stop();
    const number = this.#number;
    if (cluster === undefined) return;
    if (this.#ranker === undefined) {
      void this.#ports.loadRanker().then(ranker => {
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
    const work = (): void => {
      const until = this.#ports.now() + SLICE_MS;
      do {
        const step = steps.next();
        if (number !== this.#number) return;
        if (step.done === true) {
          this.#narrowed = step.value === undefined ? undefined : { query, entries: step.value, revision };
          return;
        }
        if (step.value !== undefined) this.#tell({ type: 'found', query, ...step.value });
      } while (this.#ports.now() < until);
      this.#searching = this.#ports.soon(work);
    };
    this.#searching = this.#ports.soon(work);
  }
}

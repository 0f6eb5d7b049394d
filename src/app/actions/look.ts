/**
 * What a choice in a list would do, painted on the tree while the cursor is on it: forecast when the cursor comes to it, in
 * slices, so that the next key needn't wait, and again where the cluster changes meanwhile.
 */
import type { Intent } from '../../actions/prepare/intent.ts';
import type { Prepared } from '../../actions/prepare/prepare.ts';
import { promisesTheSame } from '../../actions/prepare/promise.ts';
import { paintingOf } from '../painting/make.ts';
import { NOTHING_PAINTED, type Painting } from '../painting/painting.ts';
import { type ActionCluster, type DialogPort, TOGETHER } from './context.ts';

/** Rejects with what the forecast throws. */
export type IntentOf = (id: string) => Promise<Intent | undefined>;

export class Looker {
  readonly #cluster: ActionCluster;
  readonly #dialog: DialogPort;
  readonly #intentOf: IntentOf;
  readonly #paintings = new Map<string, Painting>();
  /** What the paintings were made of, by id. */
  readonly #prepared = new Map<string, Prepared | undefined>();
  readonly #failure: Promise<never>;
  #fail: (error: unknown) => void = () => {};
  #looking: AbortController | undefined;

  constructor(cluster: ActionCluster, dialog: DialogPort, intentOf: IntentOf) {
    this.#cluster = cluster;
    this.#dialog = dialog;
    this.#intentOf = intentOf;
    this.#failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failure.catch(() => {});
  }

  /** Resolves with the choice, and until then paints what the cursor is on. Rejects where a forecast fails. */
  async during(choice: Promise<string | undefined>, first: string | undefined): Promise<string | undefined> {
    this.#dialog.onLook = id => this.#look(id);
    if (first !== undefined) this.#look(first);
    try {
      return await Promise.race([choice, this.#failure]);
    } finally {
      this.#dialog.onLook = undefined;
      this.#looking?.abort();
    }
  }

  #look(id: string): void {
    this.#looking?.abort();
    const looking = new AbortController();
    this.#looking = looking;
    const { signal } = looking;
    this.#follow(id, signal).catch((error: unknown) => {
      if (!signal.aborted && !this.#dialog.closed) this.#fail(error);
    });
  }

  async #follow(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const began = this.#cluster.now();
      await this.#forecast(id, signal);
      // What takes long is made less often, so that most of the time is left for keys.
      const pause = Math.max(TOGETHER, 4 * (this.#cluster.now() - began));
      if (!(await this.#cluster.hasChanged(pause, signal)) || this.#dialog.closed) return;
    }
  }

  async #forecast(id: string, signal: AbortSignal): Promise<void> {
    // The next key may be about another one.
    await this.#cluster.yieldToInput();
    if (signal.aborted) return;
    const intent = await this.#intentOf(id);
    if (signal.aborted) return;
    const prepared = intent && (await this.#cluster.prepare(intent, signal));
    if (signal.aborted) return;
    if (this.#paintings.has(id) && isSame(this.#prepared.get(id), prepared)) return;
    this.#prepared.set(id, prepared);
    this.#paintings.set(id, prepared === undefined ? NOTHING_PAINTED : paintingOf(prepared.forecast));
    this.#dialog.show({ paintings: new Map(this.#paintings) });
  }
}

function isSame(before: Prepared | undefined, now: Prepared | undefined): boolean {
  return before === undefined || now === undefined ? before === now : promisesTheSame(before, now);
}

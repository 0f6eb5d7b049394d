/** Paints the effects of the choice under the cursor: forecasts it in slices, and again when the cluster changes. */
import { type Intent, type Prepared, promises } from '../../actions/index.ts';
import { paintingOf } from '../painting/make.ts';
import { NOTHING_PAINTED, type Painting } from '../painting/painting.ts';
import { type ActionCluster, type DialogPort, TOGETHER } from './context.ts';

/** Rejects with the forecast's error. */
export type IntentOf = (id: string) => Promise<Intent | undefined>;

export class Looker {
  readonly #cluster: ActionCluster;
  readonly #dialog: DialogPort;
  readonly #intentOf: IntentOf;
  readonly #paintings = new Map<string, Painting>();
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

  /** Paints until the choice is made and resolves with it; rejects if a forecast fails. */
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
      // Slow forecasts come less often, leaving most of the time for keys.
      const pause = Math.max(TOGETHER, 4 * (this.#cluster.now() - began));
      if (!(await this.#cluster.hasChanged(pause, signal)) || this.#dialog.closed) return;
    }
  }

  async #forecast(id: string, signal: AbortSignal): Promise<void> {
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
  return before === undefined || now === undefined ? before === now : promises.areSame(before, now);
}

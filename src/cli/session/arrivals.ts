/** What a source delivers while a command watches, handed over in steps: for `check --watch` and `podgc --watch`. */
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { Io } from '../runtime/io.ts';
import type { ClusterSession } from './session.ts';

// What happens within this time is one change.
const QUIET_MILLISECONDS = 200;
// setTimeout's longest.
const LONGEST_WAIT = 2 ** 31 - 1;

export class Arrivals {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #batches: SourceBatch[];
  #wake: () => void = () => {};

  /** From here on batches go here and not into the view. `pending`: those that came before. */
  constructor(session: ClusterSession, io: Io, pending: readonly SourceBatch[]) {
    this.#session = session;
    this.#io = io;
    this.#batches = [...pending];
    session.listen(batch => {
      this.#batches.push(batch);
      this.#wake();
    });
  }

  /**
   * What arrived since the last call, once it has been quiet for a moment; nothing where `milliseconds` passed
   * first. Rejects with `Interrupted` at Ctrl-C.
   */
  async next(milliseconds: number): Promise<readonly SourceBatch[]> {
    if (this.#batches.length === 0) {
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const over = new AbortController();
      const passed = this.#io.pause(Math.min(LONGEST_WAIT, Math.max(0, milliseconds)), over.signal);
      await this.#session.until(Promise.race([arrived, passed])).finally(() => over.abort());
    }
    if (this.#batches.length > 0) await this.#session.until(this.#io.pause(QUIET_MILLISECONDS));
    this.#session.tellWarnings();
    return this.#batches.splice(0);
  }
}

/** What a source delivers while a command watches, handed over in steps: for `check --watch` and `podgc --watch`. */
import type { SourceBatch } from '../model/changes.ts';
import type { Session } from './session.ts';

// What happens within this time is one change.
const QUIET_MILLISECONDS = 200;
// setTimeout's longest.
const LONGEST_WAIT = 2 ** 31 - 1;

export class Arrivals {
  readonly #session: Session;
  readonly #batches: SourceBatch[];
  #wake: () => void = () => {};

  /** From here on batches go here and not into the view. `pending`: those that came before. */
  constructor(session: Session, pending: readonly SourceBatch[]) {
    this.#session = session;
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
      let timer: NodeJS.Timeout | undefined;
      await this.#session
        .until(
          new Promise<void>(resolve => {
            this.#wake = resolve;
            timer = setTimeout(resolve, Math.min(LONGEST_WAIT, Math.max(0, milliseconds)));
          }),
        )
        .finally(() => clearTimeout(timer));
    }
    if (this.#batches.length > 0) await this.#session.until(quiet());
    this.#session.tellWarnings();
    return this.#batches.splice(0);
  }
}

function quiet(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, QUIET_MILLISECONDS));
}

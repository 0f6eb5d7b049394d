/**
 * The terminal that a person sits at, as a source may use it to let somebody log in. Who else draws there or reads
 * what is typed knows of it, so that they never do so at the same time.
 */
export interface PersonsTerminal {
  /** Nobody draws there or waits for an answer: it can be had without taking it from anybody. */
  readonly isFree: boolean;
  /**
   * Runs `use` as soon as nobody else draws there or reads what is typed; `write` is how to draw meanwhile. Undefined
   * where it cannot be had: a question waits for its answer. Rejects as `use` does, or where whoever had it has gone.
   */
  lend<T>(use: (write: (text: string) => void) => Promise<T>): Promise<T> | undefined;
}

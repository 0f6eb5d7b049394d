/** Runs one task at a time, with a limit on waiting tasks. */
export class BoundedQueue {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Settles as `work` does; undefined if too many tasks wait. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#waiting > this.#most) return undefined;
    this.#waiting += 1;
    const done = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

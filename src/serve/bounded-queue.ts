/** One thing at a time, and only so many that wait for their turn. */
export class BoundedQueue {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves and rejects as `work` does; undefined, and nothing done, where too many wait. */
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

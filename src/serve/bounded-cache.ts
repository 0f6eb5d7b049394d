/** Answers of others, kept for a while and up to a number: the oldest makes room, and whoever asks meanwhile waits for the same. */

interface Kept<V> {
  readonly value: Promise<V>;
  /** Milliseconds on the clock of the cache; infinite until it has arrived. */
  until: number;
}

export class BoundedCache<V> {
  readonly #kept = new Map<string, Kept<V>>();
  readonly #most: number;
  readonly #now: () => number;
  readonly #keepMs: (value: V) => number;

  /** `keepMs`: for how many milliseconds an answer holds. A failure is never kept. */
  constructor(options: {
    readonly most: number;
    readonly now: () => number;
    readonly keepMs: (value: V) => number;
  }) {
    this.#most = options.most;
    this.#now = options.now;
    this.#keepMs = options.keepMs;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Rejects as `make` does. */
  get(key: string, make: () => Promise<V>): Promise<V> {
    const known = this.#kept.get(key);
    if (known !== undefined && this.#now() < known.until) return known.value;
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= this.#most && oldest !== undefined) this.#kept.delete(oldest);
    const kept: Kept<V> = { value: make(), until: Number.POSITIVE_INFINITY };
    this.#kept.set(key, kept);
    kept.value.then(
      value => {
        kept.until = this.#now() + this.#keepMs(value);
      },
      () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
      },
    );
    return kept.value;
  }
}

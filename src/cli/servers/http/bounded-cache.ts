/** A cache of pending and resolved answers with a size limit: the oldest entry is dropped first. */

interface Kept<V> {
  readonly value: Promise<V>;
  /** On the cache's clock in milliseconds; infinite while pending. */
  until: number;
}

export class BoundedCache<V> {
  readonly #kept = new Map<string, Kept<V>>();
  readonly #most: number;
  readonly #now: () => number;
  readonly #keepMs: (value: V) => number;

  /** `keepMs`: milliseconds for which an answer is kept. Failures aren't. */
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

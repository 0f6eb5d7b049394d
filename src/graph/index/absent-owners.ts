/** The collector's memory of owners that it has proven absent, so that it asks once and not per dependent. */
import type { Identity } from '../node.ts';

/** Size of the collector's cache (garbagecollector.go, v1.36). */
const ABSENT_OWNERS = 500;

/** Least recently used, keyed by the full identity; a read counts as use (docs/kubernetes.md §1.1). */
export class AbsentOwners {
  readonly #limit: number;
  readonly #entries = new Map<string, Identity>();

  constructor(limit: number = ABSENT_OWNERS) {
    this.#limit = limit;
  }

  add(identity: Identity): void {
    const key = keyOf(identity);
    this.#entries.delete(key);
    this.#entries.set(key, identity);
    if (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  /** The collector's own look-up: makes the entry the most recent one. */
  has(identity: Identity): boolean {
    const key = keyOf(identity);
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return true;
  }

  /** Looks without counting as use, for onlookers. */
  peek(identity: Identity): boolean {
    return this.#entries.size > 0 && this.#entries.has(keyOf(identity));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** From the least to the most recently used. */
  values(): IterableIterator<Identity> {
    return this.#entries.values();
  }
}

/** JSON, because nothing forbids a separator within a reference's name. */
function keyOf(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

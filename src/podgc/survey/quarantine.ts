/**
 * How long PodGC waits before it believes that a node is gone: the delaying queue of node names between the
 * cycle that misses a node and the one that acts (docs/kubernetes.md §7, orphaned pass). State of its own, because it
 * is all that the controller remembers from one cycle to the next, and what its restart loses.
 */

/** Milliseconds from missing a node first to acting on it (gc_controller.go, v1.36). */
export const QUARANTINE_MS = 40_000;

export class NodeQuarantine {
  /** Node name to the time in milliseconds at which its quarantine ends. */
  readonly #ends = new Map<string, number>();
  /** Names that were missed again after their quarantine had ended. */
  readonly #missedAgain = new Set<string>();
  readonly #duration: number;

  constructor(duration: number = QUARANTINE_MS) {
    this.#duration = duration;
  }

  /**
   * Notes that a pod names a node that the cache lacks. A quarantine under way isn't prolonged; one that has
   * ended, and whose name nobody has taken yet, is followed by another.
   */
  miss(nodeName: string, now: number): void {
    const end = this.#ends.get(nodeName);
    if (end === undefined) this.#ends.set(nodeName, now + this.#duration);
    else if (end <= now) this.#missedAgain.add(nodeName);
  }

  /** Names whose quarantine has ended, each once; those missed again meanwhile begin anew. */
  takeEnded(now: number): readonly string[] {
    const names: string[] = [];
    for (const [name, end] of this.#ends) {
      if (end > now) continue;
      names.push(name);
      if (this.#missedAgain.has(name)) this.#ends.set(name, now + this.#duration);
      else this.#ends.delete(name);
    }
    this.#missedAgain.clear();
    return names;
  }

  /** Names whose quarantine has ended by `now`. */
  endedBy(now: number): readonly string[] {
    return [...this.#ends].filter(([, end]) => end <= now).map(([name]) => name);
  }

  /** When a node's quarantine ends, in milliseconds; undefined where none is under way. */
  endOf(nodeName: string): number | undefined {
    return this.#ends.get(nodeName);
  }
}

/** PodGC's work as it is seen: when it was done last, and how long it took in the cycles before. */
import type { Span } from './cycle-times.ts';

/** Milliseconds without work after which the next is another cycle's: there are 20 s between two. */
const BURST_MS = 10_000;
/** Milliseconds that no cycle's work takes longer: what goes on for more isn't PodGC's. */
const LONGEST_MS = 600_000;

export class WorkSeen {
  private current: Span | undefined;
  /** How long the work of the cycle before took, in milliseconds. */
  private before = 0;

  /** Something was seen at `at`, in milliseconds since the epoch. */
  note(at: number): void {
    const { current } = this;
    if (current !== undefined && at - current.by < BURST_MS) {
      this.current = { from: current.from, by: at };
      return;
    }
    this.before = current === undefined ? 0 : current.by - current.from;
    this.current = { from: at, by: at };
  }

  /** The work of the latest cycle that did any, from what was seen of it first to what was seen last. */
  get latest(): Span | undefined {
    return this.current;
  }

  /** How long the work of one of the last two cycles took, in milliseconds. */
  get longest(): number {
    const { current } = this;
    return Math.min(LONGEST_MS, Math.max(this.before, current === undefined ? 0 : current.by - current.from));
  }
}

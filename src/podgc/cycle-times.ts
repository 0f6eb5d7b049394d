/**
 * When PodGC acts, as far as that can be known from outside: its cycles are 20 seconds apart, but nobody outside
 * knows when one begins until something is seen to happen. So everything here is a span, not a moment.
 */
import { CYCLE_MS } from './cycle.ts';

/** From the earliest to the latest moment, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly by: number;
}

/** Milliseconds in which a cycle's requests are answered and what they did is seen. */
const SEEN_MS = 1_000;
/** Milliseconds by which a cycle may come later than 20 s after the one before: its own work is added to that. */
const DRIFT_MS = 100;
/** Cycles after which too much drift has come together to know anything. */
const KNOWN_CYCLES = 90;

export class CycleTimes {
  private acted: number | undefined;

  /** Something that only PodGC does was seen, at `at` in milliseconds since the epoch. */
  noteAct(at: number): void {
    this.acted = at;
  }

  /** When the first cycle sees what is there from some moment in `since` on. */
  cycleAfter(since: Span): Span {
    const { acted } = this;
    const unknown = { from: since.from, by: since.by + CYCLE_MS + SEEN_MS };
    if (acted === undefined) return unknown;
    const first = this.next(acted, since.from);
    const last = this.next(acted, since.by);
    if (first === undefined || last === undefined) return unknown;
    return { from: Math.max(first.from, since.from), by: Math.min(last.by, unknown.by) };
  }

  /**
   * When pods are deleted whose node has been gone from some moment in `gone` on: the first cycle that misses the
   * node puts it in quarantine, and the first one after that acts (spec §7, orphaned pass). `quarantine` in milliseconds.
   */
  actAfterQuarantine(gone: Span, quarantine: number): Span {
    const missed = this.cycleAfter(gone);
    return { from: missed.from + quarantine, by: missed.by + quarantine + SEEN_MS };
  }

  /** The cycle at or after a moment, from one that was seen; undefined where that was too long before. */
  private next(acted: number, moment: number): Span | undefined {
    const cycles = Math.ceil((moment - acted) / CYCLE_MS);
    if (Math.abs(cycles) > KNOWN_CYCLES) return undefined;
    const at = acted + cycles * CYCLE_MS;
    // What was seen was done up to a second before.
    return { from: at - SEEN_MS, by: at + SEEN_MS + Math.abs(cycles) * DRIFT_MS };
  }
}

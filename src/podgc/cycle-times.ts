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

/** Milliseconds from the start of kube-controller-manager's controllers to PodGC's first cycle, at most. */
const START_MS = 10_000;
/** The same for each object of the cluster: its controllers read all of them first. */
const START_MS_PER_OBJECT = 0.2;

/** Milliseconds without an act after which the next one belongs to another cycle; a cycle with many requests is long. */
const BURST_MS = 10_000;

export class CycleTimes {
  /** What was seen of the latest cycle that did anything: its first act and its last so far. */
  private acts: { readonly began: number; readonly ended: number } | undefined;
  /** When its work was last seen to go on. */
  private progress: number | undefined;
  /** The present run of kube-controller-manager: when it began, and when its first cycle has surely begun. */
  private run: { readonly startedAt: number; readonly firstBy: number } | undefined;

  /**
   * Another run of kube-controller-manager began at `startedAt`, in milliseconds since the epoch: its cycles have nothing
   * to do with those of the one before. `objects`: how many its caches have to read first.
   */
  noteRun(startedAt: number, objects: number): void {
    this.run = { startedAt, firstBy: startedAt + START_MS + objects * START_MS_PER_OBJECT };
    if (this.acts !== undefined && this.acts.began < startedAt) this.acts = undefined;
  }

  /** When the present run began, where it has surely not seen what happened before `moment`. */
  startedAfter(moment: number): number | undefined {
    return this.run !== undefined && this.run.startedAt > moment ? this.run.startedAt : undefined;
  }

  /** Something that only PodGC does was seen, at `at` in milliseconds since the epoch. */
  noteAct(at: number): void {
    const { acts } = this;
    const began = acts !== undefined && at - acts.ended < BURST_MS ? acts.began : at;
    this.acts = { began, ended: at };
  }

  /** What PodGC has to do was seen to go on at `at`, perhaps by another's hand: it tells nothing of the cycles. */
  noteProgress(at: number): void {
    this.progress = at;
  }

  /** PodGC has just been seen at work, so that nothing it has to do is late. */
  isActing(now: number): boolean {
    const last = Math.max(this.acts?.ended ?? -Infinity, this.progress ?? -Infinity);
    return now - last < CYCLE_MS;
  }

  /** When the first cycle sees what is there from some moment in `since` on. */
  cycleAfter(since: Span): Span {
    const { run } = this;
    const from = Math.max(since.from, run?.startedAt ?? since.from);
    const by = Math.max(since.by, from);
    const first = this.earliest(from);
    const last = this.latest(by);
    const next =
      first === undefined || last === undefined
        ? { from, by: by + CYCLE_MS + SEEN_MS }
        : { from: Math.max(first, from), by: last };
    // A run's first cycle waits until its caches are read.
    return run === undefined || by >= run.firstBy
      ? next
      : { ...next, by: Math.max(next.by, run.firstBy + SEEN_MS) };
  }

  /**
   * When pods are deleted whose node has been gone from some moment in `gone` on: the first cycle that misses the
   * node puts it in quarantine, and the first one after that acts (spec §7, orphaned pass). `quarantine` in milliseconds.
   */
  actAfterQuarantine(gone: Span, quarantine: number): Span {
    const missed = this.cycleAfter(gone);
    return { from: missed.from + quarantine, by: missed.by + quarantine + SEEN_MS };
  }

  /** When the first cycle begins that may have seen what was there at a moment; undefined where nothing tells. */
  private earliest(moment: number): number | undefined {
    if (this.acts === undefined) return undefined;
    const { began } = this.acts;
    const before = Math.floor((began - moment) / CYCLE_MS);
    const start = before >= 0 ? began - before * CYCLE_MS : this.later(Math.ceil, moment);
    return isKnown(start - began) ? start - SEEN_MS : undefined;
  }

  /** When the first cycle has begun that has surely seen it. */
  private latest(moment: number): number | undefined {
    if (this.acts === undefined) return undefined;
    const { began } = this.acts;
    // What was seen was done up to a second before.
    const seen = moment + SEEN_MS;
    const before = Math.ceil((began - seen) / CYCLE_MS) - 1;
    const start =
      before >= 0 ? began - before * CYCLE_MS : this.later(cycles => Math.floor(cycles) + 1, seen);
    if (!isKnown(start - began)) return undefined;
    return start + SEEN_MS + (Math.abs(start - began) / CYCLE_MS) * DRIFT_MS;
  }

  /** The start of a cycle after the one that was seen: that one's end and whole periods behind it, at least one. */
  private later(round: (cycles: number) => number, moment: number): number {
    const { ended } = this.acts ?? { ended: moment };
    return ended + Math.max(1, round((moment - ended) / CYCLE_MS)) * CYCLE_MS;
  }
}

function isKnown(distance: number): boolean {
  return Math.abs(distance) <= KNOWN_CYCLES * CYCLE_MS;
}

/**
 * When PodGC acts, as far as that can be known from outside: its cycles begin 20 seconds after the one before has ended,
 * but nobody outside knows when one begins until something is seen to happen. So everything here is a span, not a moment.
 */
import { CYCLE_MS } from './cycle.ts';

/** From the earliest to the latest moment, in milliseconds since the epoch. */
export interface Interval {
  readonly from: number;
  readonly by: number;
}

/** When pods of a node that is gone are deleted. */
export interface Act extends Interval {
  /** The latest moment where the first cycle acts that may. */
  readonly soon: number;
}

/** Milliseconds in which a cycle's requests are answered and what they did is seen. */
const SEEN_MS = 1_000;
/** Milliseconds by which an idle cycle may come later than 20 s after the one before. */
const DRIFT_MS = 100;
/** Cycles after which too much drift has come together to know anything. */
const KNOWN_CYCLES = 90;

/** Milliseconds from the start of kube-controller-manager's controllers to PodGC's first cycle, at most. */
const START_MS = 10_000;
/** The same for each object of the cluster: its controllers read all of them first. */
const START_MS_PER_OBJECT = 0.2;

/**
 * Milliseconds from when a node goes until PodGC takes the first of its pods, whatever cycle it stands in. Many pods
 * take it longer.
 *
 * A quarantine is as long as two cycles, and both are timers: the second cycle after the one that missed the node finds
 * it over, or not quite, and then the third acts. On an idle cluster one in eight to one in four waits that long.
 */
export function orphanedAfter(quarantine: number): { readonly earliest: number; readonly latest: number } {
  return { earliest: quarantine, latest: quarantine === 0 ? CYCLE_MS : quarantine + 2 * CYCLE_MS };
}

export class CycleTimes {
  /** Acts that only PodGC can have done: they tell when a cycle was. */
  #acts = new WorkSeen();
  /** Its work and perhaps that of others: it tells how long cycles are, and that nothing is late. */
  #progress = new WorkSeen();
  /** The present run of kube-controller-manager: when it began, and when its first cycle has surely begun. */
  #run: { readonly startedAt: number; readonly firstBy: number } | undefined;

  /**
   * Another run of kube-controller-manager began at `startedAt`, in milliseconds since the epoch: its cycles have nothing
   * to do with those of the one before. `objects`: how many its caches have to read first.
   */
  noteRun(startedAt: number, objects: number): void {
    this.#run = { startedAt, firstBy: startedAt + START_MS + objects * START_MS_PER_OBJECT };
    const { latest } = this.#acts;
    if (latest !== undefined && latest.from < startedAt) this.#acts = new WorkSeen();
  }

  /** When the present run began, where it has surely not seen what happened before `moment`. */
  startedAfter(moment: number): number | undefined {
    return this.#run !== undefined && this.#run.startedAt > moment ? this.#run.startedAt : undefined;
  }

  /** Something that only PodGC does was seen, at `at` in milliseconds since the epoch. */
  noteAct(at: number): void {
    this.#acts.note(at);
    this.#progress.note(at);
  }

  /** What PodGC has to do was seen to go on at `at`, perhaps by another's hand. */
  noteProgress(at: number): void {
    this.#progress.note(at);
  }

  /** PodGC has just been seen at work, so that nothing it has to do is late. */
  isActing(now: number): boolean {
    const { latest } = this.#progress;
    return latest !== undefined && now - latest.by < CYCLE_MS;
  }

  /** When the first cycle sees what is there from some moment in `since` on. */
  cycleAfter(since: Interval): Interval {
    const run = this.#run;
    const from = Math.max(since.from, run?.startedAt ?? since.from);
    const by = Math.max(since.by, from);
    const next = { from: this.#earliest(from) ?? from, by: this.#latest(by) ?? this.#nextAtTheLatest(by) };
    // A run's first cycle waits until its caches are read.
    return run === undefined || by >= run.firstBy
      ? next
      : { ...next, by: Math.max(next.by, run.firstBy + SEEN_MS) };
  }

  /**
   * When pods are deleted whose node has been gone from some moment in `gone` on: the first cycle that misses the
   * node puts it in quarantine, and the first one after that acts (docs/kubernetes.md §7, orphaned pass).
   * `quarantine` in milliseconds. See `orphanedAfter` for why the act may come a cycle later.
   */
  actAfterQuarantine(gone: Interval, quarantine: number): Act {
    const missed = this.cycleAfter(gone);
    const from = missed.from + quarantine;
    const soon = missed.by + quarantine;
    return { from, soon, by: quarantine === 0 ? soon : soon + CYCLE_MS + this.#progress.longest };
  }

  /** Milliseconds by which a cycle may come later than 20 s after the one before began. */
  get #drift(): number {
    return DRIFT_MS + this.#progress.longest;
  }

  #nextAtTheLatest(moment: number): number {
    return moment + CYCLE_MS + this.#progress.longest + SEEN_MS;
  }

  /** When the first cycle begins that may have seen what was there at a moment; undefined where nothing tells. */
  #earliest(moment: number): number | undefined {
    const { latest: seen } = this.#acts;
    if (seen === undefined) return undefined;
    const { from: began, by: ended } = seen;
    const before = Math.floor((began - moment) / CYCLE_MS);
    if (before >= 0) return this.#known(before, began - before * (CYCLE_MS + this.#drift), moment);
    // The first cycle that can be as late as that.
    const later = Math.max(1, Math.ceil((moment - ended) / (CYCLE_MS + this.#drift)));
    return this.#known(later, ended + later * CYCLE_MS, moment);
  }

  #known(cycles: number, start: number, moment: number): number | undefined {
    return cycles * this.#drift <= CYCLE_MS && cycles <= KNOWN_CYCLES
      ? Math.max(start - SEEN_MS, moment)
      : undefined;
  }

  /** When the first cycle has begun that has surely seen it. */
  #latest(moment: number): number | undefined {
    const { latest: act } = this.#acts;
    if (act === undefined) return undefined;
    const { from: began, by: ended } = act;
    // What was seen was done up to a second before.
    const seen = moment + SEEN_MS;
    const before = Math.ceil((began - seen) / (CYCLE_MS + this.#drift)) - 1;
    const cycles = before >= 0 ? before : Math.max(1, Math.floor((seen - ended) / CYCLE_MS) + 1);
    if (cycles * this.#drift > CYCLE_MS || cycles > KNOWN_CYCLES) return undefined;
    const start = before >= 0 ? began - before * CYCLE_MS : ended + cycles * (CYCLE_MS + this.#drift);
    return Math.min(start + SEEN_MS, this.#nextAtTheLatest(seen));
  }
}

/** Milliseconds without work after which the next is another cycle's: there are 20 s between two. */
const BURST_MS = 10_000;
/** Milliseconds that no cycle's work takes longer: what goes on for more isn't PodGC's. */
const LONGEST_MS = 600_000;

/** PodGC's work as it is seen: when it was done last, and how long it took in the cycles before. */
class WorkSeen {
  #current: Interval | undefined;
  /** How long the work of the cycle before took, in milliseconds. */
  #before = 0;

  /** Something was seen at `at`, in milliseconds since the epoch. */
  note(at: number): void {
    const current = this.#current;
    if (current !== undefined && at - current.by < BURST_MS) {
      this.#current = { from: current.from, by: at };
      return;
    }
    this.#before = current === undefined ? 0 : current.by - current.from;
    this.#current = { from: at, by: at };
  }

  /** The work of the latest cycle that did any, from what was seen of it first to what was seen last. */
  get latest(): Interval | undefined {
    return this.#current;
  }

  /** How long the work of one of the last two cycles took, in milliseconds. */
  get longest(): number {
    const current = this.#current;
    return Math.min(
      LONGEST_MS,
      Math.max(this.#before, current === undefined ? 0 : current.by - current.from),
    );
  }
}

/** Observed runs of kube-controller-manager and work of PodGC. A new run restarts cycles and quarantines. */
import { ManagerLease } from '../../model/index.ts';
import { podGcCycle } from '../passes/cycle.ts';

/** Milliseconds between readings; a lease is renewed every 2 s (--leader-elect-retry-period). */
const POLL_MS = 5_000;
/** Milliseconds between readings while no lease is known; one may still be taken. */
const UNKNOWN_POLL_MS = 60_000;
/** Tolerated clock difference, and the most milliseconds between readings that can show one. */
const SAME_CLOCK_MS = 10_000;
/** Most milliseconds from the controllers' start to PodGC's first cycle, without the time below. */
const START_MS = 10_000;
/** Milliseconds per object of the cluster, because controllers first read all of them. */
const START_MS_PER_OBJECT = 0.2;

/** A lease that is renewed between two readings is alive, even if its writer's clock is off. */
export class ManagerRun {
  #lease: ManagerLease | undefined;
  #readAt = 0;
  #nextAt = 0;
  /** Milliseconds by which the manager's clock is behind; 0 if no difference is known. */
  #behind = 0;

  /** Reports whether a reading is due at `now`, and needed; marks it as requested. */
  asks(now: number, isWaitedFor: () => boolean): boolean {
    if (now < this.#nextAt || !isWaitedFor()) return false;
    this.#nextAt = now + POLL_MS;
    return true;
  }

  /** Records a reading at `now`; true if `startedAt` changed. */
  learn(lease: ManagerLease | undefined, now: number): boolean {
    if (lease === undefined) {
      this.#nextAt = now + UNKNOWN_POLL_MS;
      return false;
    }
    const { startedAt: began } = this;
    const before = this.#lease;
    const isRenewed = before !== undefined && before.renewedAt !== lease.renewedAt && lease.holder !== '';
    const gap = now - lease.renewedAt;
    if ((isRenewed && now - this.#readAt <= SAME_CLOCK_MS) || gap < 0)
      this.#behind = Math.abs(gap) <= SAME_CLOCK_MS ? 0 : gap;
    this.#lease = lease;
    this.#readAt = now;
    return this.startedAt !== began;
  }

  get holder(): string | undefined {
    return this.#lease?.holder;
  }

  get startedAt(): number | undefined {
    return this.#lease === undefined || this.#lease.holder === ''
      ? undefined
      : this.#lease.acquiredAt + this.#behind;
  }

  /** Returns the start, and when PodGC's first cycle has certainly begun with this many objects. */
  runOf(objects: number): { readonly startedAt: number; readonly firstBy: number } | undefined {
    const { startedAt } = this;
    if (startedAt === undefined) return undefined;
    return { startedAt, firstBy: startedAt + START_MS + objects * START_MS_PER_OBJECT };
  }

  get renewedAt(): number | undefined {
    return this.#lease === undefined ? undefined : this.#lease.renewedAt + this.#behind;
  }

  /** Reports whether no replica held the lease for long: only a sign, as without leader election a lease may be old. */
  get isAway(): boolean {
    if (this.#lease === undefined || this.renewedAt === undefined) return false;
    return this.#readAt - this.renewedAt > ManagerLease.silentAfter(this.#lease);
  }
}

/** Idle milliseconds that separate two cycles, which are 20 s apart. */
const BURST_MS = 10_000;
/** Milliseconds above which work cannot be PodGC's. */
const LONGEST_MS = 600_000;

/** Work that looks like PodGC's: the length of its cycles, and a sign that nothing is late. */
export class WorkSeen {
  #from = 0;
  #by = 0;
  #before = 0;

  /** Records that PodGC's candidates disappeared at `now`. */
  note(now: number): void {
    if (now - this.#by >= BURST_MS) {
      this.#before = this.#by - this.#from;
      this.#from = now;
    }
    this.#by = now;
  }

  /** Longest work of the last two cycles, in milliseconds. */
  get longest(): number {
    return Math.min(LONGEST_MS, Math.max(this.#before, this.#by - this.#from));
  }

  isGoingOn(now: number): boolean {
    return now - this.#by < podGcCycle.duration;
  }
}

/**
 * What is seen of kube-controller-manager: its run, by its lease, and PodGC's work, by the pods that it takes. A new run
 * begins its cycles and every quarantine anew, and without one PodGC takes nothing.
 */
import { type ManagerLease, silentAfter } from '../../model/exchange/manager-lease.ts';
import { CYCLE_MS } from '../passes/cycle.ts';

/** Milliseconds between two readings; a lease is renewed every 2 s (--leader-elect-retry-period). */
const POLL_MS = 5_000;
/** The same where nothing tells who runs the controllers: somebody may still come to hold the lease. */
const UNKNOWN_POLL_MS = 60_000;
/** Milliseconds by which two clocks may differ and nobody minds; only readings no further apart tell of that. */
const SAME_CLOCK_MS = 10_000;
/** Milliseconds from the start of its controllers to PodGC's first cycle, at most. */
const START_MS = 10_000;
/** The same for each object of the cluster: its controllers read all of them first. */
const START_MS_PER_OBJECT = 0.2;

/** Two readings tell more than one: a lease that is renewed between them is alive, however far its writer's clock is off. */
export class ManagerRun {
  #lease: ManagerLease | undefined;
  #readAt = 0;
  #nextAt = 0;
  /** Milliseconds by which the manager's clock is behind this one; 0 where they are alike as far as anybody knows. */
  #behind = 0;

  /**
   * It is time to read the lease again at `now`, in milliseconds since the epoch, and somebody waits for it; then it
   * counts as asked for.
   */
  asks(now: number, isWaitedFor: () => boolean): boolean {
    if (now < this.#nextAt || !isWaitedFor()) return false;
    this.#nextAt = now + POLL_MS;
    return true;
  }

  /**
   * Takes in the lease as it was read at `now`, in milliseconds since the epoch, undefined where nothing tells; true
   * where `startedAt` is another.
   */
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

  /** Undefined where nothing of it is known. */
  get holder(): string | undefined {
    return this.#lease?.holder;
  }

  /** When the controllers of the present run began to start, in milliseconds since the epoch. */
  get startedAt(): number | undefined {
    return this.#lease === undefined || this.#lease.holder === ''
      ? undefined
      : this.#lease.acquiredAt + this.#behind;
  }

  /** The same, with when PodGC's first cycle has surely begun in a cluster of so many objects. */
  runOf(objects: number): { readonly startedAt: number; readonly firstBy: number } | undefined {
    const { startedAt } = this;
    if (startedAt === undefined) return undefined;
    return { startedAt, firstBy: startedAt + START_MS + objects * START_MS_PER_OBJECT };
  }

  get renewedAt(): number | undefined {
    return this.#lease === undefined ? undefined : this.#lease.renewedAt + this.#behind;
  }

  /**
   * Nobody has held the lease for long when it was read last. A manager that runs without leader election leaves an
   * old lease as it is, so that this is a sign, and no proof.
   */
  get isAway(): boolean {
    if (this.#lease === undefined || this.renewedAt === undefined) return false;
    return this.#readAt - this.renewedAt > silentAfter(this.#lease);
  }
}

/** Milliseconds without work after which the next is another cycle's: there are 20 s between two. */
const BURST_MS = 10_000;
/** Milliseconds that no cycle's work takes longer: what goes on for more isn't PodGC's. */
const LONGEST_MS = 600_000;

/** PodGC's work as it is seen, perhaps with that of others: how long its cycles are, and that nothing is late. */
export class WorkSeen {
  #from = 0;
  #by = 0;
  #before = 0;

  /** Pods that PodGC was about to take are taken at `now`, in milliseconds since the epoch. */
  note(now: number): void {
    if (now - this.#by >= BURST_MS) {
      this.#before = this.#by - this.#from;
      this.#from = now;
    }
    this.#by = now;
  }

  /** How long the work of one of the last two cycles took, in milliseconds. */
  get longest(): number {
    return Math.min(LONGEST_MS, Math.max(this.#before, this.#by - this.#from));
  }

  isGoingOn(now: number): boolean {
    return now - this.#by < CYCLE_MS;
  }
}

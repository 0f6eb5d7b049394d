/**
 * Whether kube-controller-manager runs and since when, by what was read of its lease: a new run begins its cycles and
 * every quarantine anew, and without one PodGC takes nothing. Kept from reading to reading, because two of them tell
 * more than one: a lease that is renewed between them is alive, however far its writer's clock is off.
 */
import type { ManagerLease } from '../../model/exchange/manager-lease.ts';

/** Milliseconds between two readings; a lease is renewed every 2 s (--leader-elect-retry-period). */
const POLL_MS = 5_000;
/** The same where nothing tells who runs the controllers: somebody may still come to hold the lease. */
const UNKNOWN_POLL_MS = 60_000;
/** Milliseconds after which a manager that renews nothing counts as away, where its lease is no longer than that. */
const SILENT_MS = 60_000;
/** Milliseconds by which two clocks may differ and nobody minds; only readings no further apart tell of that. */
const SAME_CLOCK_MS = 10_000;

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

  get renewedAt(): number | undefined {
    return this.#lease === undefined ? undefined : this.#lease.renewedAt + this.#behind;
  }

  /**
   * Nobody has held the lease for long when it was read last. A manager that runs without leader election leaves an
   * old lease as it is, so that this is a sign, and no proof.
   */
  get isAway(): boolean {
    if (this.#lease === undefined || this.renewedAt === undefined) return false;
    const silent = this.#readAt - this.renewedAt;
    // Given up, it is taken at once where a replica stands by.
    return (
      silent > (this.#lease.holder === '' ? SAME_CLOCK_MS : Math.max(SILENT_MS, 4 * this.#lease.duration))
    );
  }
}

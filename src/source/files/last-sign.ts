/**
 * When the cluster that files show was last heard of, as its objects say. A dump that was copied, unpacked or checked
 * out keeps that, and loses the time of its files.
 */
import { type JsonRecord, record, time } from '../../model/json/json.ts';

/** Milliseconds since the last Lease that a running cluster hasn't renewed, and since the last Event that it keeps. */
const LEASE_MS = 5 * 60_000;
const EVENT_MS = 60 * 60_000;

export class LastSign {
  #lease = 0;
  #event = 0;
  /** Nothing can have been taken before this. */
  #made = 0;

  /** Leases are renewed every few seconds (coordination.k8s.io/v1); Events last an hour by default (`--event-ttl`). */
  note(kind: string, json: JsonRecord): void {
    this.#made = Math.max(this.#made, time(record(json['metadata'])['creationTimestamp']) ?? 0);
    if (kind === 'Lease') this.#lease = Math.max(this.#lease, time(record(json['spec'])['renewTime']) ?? 0);
    if (kind !== 'Event') return;
    for (const field of ['lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'])
      this.#event = Math.max(this.#event, time(json[field]) ?? 0);
    this.#event = Math.max(this.#event, time(record(json['series'])['lastObservedTime']) ?? 0);
  }

  /**
   * When the files were taken, which were written at `written`, both in milliseconds since the epoch: then, unless the
   * cluster has been silent for longer than one that runs. Undefined where the files' own time stands.
   */
  before(written: number): number | undefined {
    const heard = this.#lease === 0 ? this.#event : this.#lease;
    const patience = this.#lease === 0 ? EVENT_MS : LEASE_MS;
    if (heard === 0 || written - heard <= patience) return undefined;
    return Math.min(written, Math.max(heard, this.#made));
  }
}

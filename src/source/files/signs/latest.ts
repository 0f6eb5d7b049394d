/** When the cluster that files show was last heard of, as its objects say: copying a dump doesn't change that. */
import { type JsonRecord, record, text, time } from '../../../model/json/json.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';

/**
 * Milliseconds of silence that no running cluster keeps. Kubelets and the control plane renew their Leases every few
 * seconds. Events are kept for an hour by default (`--event-ttl`), and for a day where somebody wants more of them.
 */
const LEASE_MS = 5 * 60_000;
const EVENT_MS = 25 * 60 * 60_000;

/** Leases that are renewed as long as a cluster runs. Any other may be of a controller that is down. */
const nodeLeases = 'kube-node-lease';
const controlPlane: ReadonlySet<string> = new Set(['kube-controller-manager', 'kube-scheduler']);

export class LastSign {
  #lease = 0;
  #event = 0;
  /** Nothing can have been taken before this. */
  #made = 0;

  /** Takes in what one object tells: coordination.k8s.io/v1 Lease, v1 and events.k8s.io/v1 Event, metadata of others. */
  note(type: Pick<ResourceType, 'group' | 'kind'>, json: JsonRecord): void {
    const metadata = record(json['metadata']);
    for (const field of ['creationTimestamp', 'deletionTimestamp'])
      this.#made = Math.max(this.#made, time(metadata[field]) ?? 0);
    if (type.group === 'coordination.k8s.io' && type.kind === 'Lease' && isRenewed(metadata))
      this.#lease = Math.max(this.#lease, time(record(json['spec'])['renewTime']) ?? 0);
    if (!isEvent(type)) return;
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

/** As the core API and events.k8s.io serve it; other groups have kinds of that name too. */
export function isEvent({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  return kind === 'Event' && (group === '' || group === 'events.k8s.io');
}

function isRenewed(metadata: JsonRecord): boolean {
  const namespace = text(metadata['namespace']);
  return (
    namespace === nodeLeases || (namespace === 'kube-system' && controlPlane.has(text(metadata['name'])))
  );
}

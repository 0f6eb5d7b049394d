/** Estimates when the cluster in the files was last alive, by its objects: copying a dump doesn't change that. */
import { isoTime, type JsonRecord, list, ResourceType, record, text, time } from '../../../model/index.ts';

/**
 * Silence in ms that no running cluster keeps: Leases renew in seconds, `nodeStatusReportFrequency` is 5 minutes, and
 * events are kept for an hour (`--event-ttl`) or a day.
 */
const LEASE_MS = 5 * 60_000;
export const HEARTBEAT_MS = 10 * 60_000;
const EVENT_MS = 25 * 60 * 60_000;

/** Maximum milliseconds ahead of this clock, which may be in another time zone. */
const AHEAD_MS = 24 * 60 * 60_000;
const MINUTE = 60_000;

/** Leases renewed while a cluster runs. Others may belong to stopped controllers. */
const nodeLeases = 'kube-node-lease';
const controlPlane: ReadonlySet<string> = new Set(['kube-controller-manager', 'kube-scheduler']);

const eventTimes = ['lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'];
/** Fields of a status; its other times may be in the future, such as `notAfter`. */
const statusTimes = [
  'startTime',
  'completionTime',
  'lastScheduleTime',
  'lastSuccessfulTime',
  'lastScaleTime',
  'lastPhaseTransitionTime',
];
const conditionTimes = ['lastTransitionTime', 'lastUpdateTime', 'lastProbeTime', 'lastHeartbeatTime'];
const containerLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];

/** The files' moment, and its origin. */
export interface Moment {
  readonly at: number;
  readonly from: 'objects' | 'files';
  /** A sentence, if the files may be from another time and that matters. */
  readonly doubt?: string;
}

export class LastSign {
  readonly #now: () => number;
  readonly #leases = new Map<string, number>();
  #heartbeat = 0;
  #event = 0;
  /** By the API server's clock. */
  #served = 0;
  /** By other clocks, the newest of each minute, because a clock may be wrong. */
  readonly #reported = new Map<number, number>();
  #deleting = false;
  #newestOfObject = 0;

  /** `now`: milliseconds since the epoch. Later times are ignored. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The newest report of a running node, or 0. */
  get heartbeat(): number {
    return this.#heartbeat;
  }

  /** Notes the times in an object; returns the newest, or 0. */
  note(type: ResourceType, json: JsonRecord): number {
    this.#newestOfObject = 0;
    const metadata = record(json['metadata']);
    this.#noteServed(metadata);
    const status = record(json['status']);
    this.#noteStatus(status);
    switch (ResourceType.groupResource(type)) {
      case 'leases.coordination.k8s.io':
        this.#noteLease(metadata, record(json['spec']));
        break;
      case 'nodes':
        this.#noteNode(record(json['spec']), status);
        break;
      case 'events':
      case 'events.events.k8s.io':
        for (const each of [
          ...eventTimes.map(field => json[field]),
          record(json['series'])['lastObservedTime'],
        ])
          this.#event = Math.max(this.#event, this.#report(each));
    }
    return this.#newestOfObject;
  }

  /** Returns when the files were taken: `written`, unless the objects are newer or had been silent too long. */
  moment(written: number): Moment {
    const lastWritten = Math.min(written, this.#now());
    const ceiling = this.#ceiling;
    const below = (times: Iterable<number>): number => Math.max(0, ...[...times].filter(at => at <= ceiling));
    const newest = Math.max(this.#served, below(this.#reported.values()));
    const [heard, patience] = this.#heard(below);
    const isSilent = heard > 0 && lastWritten - heard > patience;
    const isLive = heard > 0 && newest - heard <= patience;
    if (lastWritten < newest || isSilent) {
      const isDoubted = this.#deleting && !isLive && newest - lastWritten > EVENT_MS;
      const doubt = `the files are dated ${isoTime(lastWritten)}, before the newest time in them, ${isoTime(newest)}, as of which they are judged: what is being deleted may have been for longer.`;
      return { at: newest, from: 'objects', ...(isDoubted && { doubt }) };
    }
    const isDoubted = this.#deleting && heard === 0 && newest > 0 && lastWritten - newest > EVENT_MS;
    const doubt = `nothing in the files is newer than ${isoTime(newest)}; they are judged as of ${isoTime(lastWritten)}, when they were written: if they were copied then, what is being deleted may not have been for so long.`;
    return { at: lastWritten, from: 'files', ...(isDoubted && { doubt }) };
  }

  /** Returns the latest sign of life, and the longest silence of a living cluster. */
  #heard(below: (times: Iterable<number>) => number): readonly [at: number, patience: number] {
    const lease = below(this.#leases.values());
    if (lease > 0) return [lease, LEASE_MS];
    return this.#heartbeat > 0 ? [this.#heartbeat, HEARTBEAT_MS] : [this.#event, EVENT_MS];
  }

  /** Later signs come from a wrong clock: one Lease is far ahead of others that agree. */
  get #ceiling(): number {
    const [first, second, third] = [...this.#leases.values()].sort((a, b) => b - a);
    if (first === undefined || second === undefined || third === undefined) return Infinity;
    const isAlone =
      first - second > LEASE_MS && second - third <= LEASE_MS && this.#served <= second + LEASE_MS;
    return isAlone ? Math.max(second, this.#served) + LEASE_MS : Infinity;
  }

  /** Notes the API server's times. A `deletionTimestamp` is the request plus the grace period. */
  #noteServed(metadata: JsonRecord): void {
    const {
      deletionTimestamp,
      deletionGracePeriodSeconds: grace,
      creationTimestamp,
      managedFields,
    } = metadata;
    const deleted = time(deletionTimestamp);
    this.#deleting ||= deleted !== undefined;
    const requested = (deleted ?? 0) - (typeof grace === 'number' ? grace * 1000 : 0);
    const managed = list(managedFields).map(each => time(record(each)['time']) ?? 0);
    for (const at of [time(creationTimestamp) ?? 0, requested, ...managed]) {
      if (!this.#isPast(at)) continue;
      this.#served = Math.max(this.#served, at);
      this.#newestOfObject = Math.max(this.#newestOfObject, at);
    }
  }

  #noteStatus(status: JsonRecord): void {
    for (const field of statusTimes) this.#report(status[field]);
    for (const condition of list(status['conditions']))
      for (const field of conditionTimes) this.#report(record(condition)[field]);
    for (const container of containerLists.flatMap(field => list(status[field])))
      for (const field of ['state', 'lastState']) {
        const { running, terminated } = record(record(container)[field]);
        this.#report(record(running)['startedAt']);
        this.#report(record(terminated)['finishedAt']);
      }
  }

  #noteLease(metadata: JsonRecord, spec: JsonRecord): void {
    const renewed = this.#report(spec['renewTime']);
    const name = text(metadata['name']);
    if (renewed === 0 || !isRenewed(text(metadata['namespace']), name)) return;
    this.#leases.set(name, Math.max(renewed, this.#leases.get(name) ?? 0));
  }

  /** A stopped kubelet reports nothing, and its node becomes Unknown. */
  #noteNode(spec: JsonRecord, status: JsonRecord): void {
    for (const each of list(spec['taints'])) this.#report(record(each)['timeAdded']);
    const ready = list(status['conditions'])
      .map(record)
      .find(({ type }) => type === 'Ready');
    if (ready === undefined || ready['status'] === 'Unknown') return;
    this.#heartbeat = Math.max(this.#heartbeat, this.#report(ready['lastHeartbeatTime']));
  }

  /** Returns the time, or 0 if impossible. */
  #report(value: unknown): number {
    const at = time(value) ?? 0;
    if (at === 0 || !this.#isPast(at)) return 0;
    this.#newestOfObject = Math.max(this.#newestOfObject, at);
    const minute = Math.floor(at / MINUTE);
    if (at > (this.#reported.get(minute) ?? 0)) this.#reported.set(minute, at);
    return at;
  }

  #isPast(at: number): boolean {
    return at <= this.#now() + AHEAD_MS;
  }
}

function isRenewed(namespace: string, name: string): boolean {
  return namespace === nodeLeases || (namespace === 'kube-system' && controlPlane.has(name));
}

export function isEvent({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  return kind === 'Event' && (group === '' || group === 'events.k8s.io');
}

/** kube-controller-manager's lease: it shows since when the collectors run (client-go tools/leaderelection, v1.36). */
import { record, text, time } from '../json/json.ts';

/** Times in milliseconds since the epoch, by the clock of the replica that wrote them. */
export interface ManagerLease {
  /** Replica that runs the controllers; `''` if the last one released the lease. */
  readonly holder: string;
  readonly acquiredAt: number;
  readonly renewedAt: number;
  /** Milliseconds without renewal until another replica takes over. */
  readonly duration: number;
}

/** Milliseconds without renewal after which the leader counts as away; it renews every 2 s. */
const SILENT_MS = 60_000;
/** Limit for a released lease: a standby replica takes it at once. */
const GIVEN_UP_MS = 15_000;

/** Returns the milliseconds after the last renewal from which no replica counts as holder. */
function silentAfter({ holder, duration }: Pick<ManagerLease, 'holder' | 'duration'>): number {
  return holder === '' ? GIVEN_UP_MS : Math.max(SILENT_MS, 4 * duration);
}

/** Parses `kubectl get lease -o json`; undefined if no replica ever held it. */
function readManagerLease(json: unknown): ManagerLease | undefined {
  const spec = record(record(json)['spec']);
  const acquiredAt = time(spec['acquireTime']);
  const renewedAt = time(spec['renewTime']);
  const seconds = spec['leaseDurationSeconds'];
  if (acquiredAt === undefined || renewedAt === undefined || typeof seconds !== 'number') return undefined;
  return { holder: text(spec['holderIdentity']), acquiredAt, renewedAt, duration: seconds * 1000 };
}

/** Times of the first and last remembered removal of a node. */
export interface NodeRemoval {
  readonly first: number;
  readonly last: number;
}

export const ManagerLease = { silentAfter, read: readManagerLease };

/**
 * The lease of kube-controller-manager, by which its replicas agree on the one that runs the controllers: what can be
 * known from outside of whether, and since when, the collectors run (client-go tools/leaderelection, v1.36); and when
 * nodes were removed, as PodGC reads it.
 */
import { record, text, time } from '../json/json.ts';

/** Times in milliseconds since the epoch, by the clock of the replica that wrote them. */
export interface ManagerLease {
  /** The replica that runs the controllers; `''` where the last one gave the lease up. */
  readonly holder: string;
  /** When that replica began to. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
  /** Milliseconds without a renewal after which another replica takes over. */
  readonly duration: number;
}

/** Milliseconds without a renewal after which the leader counts as away; it renews every 2 s. */
const SILENT_MS = 60_000;
/** The same where the last leader gave the lease up: whoever stands by takes it at once. */
const GIVEN_UP_MS = 15_000;

/** Milliseconds after its last renewal from which a lease counts as one that nobody holds, whoever reads it. */
export function silentAfter({ holder, duration }: Pick<ManagerLease, 'holder' | 'duration'>): number {
  return holder === '' ? GIVEN_UP_MS : Math.max(SILENT_MS, 4 * duration);
}

/** What `kubectl get lease -o json` shows of it; undefined where that is no lease that anybody has ever held. */
export function readManagerLease(json: unknown): ManagerLease | undefined {
  const spec = record(record(json)['spec']);
  const acquiredAt = time(spec['acquireTime']);
  const renewedAt = time(spec['renewTime']);
  const seconds = spec['leaseDurationSeconds'];
  if (acquiredAt === undefined || renewedAt === undefined || typeof seconds !== 'number') return undefined;
  return { holder: text(spec['holderIdentity']), acquiredAt, renewedAt, duration: seconds * 1000 };
}

/** When a node was removed, as the cluster remembers it. Times in milliseconds since the epoch. */
export interface NodeRemoval {
  /** Of the removals that are remembered the first and the last one; the same where there was one. */
  readonly first: number;
  readonly last: number;
}

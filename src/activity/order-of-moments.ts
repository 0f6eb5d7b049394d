/**
 * When something was seen. Watches arrive in no common order, but etcd's revision (resourceVersion) counts every
 * change.
 */
import { ResourceVersion } from '../model/index.ts';

export interface Moment {
  readonly at: number;
  /** Sequence number of the change, in order of arrival. */
  readonly order: number;
  readonly version: ResourceVersion | undefined;
}

/** Maximum lag between the watches of two kinds. */
export const LAG_MILLISECONDS = 1_500;

/** Returns true if both were seen so close together that order of arrival proves little. */
export function isNear(a: Moment, b: Moment): boolean {
  return Math.abs(a.at - b.at) < LAG_MILLISECONDS;
}

/**
 * Returns whether `a` happened before `b`. Versions decide between close arrivals. Otherwise they prove nothing, because
 * aggregated API servers count on their own: if they contradict the order of arrival, neither moment is first.
 */
export function isBefore(a: Moment, b: Moment): boolean {
  const byVersion = versionOrder(a, b);
  const byArrival = a.order - b.order;
  if (byVersion === 0) return byArrival < 0;
  return byVersion < 0 && (byArrival < 0 || isNear(a, b));
}

/**
 * Returns true if nothing shows which of both came first: a deletion that only a list shows has no version, and one watch
 * may be much later than another.
 */
export function isOrderUnknown(a: Moment, b: Moment): boolean {
  if (a.order === b.order) return false;
  if (a.version === undefined || b.version === undefined) return isNear(a, b);
  return !isBefore(a, b) && !isBefore(b, a);
}

export function mayBeBefore(a: Moment, b: Moment): boolean {
  return isBefore(a, b) || isOrderUnknown(a, b);
}

/** Returns 0 if the versions are equal or unknown. */
function versionOrder(a: Moment, b: Moment): number {
  if (a.version === undefined || b.version === undefined) return 0;
  return ResourceVersion.compare(a.version, b.version) ?? 0;
}

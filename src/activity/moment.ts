/**
 * When something was seen. Watches arrive in no common order, but etcd's revision (resourceVersion) counts every
 * change.
 */
import { compareResourceVersions, type ResourceVersion } from '../model/object.ts';

export interface Moment {
  /** Milliseconds since the epoch. */
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

/** Compares versions of close arrivals only: aggregated API servers, and events stored apart, count on their own. */
export function isBefore(a: Moment, b: Moment): boolean {
  if (a.version !== undefined && b.version !== undefined && isNear(a, b)) {
    const compared = compareResourceVersions(a.version, b.version);
    if (compared !== undefined && compared !== 0) return compared < 0;
  }
  return a.order < b.order;
}

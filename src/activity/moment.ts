/**
 * When something was seen, and what came before what. Watches of different kinds report in no order of their own, but the
 * storage counts every change: etcd's revision, which objects carry as their resourceVersion.
 */
import { compareResourceVersions, type ResourceVersion } from '../model/object.ts';

export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of the change, counted from the first one that arrived. */
  readonly order: number;
  readonly version: ResourceVersion | undefined;
}

/** What one watch brings, another may bring that much later. */
export const LAG_MILLISECONDS = 1_500;

/** Whether both were seen so close together that neither the order in which they arrived nor what came between tells much. */
export function isNear(a: Moment, b: Moment): boolean {
  return Math.abs(a.at - b.at) < LAG_MILLISECONDS;
}

/**
 * Returns whether `a` happened before `b`. Versions decide what arrived nearly together. Of other moments they say nothing
 * for certain, because kinds behind an aggregated API server have versions of their own: where they contradict the order
 * of arrival, neither moment is before the other.
 */
export function isBefore(a: Moment, b: Moment): boolean {
  const byVersion = versionOrder(a, b);
  const byArrival = a.order - b.order;
  if (byVersion === 0) return byArrival < 0;
  return byVersion < 0 && (byArrival < 0 || isNear(a, b));
}

/**
 * Returns whether nothing shows which of both came first: two lists are told apart by no version of what they miss, and a
 * watch may be much later than another one.
 */
export function isOrderUnknown(a: Moment, b: Moment): boolean {
  if (a.order === b.order) return false;
  if (a.version === undefined || b.version === undefined) return isNear(a, b);
  return !isBefore(a, b) && !isBefore(b, a);
}

/** 0 where the versions don't tell. */
function versionOrder(a: Moment, b: Moment): number {
  if (a.version === undefined || b.version === undefined) return 0;
  return compareResourceVersions(a.version, b.version) ?? 0;
}

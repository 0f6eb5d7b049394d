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
 * Whether `a` happened before `b`. Versions are only asked about what arrived nearly together: kinds behind an aggregated
 * API server, and events where they are stored apart, have versions of their own.
 */
export function isBefore(a: Moment, b: Moment): boolean {
  if (a.version !== undefined && b.version !== undefined && isNear(a, b)) {
    const compared = compareResourceVersions(a.version, b.version);
    if (compared !== undefined && compared !== 0) return compared < 0;
  }
  return a.order < b.order;
}

/**
 * When a node went, by the trace that it leaves: the Events of the node lifecycle controller
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36). A trace and no proof: a node may have come back
 * since and gone again, which nobody has written down yet.
 */

import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { CYCLE_MS } from './cycle.ts';
import type { Interval } from './cycle-times.ts';
import { QUARANTINE_MS } from './quarantine.ts';

export interface RemovalSign {
  readonly since: Interval;
  /** Whether that is when it went; else it is only the first moment at which it may have. */
  readonly seen: boolean;
}

/** Milliseconds after which the node lifecycle controller notices at the latest that a node is gone, and writes it down. */
const NOTICED_MS = 6_000;
const SECOND_MS = 1_000;
/** Milliseconds after which PodGC has acted on a node that is gone, if it is at work. */
const ACTED_MS = 3 * CYCLE_MS + QUARANTINE_MS;

/** What a removal tells of a node that is missing at `now`. */
export function signOf({ first, last }: NodeRemoval, now: number): RemovalSign {
  // A quarantine outlasts that its node comes back for a while.
  const begin = Math.max(first, last - CYCLE_MS - QUARANTINE_MS) - NOTICED_MS;
  const from = Math.min(begin, now);
  // By a clock that is ahead of this one, so that nobody knows how long ago.
  if (last > now + SECOND_MS) return { since: { from: 0, by: now }, seen: false };
  // PodGC would have acted long ago: the node has come back since, or PodGC is away.
  if (now - last > ACTED_MS) return { since: { from, by: now }, seen: false };
  return { since: { from, by: Math.max(from, Math.min(last + SECOND_MS, now)) }, seen: true };
}

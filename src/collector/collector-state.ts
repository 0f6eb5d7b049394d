/** The state of a garbage collector as plain data: reported by simulated ones, inferred for a real one. */
import type { Identity } from '../graph/index.ts';

export interface CollectorState {
  /** Virtual time in a simulation. */
  readonly at: number;
  /** Kubernetes release whose behaviour it has: `1.36`, or `1.5`. */
  readonly version: string;
  readonly knowledge: Knowledge;
  /** False leaves the following fields empty. */
  readonly running: boolean;
  /** Set while unsynced monitors block the workers. */
  readonly workersWait: boolean;
  /** `graphChanges`, `attemptToDelete`, `attemptToOrphan`; for 1.5 `eventQueue`, `dirtyQueue`, `orphanQueue`. */
  readonly queues: readonly CollectorQueue[];
  /** Objects with a decision whose requests are about to be sent. */
  readonly acting: readonly Identity[];
  readonly nodes: number;
  readonly virtualNodes: readonly VirtualNode[];
  /** Undefined if the version has no such cache. */
  readonly absentOwners: AbsentOwnerCache | undefined;
  readonly monitors: readonly CollectorMonitor[];
  /** Group/versions without discovery: their kinds have no monitor unless they had one before. */
  readonly undiscovered: readonly string[];
}

/**
 * - `simulated`: reported by the simulated collector.
 * - `inferred`: of a collector that saw exactly these objects. A real one may be ahead or behind, and remembers earlier
 *   events.
 */
export type Knowledge = 'simulated' | 'inferred';

const GRAPH_CHANGES = 'graphChanges';
const ATTEMPT_TO_DELETE = 'attemptToDelete';
const ATTEMPT_TO_ORPHAN = 'attemptToOrphan';

export interface CollectorQueue {
  readonly name: string;
  /** Next item first. */
  readonly items: readonly QueuedItem[];
  /** Next item first. */
  readonly backingOff: readonly BackingOff[];
}

export interface QueuedItem {
  readonly object: Identity;
  /** Known only from owner references when it was queued. */
  readonly virtual: boolean;
  readonly event?: WatchedEvent;
}

/** `virtualDelete`: a look-up proved that no object has this identity. */
export type WatchedEvent = 'added' | 'updated' | 'deleted' | 'virtualDelete';

interface BackingOff extends QueuedItem {
  /** Undefined if only the collector knows. */
  readonly until: number | undefined;
  /** Failed attempts in a row; undefined if only the collector knows. */
  readonly failures: number | undefined;
}

export interface VirtualNode {
  readonly object: Identity;
  readonly dependents: readonly Identity[];
}

export interface AbsentOwnerCache {
  readonly limit: number;
  /** Proven absent, from the least to the most recently used. */
  readonly owners: readonly Identity[];
}

export interface CollectorMonitor {
  readonly resource: string;
  /** `blind`: cannot be listed, so its objects aren't seen, waited for or orphaned. */
  readonly state: 'synced' | 'listing' | 'blind';
  readonly reason?: string;
}

function stoppedCollector(at: number, version: string): CollectorState {
  return {
    at,
    version,
    knowledge: 'simulated',
    running: false,
    workersWait: false,
    queues: [],
    acting: [],
    nodes: 0,
    virtualNodes: [],
    absentOwners: undefined,
    monitors: [],
    undiscovered: [],
  };
}

export const CollectorState = { stopped: stoppedCollector };

export const CollectorQueue = {
  graphChanges: GRAPH_CHANGES,
  attemptToDelete: ATTEMPT_TO_DELETE,
  attemptToOrphan: ATTEMPT_TO_ORPHAN,
};

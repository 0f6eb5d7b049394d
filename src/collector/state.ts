/**
 * What a garbage collector holds in memory at one moment, as plain data: for whoever watches it work. Apart from the
 * collectors, because the simulated ones tell it of themselves, and of a real one it is inferred from what is observed.
 */
import type { Identity } from '../graph/node.ts';

export interface CollectorState {
  /** Milliseconds since the epoch, virtual in a simulation. */
  readonly at: number;
  /** Whose behaviour it is: that of Kubernetes `1.36`, or `1.5`. */
  readonly version: string;
  readonly knowledge: Knowledge;
  /** Whether its process runs. What follows is empty where it doesn't. */
  readonly running: boolean;
  /** Workers haven't started, or stand still, because monitors aren't synced. */
  readonly workersWait: boolean;
  /**
   * In the order in which work passes through them: `graphChanges`, `attemptToDelete`, `attemptToOrphan`; of 1.5
   * `eventQueue`, `dirtyQueue`, `orphanQueue`.
   */
  readonly queues: readonly CollectorQueue[];
  /** What workers have decided upon, and are about to send requests for. */
  readonly acting: readonly Identity[];
  /** Nodes of the graph. */
  readonly nodes: number;
  readonly virtualNodes: readonly VirtualNode[];
  /** Undefined where the version has no such cache. */
  readonly absentOwners: AbsentOwnerCache | undefined;
  /** By resource, alphabetically. */
  readonly monitors: readonly CollectorMonitor[];
  /** Group/versions that cannot be discovered: their kinds have no monitor unless they had one before. */
  readonly undiscovered: readonly string[];
}

/**
 * - `simulated`: told by the simulated collector of itself.
 * - `inferred`: what a collector that has seen these objects, and no others, would hold. A real one may be ahead of
 *   that or behind, and remembers what happened before anybody looked.
 */
export type Knowledge = 'simulated' | 'inferred';

export interface CollectorQueue {
  readonly name: string;
  /** What is worked on next comes first. */
  readonly items: readonly QueuedItem[];
  /** What comes back later; the next one first. */
  readonly backingOff: readonly BackingOff[];
}

export interface QueuedItem {
  readonly object: Identity;
  /** Only heard of in owner references, as far as the item knows. */
  readonly virtual: boolean;
  /** Of an item in a queue of events. */
  readonly event?: WatchedEvent;
}

/** `virtualDelete`: a look-up has proven that nothing goes by this identity. */
export type WatchedEvent = 'added' | 'updated' | 'deleted' | 'virtualDelete';

export interface BackingOff extends QueuedItem {
  /** Milliseconds since the epoch; undefined where only the collector itself knows. */
  readonly until: number | undefined;
  /** So many attempts in a row came to nothing; undefined where only the collector itself knows. */
  readonly failures: number | undefined;
}

/** An owner that is known from references alone. */
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
  /** `deployments.apps` */
  readonly resource: string;
  /** `blind`: cannot be listed, so that objects of the kind aren't seen, waited for or orphaned. */
  readonly state: 'synced' | 'listing' | 'blind';
  /** Why it is blind: `403`, `conversion webhook failed`. */
  readonly reason?: string;
}

/** Of a collector whose process doesn't run. */
export function stoppedCollector(at: number, version: string): CollectorState {
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

/**
 * What the collector does next with an object (docs/kubernetes.md §2.2, §2.4, §3; garbagecollector.go
 * attemptToDeleteItem, v1.36), as a pure function of the item, its live state and answered look-ups. The caller turns
 * the decision into requests, or shows it.
 */

import { blocksDeletion } from '../graph/deletion.ts';
import type { GraphNode } from '../graph/node.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER, type Uid } from '../model/object.ts';
import type { Classified } from './classify.ts';

export type Decision =
  /** Nothing to do. */
  | { readonly verdict: 'None' }
  | { readonly verdict: 'DeleteBackground' | 'DeleteForeground' | 'DeleteOrphan' }
  /** Drop the references to these uids. */
  | { readonly verdict: 'PruneReferences'; readonly uids: ReadonlySet<Uid> }
  /** Cycle breaking: make all own references non-blocking, then delete in the foreground. */
  | { readonly verdict: 'UnblockAndDelete' }
  /** Its foreground deletion waits for these; those that aren't waiting themselves are queued. */
  | { readonly verdict: 'WaitForDependents'; readonly blocking: readonly GraphNode[] }
  | { readonly verdict: 'RemoveForegroundFinalizer' }
  /** An error of the kind that is retried with backoff. */
  | { readonly verdict: 'RetryForever'; readonly because: 'unresolvable' | 'unknown' }
  /** A cluster-scoped object with a namespaced owner: given up without a retry. */
  | { readonly verdict: 'NeverCollected' };

/**
 * Dependents that hold up an owner's foreground deletion: any of their references to it blocks
 * (docs/kubernetes.md §3.1).
 */
function blockingDependents(node: GraphNode): GraphNode[] {
  const { uid } = node.identity;
  const blocking: GraphNode[] = [];
  for (const dependent of node.dependents) {
    if (blocksDeletion(dependent, uid)) blocking.push(dependent);
  }
  return blocking;
}

/** An owner that waits for its dependents (docs/kubernetes.md §3.1). */
export function decideForeground(node: GraphNode): Decision {
  const blocking = blockingDependents(node);
  return blocking.length === 0
    ? { verdict: 'RemoveForegroundFinalizer' }
    : { verdict: 'WaitForDependents', blocking };
}

/** Step 1 of the delete worker: a deleting item that doesn't wait for dependents needs nothing. */
export function skipsItem(node: GraphNode): boolean {
  return node.beingDeleted && !node.deletingDependents;
}

/** The decision table (docs/kubernetes.md §2.4). The graph's dependents count, and the live object's finalizers. */
export function decideByOwners(node: GraphNode, live: KubeObject, owners: Classified): Decision {
  if (owners.failed) {
    return owners.because === 'clusterScope'
      ? { verdict: 'NeverCollected' }
      : { verdict: 'RetryForever', because: owners.because };
  }
  const { solid, waiting, dangling } = owners;
  if (solid.length > 0) {
    if (waiting.length === 0 && dangling.length === 0) return { verdict: 'None' };
    return { verdict: 'PruneReferences', uids: new Set([...dangling, ...waiting].map(({ uid }) => uid)) };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    for (const dependent of node.dependents) {
      if (dependent.deletingDependents) return { verdict: 'UnblockAndDelete' };
    }
    return { verdict: 'DeleteForeground' };
  }
  if (live.finalizers.includes(ORPHAN_FINALIZER)) return { verdict: 'DeleteOrphan' };
  if (live.finalizers.includes(FOREGROUND_FINALIZER)) return { verdict: 'DeleteForeground' };
  return { verdict: 'DeleteBackground' };
}

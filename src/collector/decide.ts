/**
 * The collector's decision on an object (docs/kubernetes.md §2.2 to §2.4, §3; garbagecollector.go attemptToDeleteItem,
 * v1.36): pure functions of the item, its live state and look-ups. Callers send the requests or show them.
 */
import { type GraphNode, Identity, objectDeletion } from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type Uid,
} from '../model/index.ts';

export type Decision =
  | { readonly verdict: 'None' }
  | { readonly verdict: 'DeleteBackground' | 'DeleteForeground' | 'DeleteOrphan' }
  | { readonly verdict: 'PruneReferences'; readonly uids: ReadonlySet<Uid> }
  /** Breaks a cycle: all own references become non-blocking, then deletion in the foreground. */
  | { readonly verdict: 'UnblockAndDelete' }
  /** Waits for these dependents; those that aren't waiting themselves are queued. */
  | { readonly verdict: 'WaitForDependents'; readonly blocking: readonly GraphNode[] }
  | { readonly verdict: 'RemoveForegroundFinalizer' }
  /** Retried with backoff. */
  | { readonly verdict: 'RetryForever'; readonly because: 'unresolvable' | 'unknown' }
  /** Given up without a retry: a cluster-scoped object with a namespaced owner. */
  | { readonly verdict: 'NeverCollected' };

/** Decides for an owner in foreground deletion: any blocking reference holds it (docs/kubernetes.md §3.1). */
function decideForeground(node: GraphNode): Decision {
  const { uid } = node.identity;
  const blocking = [...node.dependents].filter(dependent => objectDeletion.isBlockedBy(dependent, uid));
  return blocking.length === 0
    ? { verdict: 'RemoveForegroundFinalizer' }
    : { verdict: 'WaitForDependents', blocking };
}

/** Skips a deleting item that doesn't wait for dependents: step 1 of the delete worker. */
function skipsItem(node: GraphNode): boolean {
  return node.beingDeleted && !node.deletingDependents;
}

/** Applies the decision table (docs/kubernetes.md §2.4) to the graph's dependents and the live object's finalizers. */
function decideByOwners(node: GraphNode, live: KubeObject, owners: Classified): Decision {
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
    const isCycle = node.dependents.values().some(({ deletingDependents }) => deletingDependents);
    return { verdict: isCycle ? 'UnblockAndDelete' : 'DeleteForeground' };
  }
  if (live.finalizers.includes(ORPHAN_FINALIZER)) return { verdict: 'DeleteOrphan' };
  if (live.finalizers.includes(FOREGROUND_FINALIZER)) return { verdict: 'DeleteForeground' };
  return { verdict: 'DeleteBackground' };
}

export type KindScope = 'namespaced' | 'cluster' | 'unresolvable';

/** The stored owner. `foreground`: being deleted with `foregroundDeletion`. */
export type OwnerAnswer =
  | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' };

export interface OwnerLookup {
  /** Resolves the kind in any served version. */
  scopeOf(apiVersion: string, kind: string): KindScope;
  /** Returns the object at these coordinates (`namespace` is `''` for cluster-scoped kinds); its uid may differ. */
  getOwner(identity: Identity): OwnerAnswer;
  remembersAbsent(identity: Identity): boolean;
  rememberAbsent(identity: Identity): void;
}

/**
 * `dangling`: proven absent. `waiting`: in foreground deletion. The last three end work on the object: `unresolvable`
 * and `unknown` are retried, `clusterScope` (a cluster-scoped object's namespaced owner) never is.
 */
export type Classification = 'solid' | 'waiting' | 'dangling' | 'unresolvable' | 'clusterScope' | 'unknown';

/** Classifies one reference; `namespace` is the referring object's, `''` if it is cluster-scoped. */
export function classifyReference(
  reference: OwnerReference,
  namespace: string,
  lookup: OwnerLookup,
): Classification {
  const clusterScoped = Identity.claimed(reference, '');
  const inNamespace = namespace === '' ? clusterScoped : Identity.claimed(reference, namespace);
  // Memory precedes the kind, so dependents of a removed CRD's instances are still collected.
  if (lookup.remembersAbsent(clusterScoped) || lookup.remembersAbsent(inNamespace)) return 'dangling';
  const scope = lookup.scopeOf(reference.apiVersion, reference.kind);
  if (scope === 'unresolvable') return 'unresolvable';
  if (scope === 'namespaced' && namespace === '') return 'clusterScope';
  const identity = scope === 'namespaced' ? inNamespace : clusterScoped;
  const owner = lookup.getOwner(identity);
  if (owner.state === 'unknown') return 'unknown';
  if (owner.state === 'absent' || owner.uid !== reference.uid) {
    lookup.rememberAbsent(identity);
    return 'dangling';
  }
  return owner.foreground ? 'waiting' : 'solid';
}

/** All references of an object; `failed` at the first that ends the work. */
export type Classified =
  | {
      readonly failed: false;
      readonly solid: readonly OwnerReference[];
      readonly waiting: readonly OwnerReference[];
      readonly dangling: readonly OwnerReference[];
    }
  | {
      readonly failed: true;
      readonly because: 'unresolvable' | 'clusterScope' | 'unknown';
      readonly reference: OwnerReference;
    };

function classifyReferences(
  references: readonly OwnerReference[],
  namespace: string,
  lookup: OwnerLookup,
): Classified {
  const sorted: Record<'solid' | 'waiting' | 'dangling', OwnerReference[]> = {
    solid: [],
    waiting: [],
    dangling: [],
  };
  for (const reference of references) {
    const because = classifyReference(reference, namespace, lookup);
    if (because === 'unresolvable' || because === 'clusterScope' || because === 'unknown') {
      return { failed: true, because, reference };
    }
    sorted[because].push(reference);
  }
  return { failed: false, ...sorted };
}

export const Decision = { byOwners: decideByOwners, foreground: decideForeground, isSkipped: skipsItem };

export const Classified = { of: classifyReferences };

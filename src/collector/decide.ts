/**
 * What owner references amount to, and what the collector does next with an object (docs/kubernetes.md §2.2 to §2.4,
 * §3; garbagecollector.go attemptToDeleteItem, v1.36), as pure functions of the item, its live state and answered
 * look-ups. The caller turns the decision into requests, or shows it.
 */
import { blocksDeletion } from '../graph/deletion.ts';
import { claimedIdentity, type GraphNode, type Identity } from '../graph/node.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type Uid,
} from '../model/object.ts';

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

/** Of an owner that waits for those dependents of which any reference to it blocks (docs/kubernetes.md §3.1). */
export function decideForeground(node: GraphNode): Decision {
  const { uid } = node.identity;
  const blocking = [...node.dependents].filter(dependent => blocksDeletion(dependent, uid));
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
    const isCycle = node.dependents.values().some(({ deletingDependents }) => deletingDependents);
    return { verdict: isCycle ? 'UnblockAndDelete' : 'DeleteForeground' };
  }
  if (live.finalizers.includes(ORPHAN_FINALIZER)) return { verdict: 'DeleteOrphan' };
  if (live.finalizers.includes(FOREGROUND_FINALIZER)) return { verdict: 'DeleteForeground' };
  return { verdict: 'DeleteBackground' };
}

export type KindScope = 'namespaced' | 'cluster' | 'unresolvable';

/** The owner as it is stored now. `foreground`: deleting and carrying `foregroundDeletion`. */
export type OwnerAnswer =
  | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean }
  | { readonly state: 'absent' }
  /** No answer: the request failed, or the asker cannot see such objects. */
  | { readonly state: 'unknown' };

export interface OwnerLookup {
  /** Scope of a served apiVersion and kind, in any served version. */
  scopeOf(apiVersion: string, kind: string): KindScope;
  /** The object at these coordinates (`namespace` is `''` for cluster-scoped kinds); its uid may differ. */
  getOwner(identity: Identity): OwnerAnswer;
  /** Whether the owner was proven absent before. */
  remembersAbsent(identity: Identity): boolean;
  /** Told of an owner that was just proven absent. */
  rememberAbsent(identity: Identity): void;
}

/**
 * `dangling`: proven absent. `waiting`: being deleted in the foreground. `unresolvable`, `clusterScope` and
 * `unknown` end the collector's work on the whole object: the first and last are retried, the cluster-scoped
 * object of a namespaced owner never is.
 */
export type Classification = 'solid' | 'waiting' | 'dangling' | 'unresolvable' | 'clusterScope' | 'unknown';

/** `namespace` is the referring object's, `''` when it is cluster-scoped. */
export function classifyReference(
  reference: OwnerReference,
  namespace: string,
  lookup: OwnerLookup,
): Classification {
  const clusterScoped = claimedIdentity(reference, '');
  const inNamespace = namespace === '' ? clusterScoped : claimedIdentity(reference, namespace);
  // Memory comes before the kind: dependents of a removed CRD's instances are still collected.
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

/** All references of an object, sorted by what they are; `failed` at the first one that ends the work. */
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

export function classifyReferences(
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

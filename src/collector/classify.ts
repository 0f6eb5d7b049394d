/**
 * How the collector judges one owner reference of an object (docs/kubernetes.md §2.3; garbagecollector.go isDangling,
 * v1.36). It asks a look-up and decides; whether live GETs, a simulated API server or the known graph answer
 * is the caller's business.
 */

import { claimedIdentity } from '../graph/identity.ts';
import type { Identity } from '../graph/node.ts';
import type { OwnerReference, Uid } from '../model/object.ts';

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

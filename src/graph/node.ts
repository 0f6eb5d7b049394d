/** A node of the ownership graph and the identity it goes by (docs/kubernetes.md §1.1). */
import type { KubeObject, OwnerReference, Uid } from '../model/object.ts';

/** apiVersion, kind, name and namespace under which a node is known; `''` is no namespace. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
}

/** Read-only face of a node; the graph alone changes it. One node per uid. */
export interface GraphNode {
  readonly identity: Identity;
  /** The object as last observed; undefined while the node is virtual (only heard of in owner references). */
  readonly object: KubeObject | undefined;
  /** `metadata.ownerReferences` verbatim. */
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<GraphNode>;
  readonly virtual: boolean;
  /** The deletion timestamp is set. */
  readonly beingDeleted: boolean;
  /** Deleting and carrying `foregroundDeletion`. */
  readonly deletingDependents: boolean;
}

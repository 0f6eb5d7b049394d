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
  /** That of `identity`, which is only put together for nodes that somebody asks for all of it. */
  readonly uid: Uid;
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

/** Whether a reference and an identity name the same coordinates: apiVersion, kind, name and uid. */
export function matchesCoordinates(
  reference: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>,
  identity: Identity,
): boolean {
  return (
    reference.uid === identity.uid &&
    reference.name === identity.name &&
    reference.kind === identity.kind &&
    reference.apiVersion === identity.apiVersion
  );
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a === b || (a.namespace === b.namespace && matchesCoordinates(a, b));
}

/** Whether it is in a namespace, or is that namespace. */
export function isWithin({ apiVersion, kind, namespace, name }: Identity, within: string): boolean {
  return namespace === within || (kind === 'Namespace' && apiVersion === 'v1' && name === within);
}

/** The identity that a reference claims for its owner, placed in the namespace of the referring object. */
export function claimedIdentity(reference: OwnerReference, namespace: string): Identity {
  return {
    apiVersion: reference.apiVersion,
    kind: reference.kind,
    namespace,
    name: reference.name,
    uid: reference.uid,
  };
}

/**
 * Order of two strings by their UTF-8 bytes, as Go compares them. JavaScript compares UTF-16 units, which
 * puts surrogate pairs before U+E000..U+FFFF; names in owner references are not validated.
 */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      const xIsHigh = x >= 0xd800 && x <= 0xdfff;
      const yIsHigh = y >= 0xd800 && y <= 0xdfff;
      return xIsHigh === yIsHigh ? x - y : xIsHigh ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** The collector's order of identities: kind, apiVersion, namespace, name, uid (graph_builder.go, v1.36). */
export function compareIdentities(a: Identity, b: Identity): number {
  return (
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.name, b.name) ||
    compareBytes(a.uid, b.uid)
  );
}

/** An identity as it stands in the collector's logs and events. */
export function describeIdentity(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

export interface GraphChanges {
  /** Nodes added or changed, and their neighbours where the change shows on them too (a new or lost owner or
   * dependent, an owner that began to wait). Nodes are replaced when their identity is: compare uids. */
  readonly touched: ReadonlySet<GraphNode>;
  readonly removed: ReadonlySet<GraphNode>;
}

/** What the collector does outside the graph while it takes in an event, in that order. */
export interface GraphEffects {
  /** `rateLimited` asks for the item's backoff before it is queued. */
  attemptToDelete(node: GraphNode, rateLimited: boolean): void;
  attemptToOrphan(node: GraphNode): void;
  /** The Warning `OwnerRefInvalidNamespace` on `dependent`, about its reference to `owner`'s uid. */
  invalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

export type GraphEvent =
  /** `old` is what the watch had before: undefined for an addition. */
  | { readonly op: 'upsert'; readonly object: KubeObject; readonly old: KubeObject | undefined }
  | { readonly op: 'delete'; readonly object: KubeObject }
  /** A look-up proved that nothing goes by this identity. */
  | { readonly op: 'virtualDelete'; readonly identity: Identity };

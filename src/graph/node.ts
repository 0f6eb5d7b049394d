/** A node of the ownership graph and its identity (docs/kubernetes.md §1.1). */
import type { KubeObject, OwnerReference, Uid } from '../model/index.ts';

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
}

/** Read-only view of a node, which only the graph changes. One node per uid. */
export interface GraphNode {
  /** Cheaper than `identity`, which is built on demand. */
  readonly uid: Uid;
  readonly identity: Identity;
  /** Undefined while the node is virtual (known only from owner references). */
  readonly object: KubeObject | undefined;
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<GraphNode>;
  readonly virtual: boolean;
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
}

function matchesCoordinates(
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

function sameIdentity(a: Identity, b: Identity): boolean {
  return a === b || (a.namespace === b.namespace && matchesCoordinates(a, b));
}

function isWithin({ apiVersion, kind, namespace, name }: Identity, within: string): boolean {
  return namespace === within || (kind === 'Namespace' && apiVersion === 'v1' && name === within);
}

/** Returns the identity that a reference claims, in the namespace of the referring object. */
function claimedIdentity(reference: OwnerReference, namespace: string): Identity {
  return {
    apiVersion: reference.apiVersion,
    kind: reference.kind,
    namespace,
    name: reference.name,
    uid: reference.uid,
  };
}

/** Compares UTF-8 bytes as Go does; UTF-16 order differs for surrogate pairs, which references may contain. */
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

/** Orders identities as the collector does: kind, apiVersion, namespace, name, uid (graph_builder.go, v1.36). */
function compareIdentities(a: Identity, b: Identity): number {
  return (
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.name, b.name) ||
    compareBytes(a.uid, b.uid)
  );
}

function describeIdentity(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

export interface GraphChanges {
  /** Changed nodes, and neighbours on which the change shows. A new identity replaces the node: compare uids. */
  readonly touched: ReadonlySet<GraphNode>;
  readonly removed: ReadonlySet<GraphNode>;
}

/** Effects of an event outside the graph, in the collector's order. */
export interface GraphEffects {
  /** `rateLimited` applies the item's backoff first. */
  attemptToDelete(node: GraphNode, rateLimited: boolean): void;
  attemptToOrphan(node: GraphNode): void;
  /** Reports the Warning `OwnerRefInvalidNamespace` on `dependent`, about its reference to `owner`'s uid. */
  invalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

export type GraphEvent =
  | { readonly op: 'upsert'; readonly object: KubeObject; readonly old: KubeObject | undefined }
  | { readonly op: 'delete'; readonly object: KubeObject }
  /** Records that a look-up found no object with this identity. */
  | { readonly op: 'virtualDelete'; readonly identity: Identity };

export const Identity = {
  claimed: claimedIdentity,
  compare: compareIdentities,
  describe: describeIdentity,
  isWithin,
  matches: matchesCoordinates,
  isSame: sameIdentity,
};

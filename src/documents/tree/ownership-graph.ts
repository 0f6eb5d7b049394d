/**
 * OwnershipGraph of the documents contract: what OwnershipTree says, flat, for programs that work on nodes and edges. Every
 * object is there once, however many owners it has, and every owner reference is an edge.
 */
import type { GraphNode } from '../../graph/node.ts';
import type { OwnerReference, Uid } from '../../model/object.ts';
import { objectId } from '../../model/object-id.ts';
import { API_VERSION, type Basis } from '../basis.ts';
import {
  type TreeContext,
  type TreeNodeHead,
  type TreeOwner,
  treeIdentity,
  treeNodeHead,
  treeOwner,
} from './ownership-tree.ts';
import { firstPlaces, type Selection } from './selection.ts';

/** A Node as at its first place in the tree, without what is a matter of places. */
export interface FlatNode extends Omit<TreeNodeHead, 'owners' | 'seeAlso' | 'cycle'> {
  /** What edges call it by: unique in the document. */
  readonly id: string;
  /** Owners that are no nodes of the document, so that no edge leads to them. */
  readonly otherOwners: readonly TreeOwner[];
}

/** An owner reference of the dependent. */
export interface Edge extends Omit<TreeOwner, 'object'> {
  /** Ids of nodes. */
  readonly owner: string;
  readonly dependent: string;
  /** The owner as the reference names it, which may be wrong. */
  readonly reference: TreeOwner['object'];
}

/** `nodes` and `edges` are made as they are read, and can be read once. */
export interface OwnershipGraphDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'OwnershipGraph';
  readonly basis: Basis;
  readonly nodes: Iterable<FlatNode>;
  readonly edges: Iterable<Edge>;
}

/** `now` in milliseconds since the epoch. */
export function ownershipGraphDocument(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): OwnershipGraphDocument {
  const ids = idsOf(selection, context);
  return {
    apiVersion: API_VERSION,
    kind: 'OwnershipGraph',
    basis,
    nodes: nodesOf(selection, context, { ids, now }),
    edges: edgesOf(selection, context, ids),
  };
}

type Ids = ReadonlyMap<Uid, string>;

/**
 * `Pod/shop/web-0`, `Deployment.apps/shop/web`. What exists has it as it is; an earlier owner of the same name, which is
 * only in references, has its uid behind it.
 */
function idsOf(selection: Selection, context: TreeContext): Ids {
  const ids = new Map<Uid, string>();
  const taken = new Set<string>();
  const virtual: GraphNode[] = [];
  const name = (node: GraphNode): void => {
    const { uid, ...identity } = treeIdentity(context, node);
    const id = objectId(identity);
    ids.set(uid, taken.has(id) ? `${id}#${uid}` : id);
    taken.add(id);
  };
  for (const { node } of firstPlaces(selection)) {
    if (node.virtual) virtual.push(node);
    else name(node);
  }
  for (const node of virtual) name(node);
  return ids;
}

function* nodesOf(
  selection: Selection,
  context: TreeContext,
  { ids, now }: { readonly ids: Ids; readonly now: number },
): Generator<FlatNode> {
  for (const place of firstPlaces(selection)) {
    const { owners, seeAlso: _seeAlso, cycle: _cycle, ...head } = treeNodeHead(context, place, now);
    const isOther = ({ uid }: OwnerReference): boolean => !ids.has(uid);
    const others = place.node.owners.flatMap((each, nth) => (isOther(each) ? (owners[nth] ?? []) : []));
    yield { id: ids.get(place.node.identity.uid) ?? '', ...head, otherOwners: others };
  }
}

function* edgesOf(selection: Selection, context: TreeContext, ids: Ids): Generator<Edge> {
  for (const { node } of firstPlaces(selection)) {
    const dependent = ids.get(node.identity.uid) ?? '';
    for (const each of node.owners) {
      const owner = ids.get(each.uid);
      if (owner === undefined) continue;
      const { object: reference, ...standing } = treeOwner(context, node, each);
      yield { owner, dependent, reference, ...standing };
    }
  }
}

/** The OwnershipGraph document: the tree as nodes and edges, with each object and owner reference once. */
import type { GraphNode } from '../../../graph/index.ts';
import { type OwnerReference, objectIds, type Uid } from '../../../model/index.ts';
import { API_VERSION } from '../basis.ts';
import type { Basis, Edge, FlatNode, OwnershipGraph } from '../definitions.ts';
import { type TreeContext, treeIdentity, treeNodeHead, treeOwner } from './ownership-tree.ts';
import { firstPlaces, type Selection } from './selection.ts';

/** `nodes` and `edges` are generated on demand and can be read once. */
type GeneratedGraph = Omit<OwnershipGraph, 'nodes' | 'edges'> & {
  readonly nodes: Iterable<FlatNode>;
  readonly edges: Iterable<Edge>;
};

export function ownershipGraphDocument(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): GeneratedGraph {
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

/** Assigns `Deployment.apps/shop/web`; a former owner of that name, known only from references, adds its uid. */
function idsOf(selection: Selection, context: TreeContext): Ids {
  const ids = new Map<Uid, string>();
  const taken = new Set<string>();
  const virtual: GraphNode[] = [];
  const name = (node: GraphNode): void => {
    const { uid, ...identity } = treeIdentity(context, node);
    const id = objectIds.of(identity);
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

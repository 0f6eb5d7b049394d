/**
 * Which part of the graph a command shows: targets, their owners upwards and their dependents downwards.
 * A namespace is the same thing with every object in it as a target.
 */

import { compareBytes, type GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { kindRank } from '../../text/terminal/names.ts';

export type TreeOrder = (a: GraphNode, b: GraphNode) => number;

/** The part of the graph that a selection is made from. */
export interface NodeLookup {
  get(uid: Uid): GraphNode | undefined;
}

export interface Selection {
  /** In order. Every selected node is reachable from one of them; a cycle without outer owners has one. */
  readonly roots: readonly GraphNode[];
  has(node: GraphNode): boolean;
  /** Selected itself, and not only an owner or dependent of what is. */
  isTarget(node: GraphNode): boolean;
  /** There are owners or dependents beside the targets. */
  readonly hasOthers: boolean;
  /** Selected dependents in order. */
  children(node: GraphNode): readonly GraphNode[];
  /** Selected nodes. */
  readonly size: number;
}

/** Namespace, kind (workloads first), name. */
export const byNamespaceAndKind: TreeOrder = (a, b) =>
  compareBytes(a.identity.namespace, b.identity.namespace) ||
  kindRank(a.identity.kind) - kindRank(b.identity.kind) ||
  compareBytes(a.identity.kind, b.identity.kind) ||
  compareBytes(a.identity.name, b.identity.name) ||
  compareBytes(a.identity.uid, b.identity.uid);

function ownersInGraph(graph: NodeLookup, node: GraphNode): GraphNode[] {
  const owners: GraphNode[] = [];
  for (const reference of node.owners) {
    const owner = graph.get(reference.uid);
    if (owner !== undefined && !owners.includes(owner)) owners.push(owner);
  }
  return owners;
}

/** Adds everything that `next` leads to. Iterative: ownership may be deeper than the call stack. */
function addReachable(
  found: Set<GraphNode>,
  starts: Iterable<GraphNode>,
  next: (node: GraphNode) => Iterable<GraphNode>,
): void {
  const open = [...starts];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    open.push(...next(node));
  }
}

/** Walks from owner to owner inside the selection to a node of the cycle at the top. */
function topOfCycle(start: GraphNode, owners: (node: GraphNode) => GraphNode[]): GraphNode {
  const seen = new Set<GraphNode>();
  let node = start;
  while (!seen.has(node)) {
    seen.add(node);
    const [owner] = owners(node);
    if (owner === undefined) break;
    node = owner;
  }
  return node;
}

/**
 * Selects `targets` with all their owners and dependents. `order` sorts siblings; the cost is linear in the
 * nodes selected and their edges.
 */
export function select(graph: NodeLookup, targets: Iterable<GraphNode>, order: TreeOrder): Selection {
  const wanted = new Set(targets);
  const selected = new Set<GraphNode>();
  addReachable(selected, wanted, node => ownersInGraph(graph, node));
  const below = new Set<GraphNode>();
  addReachable(below, wanted, node => node.dependents);
  for (const node of below) selected.add(node);

  // Dependents may have further owners outside; those stay outside and are named beside the dependent.
  const owners = (node: GraphNode): GraphNode[] =>
    ownersInGraph(graph, node).filter(owner => selected.has(owner));
  const children = (node: GraphNode): GraphNode[] =>
    [...node.dependents].filter(dependent => selected.has(dependent)).sort(order);

  const roots: GraphNode[] = [];
  const covered = new Set<GraphNode>();
  const addRoot = (node: GraphNode): void => {
    roots.push(node);
    addReachable(covered, [node], each => [...each.dependents].filter(dependent => selected.has(dependent)));
  };
  for (const node of selected) if (owners(node).length === 0) addRoot(node);
  // What is left is in or below cycles that nothing outside owns; a target in one stands at its top.
  for (const candidates of [wanted, selected]) {
    if (covered.size === selected.size) break;
    for (const node of [...candidates].sort(order)) if (!covered.has(node)) addRoot(topOfCycle(node, owners));
  }
  return {
    roots: roots.sort(order),
    has: node => selected.has(node),
    isTarget: node => wanted.has(node),
    hasOthers: selected.size > wanted.size,
    children,
    size: selected.size,
  };
}

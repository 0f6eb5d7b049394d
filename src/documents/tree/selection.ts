/**
 * Which part of the graph a command shows (targets, their owners upwards and their dependents downwards; a namespace is the
 * same with every object in it as a target), and in which order: depth first, every object in full at its first place and
 * as a leaf at any other.
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

export interface TreePosition {
  readonly node: GraphNode;
  /** The owner below which it stands; undefined for a root. */
  readonly parent: TreePosition | undefined;
  /** 0 for a root. */
  readonly depth: number;
  /** It is the last of its siblings. */
  readonly last: boolean;
  /** It stands in full at an earlier place. */
  readonly seeAlso: boolean;
  /** It is one of its own owners upwards: here a cycle closes. Always a `seeAlso` too. */
  readonly cycle: boolean;
  /** A target, and not only an owner or dependent of one. */
  readonly selected: boolean;
}

export type Visit =
  | { readonly at: 'enter'; readonly place: TreePosition }
  /** After the last of its dependents. */
  | { readonly at: 'leave'; readonly place: TreePosition };

interface Level {
  readonly place: TreePosition | undefined;
  readonly nodes: readonly GraphNode[];
  next: number;
}

/** Iterative, so that ownership may be deeper than the call stack. The graph must not change meanwhile. */
export function* walk(selection: Selection): Generator<Visit, void> {
  const placed = new Set<GraphNode>();
  const path = new Set<GraphNode>();
  const levels: Level[] = [{ place: undefined, nodes: selection.roots, next: 0 }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.nodes[level.next];
    if (node === undefined) {
      levels.pop();
      if (level.place !== undefined) {
        path.delete(level.place.node);
        yield { at: 'leave', place: level.place };
      }
      continue;
    }
    level.next += 1;
    const place: TreePosition = {
      node,
      parent: level.place,
      depth: levels.length - 1,
      last: level.next === level.nodes.length,
      seeAlso: placed.has(node),
      cycle: path.has(node),
      selected: selection.isTarget(node),
    };
    yield { at: 'enter', place };
    if (place.seeAlso) {
      yield { at: 'leave', place };
      continue;
    }
    placed.add(node);
    path.add(node);
    levels.push({ place, nodes: selection.children(node), next: 0 });
  }
}

/** Each selected node once, at its first place. */
export function* firstPlaces(selection: Selection): Generator<TreePosition, void> {
  for (const step of walk(selection)) if (step.at === 'enter' && !step.place.seeAlso) yield step.place;
}

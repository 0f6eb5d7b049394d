/**
 * The part of the graph that a command shows: targets with their owners and dependents, or a namespace whose objects
 * are all targets. Order is depth first; an object is complete at its first place and a leaf elsewhere.
 */
import { compareBytes, type GraphNode } from '../../../graph/index.ts';
import type { Uid } from '../../../model/index.ts';
import { nameWords } from '../../../text/index.ts';

export type TreeOrder = (a: GraphNode, b: GraphNode) => number;

export interface NodeLookup {
  get(uid: Uid): GraphNode | undefined;
}

export interface Selection {
  /** Sorted. Every selected node is reachable from a root; a cycle without outer owners has one. */
  readonly roots: readonly GraphNode[];
  has(node: GraphNode): boolean;
  /** Excludes owners and dependents of targets. */
  isTarget(node: GraphNode): boolean;
  readonly hasOthers: boolean;
  children(node: GraphNode): readonly GraphNode[];
  hidden(node: GraphNode): HiddenDependents;
  readonly size: number;
  /** Objects that `hides` left out. */
  readonly hiddenSize: number;
}

export interface HiddenDependents {
  readonly belowDepth: number;
  readonly ofTypes: number;
}

export interface SelectionLimits {
  /** Levels of dependents; all if undefined. */
  readonly depth?: number | undefined;
  /** Leaves a node out, but neither its owners nor its dependents. */
  readonly hides?: ((node: GraphNode) => boolean) | undefined;
}

const nothingHidden: HiddenDependents = { belowDepth: 0, ofTypes: 0 };

/** Sorts by namespace, kind (workloads first), name. */
export const byNamespaceAndKind: TreeOrder = (a, b) =>
  compareBytes(a.identity.namespace, b.identity.namespace) ||
  nameWords.kindRank(a.identity.kind) - nameWords.kindRank(b.identity.kind) ||
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

/** Adds everything that `next` leads to, level by level, because ownership may be deeper than the call stack. */
function addReachable(
  found: Set<GraphNode>,
  starts: Iterable<GraphNode>,
  next: (node: GraphNode) => Iterable<GraphNode>,
  depth = Infinity,
): void {
  let level: Iterable<GraphNode> = starts;
  for (let at = 0; at <= depth; at += 1) {
    const below: GraphNode[] = [];
    for (const node of level) {
      if (found.has(node)) continue;
      found.add(node);
      for (const each of next(node)) below.push(each);
    }
    if (below.length === 0) return;
    level = below;
  }
}

/** Follows owners within the selection to a node of the topmost cycle. */
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

/** Selects `targets` with all owners and dependents, within `limits`, in linear time. `order` sorts siblings. */
export function select(
  graph: NodeLookup,
  targets: Iterable<GraphNode>,
  order: TreeOrder,
  { depth = Infinity, hides = () => false }: SelectionLimits = {},
): Selection {
  const wanted = new Set(targets);
  const selected = new Set<GraphNode>();
  addReachable(selected, wanted, node => ownersInGraph(graph, node));
  const below = new Set<GraphNode>();
  addReachable(below, wanted, node => node.dependents, depth);
  for (const node of below) selected.add(node);
  const hidden = new Set([...selected].filter(hides));
  for (const node of hidden) {
    selected.delete(node);
    wanted.delete(node);
  }

  // Dependents' other owners stay outside and are named in notes.
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
  // The rest is in or below cycles without outer owners; a target in a cycle becomes its top.
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
    hidden: node => {
      if (!below.has(node)) return nothingHidden;
      const left = [...node.dependents].filter(dependent => !selected.has(dependent));
      const ofTypes = left.filter(dependent => hidden.has(dependent)).length;
      return { belowDepth: left.length - ofTypes, ofTypes };
    },
    size: selected.size,
    hiddenSize: hidden.size,
  };
}

/** Returns the targets without owners among them, and those in or below cycles that have none either. */
export function topmost(graph: NodeLookup, targets: Iterable<GraphNode>): readonly GraphNode[] {
  const wanted = new Set(targets);
  const tops = [...wanted].filter(node => !ownersInGraph(graph, node).some(owner => wanted.has(owner)));
  const covered = new Set<GraphNode>();
  addReachable(covered, tops, node => node.dependents);
  return [...tops, ...[...wanted].filter(node => !covered.has(node))];
}

export interface TreePosition {
  readonly node: GraphNode;
  readonly parent: TreePosition | undefined;
  readonly depth: number;
  readonly last: boolean;
  /** True for a repeated object, whose complete row is earlier. */
  readonly seeAlso: boolean;
  readonly hidden: HiddenDependents;
  /** Set if it is also one of its owners upwards, which closes a cycle. Implies `seeAlso`. */
  readonly cycle: boolean;
  readonly selected: boolean;
}

export type Visit =
  | { readonly at: 'enter'; readonly place: TreePosition }
  | { readonly at: 'leave'; readonly place: TreePosition };

interface Level {
  readonly place: TreePosition | undefined;
  readonly nodes: readonly GraphNode[];
  next: number;
}

/** Iterates, because ownership may be deeper than the call stack. The graph must not change meanwhile. */
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
      hidden: selection.hidden(node),
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

/** Yields each selected node once, at its first place. */
export function* firstPlaces(selection: Selection): Generator<TreePosition, void> {
  for (const step of walk(selection)) if (step.at === 'enter' && !step.place.seeAlso) yield step.place;
}

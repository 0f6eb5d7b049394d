/**
 * What can be drawn of the graph: a forest of sorted roots and sorted dependents, in one namespace or in all,
 * kept current from the graph's changes. A node with several owners appears below each of them.
 */

import { getOrInsert } from '../model/maps.ts';
import type { Uid } from '../model/object.ts';
import { cyclesAbove } from './cycles.ts';
import type { OwnershipGraph } from './graph.ts';
import type { GraphChanges, GraphNode, Identity } from './node.ts';

export interface ForestScope {
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
}

/**
 * In scope are the namespace's observed objects, and virtual owners of theirs as ghosts. Roots are the nodes
 * without an owner in scope; owners outside are the caller's to mention. Of a cycle that nothing in scope owns
 * from outside, the first member in order is a root, so every node in scope can be reached from some root.
 */
export class Forest {
  readonly scope: ForestScope;
  readonly #graph: OwnershipGraph;
  readonly #rootSet = new Set<GraphNode>();
  #sortedRoots: readonly GraphNode[] = [];
  readonly #addedRoots = new Set<GraphNode>();
  readonly #removedRoots = new Set<GraphNode>();
  /** Undefined until somebody asks for them. */
  #changedRoots: Set<GraphNode> | undefined;
  /** Members of cycles; in a healthy cluster there are none. */
  #cyclic = new Set<GraphNode>();
  readonly #sortedChildren = new Map<GraphNode, readonly GraphNode[]>();

  constructor(graph: OwnershipGraph, scope: ForestScope) {
    this.#graph = graph;
    this.scope = scope;
    const nodes = new Set(graph.nodes());
    this.apply({ touched: nodes, removed: new Set() });
  }

  /** Costs the changed nodes and their neighbours; where owner cycles exist, also these and what owns them. */
  apply(changes: GraphChanges): void {
    const { touched, removed } = changes;
    for (const node of removed) {
      this.#setRoot(node, false);
      this.#cyclic.delete(node);
      this.#sortedChildren.delete(node);
    }
    const suspects = new Set<GraphNode>(this.#cyclic);
    for (const node of touched) {
      this.#setRoot(node, this.contains(node) && !this.#hasOwner(node));
      if (node.owners.length > 0 && node.dependents.size > 0) suspects.add(node);
    }
    if (suspects.size > 0) this.#findCycles(suspects);
    if (this.#sortedChildren.size > 0) this.#refreshChildren(changes);
  }

  /** A new array after each change, the same one otherwise. */
  roots(): readonly GraphNode[] {
    if (this.#addedRoots.size > 0 || this.#removedRoots.size > 0) {
      this.#sortedRoots = withChanges(this.#sortedRoots, this.#addedRoots, this.#removedRoots);
      this.#addedRoots.clear();
      this.#removedRoots.clear();
    }
    return this.#sortedRoots;
  }

  /** Those that became roots, or ceased to be, since this was asked last; none the first time. */
  takeChangedRoots(): Iterable<GraphNode> {
    const changed = this.#changedRoots ?? [];
    this.#changedRoots = new Set();
    return changed;
  }

  isRoot(node: GraphNode): boolean {
    return this.#rootSet.has(node);
  }

  /** Dependents in scope; a new array after each change of them, the same one otherwise. */
  children(node: GraphNode): readonly GraphNode[] {
    if (node.dependents.size === 0) return noChildren;
    return getOrInsert(this.#sortedChildren, node, () =>
      [...node.dependents].filter(dependent => this.contains(dependent)).sort(compareNodes),
    );
  }

  /** Whether a node is in scope. */
  contains(node: GraphNode): boolean {
    const { namespace } = this.scope;
    if (node.object !== undefined) return namespace === undefined || node.object.namespace === namespace;
    for (const { object } of node.dependents) {
      if (namespace === undefined || object?.namespace === namespace) return true;
    }
    return false;
  }

  /** Owners in scope, each once. */
  owners(node: GraphNode): readonly GraphNode[] {
    const owners: GraphNode[] = [];
    for (const { uid } of node.owners) {
      const owner = this.#linkedOwner(node, uid);
      if (owner !== undefined && !owners.includes(owner)) owners.push(owner);
    }
    return owners;
  }

  #hasOwner(node: GraphNode): boolean {
    for (const { uid } of node.owners) if (this.#linkedOwner(node, uid) !== undefined) return true;
    return false;
  }

  /**
   * The owner of this uid, if it is in scope and knows of the node: in a collector's graph, a virtual node
   * that came after its namesake was deleted doesn't know the deleted one's dependents.
   */
  #linkedOwner(node: GraphNode, uid: Uid): GraphNode | undefined {
    const owner = this.#graph.get(uid);
    return owner?.dependents.has(node) && this.contains(owner) ? owner : undefined;
  }

  #setRoot(node: GraphNode, root: boolean): void {
    if (root === this.#rootSet.has(node)) return;
    this.#changedRoots?.add(node);
    if (root) {
      this.#rootSet.add(node);
      if (!this.#removedRoots.delete(node)) this.#addedRoots.add(node);
    } else {
      this.#rootSet.delete(node);
      if (!this.#addedRoots.delete(node)) this.#removedRoots.add(node);
    }
  }

  #findCycles(suspects: ReadonlySet<GraphNode>): void {
    const before = this.#cyclic;
    this.#cyclic = new Set();
    const heads = new Set<GraphNode>();
    const inScope = [...suspects].filter(node => this.contains(node));
    for (const cycle of cyclesAbove(inScope, node => this.owners(node))) {
      for (const member of cycle.members) this.#cyclic.add(member);
      if (cycle.topLevel) heads.add(first(cycle.members));
    }
    for (const node of this.#cyclic) this.#setRoot(node, heads.has(node));
    for (const node of before) {
      if (!this.#cyclic.has(node)) this.#setRoot(node, this.contains(node) && !this.#hasOwner(node));
    }
  }

  #refreshChildren({ touched, removed }: GraphChanges): void {
    const added = new Map<GraphNode, GraphNode[]>();
    const lost = new Map<GraphNode, GraphNode[]>();
    const note = (changes: Map<GraphNode, GraphNode[]>, child: GraphNode): void => {
      for (const { uid } of child.owners) {
        const owner = this.#graph.get(uid);
        if (owner === undefined || !this.#sortedChildren.has(owner)) continue;
        if (changes === added && !owner.dependents.has(child)) continue;
        getOrInsert(changes, owner, () => []).push(child);
      }
    };
    for (const node of removed) note(lost, node);
    for (const node of touched) if (this.contains(node)) note(added, node);
    for (const owner of new Set([...added.keys(), ...lost.keys()])) this.#update(owner, added, lost);
    for (const owner of touched) this.#dropStaleChildren(owner);
  }

  #update(
    owner: GraphNode,
    added: ReadonlyMap<GraphNode, readonly GraphNode[]>,
    lost: ReadonlyMap<GraphNode, readonly GraphNode[]>,
  ): void {
    const children = this.#sortedChildren.get(owner);
    if (children === undefined) return;
    const gains = new Set<GraphNode>();
    for (const child of added.get(owner) ?? []) if (!isIn(children, child)) gains.add(child);
    const losses = (lost.get(owner) ?? []).filter(child => isIn(children, child));
    if (gains.size > 0 || losses.length > 0) {
      this.#sortedChildren.set(owner, withChanges(children, gains, losses));
    }
  }

  /**
   * A dependent that still exists but no longer refers to its owner isn't told apart in the changes; it shows
   * by leaving a list that is longer than it should be, which is sorted anew when next asked for.
   */
  #dropStaleChildren(owner: GraphNode): void {
    const children = this.#sortedChildren.get(owner);
    if (children === undefined) return;
    let count = owner.dependents.size;
    if (this.scope.namespace !== undefined) {
      count = 0;
      for (const dependent of owner.dependents) if (this.contains(dependent)) count += 1;
    }
    if (children.length !== count) this.#sortedChildren.delete(owner);
  }
}

const noChildren: readonly GraphNode[] = Object.freeze([]);

function first(members: readonly GraphNode[]): GraphNode {
  return members.reduce((least, member) => (compareNodes(member, least) < 0 ? member : least));
}

function isIn(sorted: readonly GraphNode[], node: GraphNode): boolean {
  return sorted[lowerBound(sorted, node)] === node;
}

/** By namespace, kind, name; then by what makes two nodes distinct, so that the order is total. */
export function compareNodes(a: GraphNode, b: GraphNode): number {
  if (a === b) return 0;
  const x = a.object ?? a.identity;
  const y = b.object ?? b.identity;
  return (
    compare(x.namespace, y.namespace) ||
    compare(kindOf(a), kindOf(b)) ||
    compare(x.name, y.name) ||
    compare(x.uid, y.uid) ||
    compare(a.identity.apiVersion, b.identity.apiVersion)
  );
}

function kindOf(node: GraphNode): Identity['kind'] {
  return node.object === undefined ? node.identity.kind : node.object.type.kind;
}

/** By code units and not by locale: fast, and the same everywhere. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Index of the first element that isn't before `node`. */
function lowerBound(sorted: readonly GraphNode[], node: GraphNode, from = 0): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = sorted[middle];
    if (candidate !== undefined && compareNodes(candidate, node) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A new sorted array without `removals` and with `additions`. Costs a comparison or two per change and a
 * copy of the rest. Additions that are there and removals that aren't change nothing.
 */
function withChanges(
  sorted: readonly GraphNode[],
  additions: Iterable<GraphNode>,
  removals: Iterable<GraphNode>,
): readonly GraphNode[] {
  const changes: { readonly node: GraphNode; readonly add: boolean }[] = [];
  // The sort is stable: a node goes before another one of the same identity takes its place.
  for (const node of removals) changes.push({ node, add: false });
  for (const node of additions) changes.push({ node, add: true });
  if (changes.length === 0) return sorted;
  changes.sort((a, b) => compareNodes(a.node, b.node));
  if (changes.length <= FEW) return withFew(sorted, changes);
  const result: GraphNode[] = [];
  let position = 0;
  for (const { node, add } of changes) {
    const end = lowerBound(sorted, node, position);
    while (position < end) position = copy(sorted, position, result);
    const present = sorted[end] === node;
    if (present) position = end + 1;
    if (add) result.push(node);
  }
  while (position < sorted.length) position = copy(sorted, position, result);
  return result;
}

/** So many changes are made in a copy of the whole one by one: of 150,000 roots one is nearly always another. */
const FEW = 16;

function withFew(
  sorted: readonly GraphNode[],
  changes: readonly { readonly node: GraphNode; readonly add: boolean }[],
): readonly GraphNode[] {
  const result = sorted.slice();
  let position = 0;
  for (const { node, add } of changes) {
    position = lowerBound(result, node, position);
    const isThere = result[position] === node;
    if (add && !isThere) result.splice(position, 0, node);
    else if (!add && isThere) result.splice(position, 1);
  }
  return result;
}

function copy(from: readonly GraphNode[], position: number, to: GraphNode[]): number {
  const node = from[position];
  if (node !== undefined) to.push(node);
  return position + 1;
}

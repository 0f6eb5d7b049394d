/** A forest of sorted roots and dependents, updated from graph changes. Nodes appear below each of their owners. */

import { getOrInsert, type Uid } from '../model/index.ts';
import { cyclesAbove } from './cycles.ts';
import { isDeleting } from './deletion.ts';
import type { OwnershipGraph } from './graph.ts';
import { type GraphChanges, type GraphNode, Identity } from './node.ts';

export interface ForestScope {
  readonly namespace: string | undefined;
}

/**
 * Holds a scope's observed objects, and their virtual owners as ghosts. Roots have no owner in scope; callers report
 * outside owners. The first member of a cycle without an outside owner is a root, so a root leads to every node.
 */
export class Forest {
  readonly scope: ForestScope;
  readonly #graph: OwnershipGraph;
  readonly #rootSet = new Set<GraphNode>();
  #sortedRoots: readonly GraphNode[] = [];
  readonly #addedRoots = new Set<GraphNode>();
  readonly #removedRoots = new Set<GraphNode>();
  #changedRoots: Set<GraphNode> | undefined;
  /** Empty in a healthy cluster. */
  #cyclic = new Set<GraphNode>();
  readonly #sortedChildren = new Map<GraphNode, readonly GraphNode[]>();

  constructor(graph: OwnershipGraph, scope: ForestScope) {
    this.#graph = graph;
    this.scope = scope;
    const nodes = new Set(graph.nodes());
    this.apply({ touched: nodes, removed: new Set() });
  }

  /** Costs the changed nodes and their neighbours, plus all owner cycles and their owners. */
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

  /** Returns a new array only after a change. */
  roots(): readonly GraphNode[] {
    if (this.#addedRoots.size > 0 || this.#removedRoots.size > 0) {
      this.#sortedRoots = withChanges(this.#sortedRoots, this.#addedRoots, this.#removedRoots);
      this.#addedRoots.clear();
      this.#removedRoots.clear();
    }
    return this.#sortedRoots;
  }

  /** Returns nodes that became or ceased to be roots since the last call; none on the first. */
  takeChangedRoots(): Iterable<GraphNode> {
    const changed = this.#changedRoots ?? [];
    this.#changedRoots = new Set();
    return changed;
  }

  isRoot(node: GraphNode): boolean {
    return this.#rootSet.has(node);
  }

  /** Returns dependents in scope, as a new array only after a change. */
  children(node: GraphNode): readonly GraphNode[] {
    if (node.dependents.size === 0) return noChildren;
    return getOrInsert(this.#sortedChildren, node, () =>
      [...node.dependents].filter(dependent => this.contains(dependent)).sort(compareNodes),
    );
  }

  contains(node: GraphNode): boolean {
    const { namespace } = this.scope;
    if (node.object !== undefined)
      return namespace === undefined || node.object.namespace === namespace || this.isEnding(node);
    for (const { object } of node.dependents) {
      if (namespace === undefined || object?.namespace === namespace) return true;
    }
    return false;
  }

  /** Reports whether a node is the scope's own Namespace, being deleted with all that is in it. */
  isEnding({ identity, object }: Pick<GraphNode, 'identity' | 'object'>): boolean {
    const { namespace } = this.scope;
    if (namespace === undefined || object === undefined || !isDeleting(object)) return false;
    return object.namespace === '' && Identity.isWithin(identity, namespace);
  }

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

  /** Returns an owner in scope that knows the node; a collector's new virtual node doesn't know old dependents. */
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

  /** Drops a child list that is too long: changes don't show that a dependent stopped referring to its owner. */
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

/** Compares namespace, kind, name, and then the rest of the identity, for a total order. */
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

/** Compares code units, not by locale: fast, and the same on every machine. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

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

/** Applies changes to a sorted array, at a comparison or two each plus one copy; redundant changes do nothing. */
function withChanges(
  sorted: readonly GraphNode[],
  additions: Iterable<GraphNode>,
  removals: Iterable<GraphNode>,
): readonly GraphNode[] {
  const changes: { readonly node: GraphNode; readonly add: boolean }[] = [];
  // The sort is stable, so a node is removed before another with its identity is added.
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

/** Number of changes up to which each is spliced into one copy. */
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

/** Orders of siblings in the tree. */
import { compareNodes, type GraphNode } from '../../../graph/index.ts';
import type { TreeSort } from '../../settings/settings.ts';
import { NO_TROUBLE, type TreeTrouble } from './trouble.ts';

export interface SiblingOrder {
  readonly rank: (node: GraphNode) => number;
  /** A namespace is sorted by its lowest rank if that is below this one, else by name. */
  readonly calm: number;
}

export function compareIn(order: SiblingOrder): (a: GraphNode, b: GraphNode) => number {
  return (a, b) => order.rank(a) - order.rank(b) || compareNodes(a, b);
}

/** Maximum number of ranks handled without sorting. */
const FEW_RANKS = 64;

/** Reorders nodes from the forest's order. Nearly all ranks are equal, so sorting would be wasteful. */
export function ordered(nodes: readonly GraphNode[], order: SiblingOrder): readonly GraphNode[] {
  const byRank = new Map<number, GraphNode[]>();
  for (const node of nodes) {
    const rank = order.rank(node);
    const same = byRank.get(rank);
    if (same !== undefined) same.push(node);
    else if (byRank.size < FEW_RANKS) byRank.set(rank, [node]);
    else return nodes.toSorted(compareIn(order));
  }
  if (byRank.size <= 1) return nodes;
  return [...byRank.keys()].sort((a, b) => a - b).flatMap(rank => byRank.get(rank) ?? []);
}

/** Returns undefined for the forest's own order, by name. `rank`: rank of trouble. */
export function orderOf(sort: TreeSort, rank: SiblingOrder['rank']): SiblingOrder | undefined {
  switch (sort) {
    case 'name':
      return undefined;
    case 'age':
      return { rank: node => -(node.object?.creationTimestamp ?? 0), calm: Number.NEGATIVE_INFINITY };
    case 'trouble':
      return { rank, calm: CALM };
  }
}

/** Above every deletion timestamp; 500 times as much is still exact. */
const LEVEL = 1e13;
const DELETING = NO_TROUBLE * LEVEL;
const GHOST = DELETING + LEVEL;
const CALM = GHOST + LEVEL;
/** Rank of objects without relations or trouble. */
export const LONE = CALM + LEVEL;

/** Ranks trouble first, then objects being deleted, longest first, then ghost owners and the rest. */
export function troubleRank(node: GraphNode, trouble: TreeTrouble): number {
  const level = trouble.levelOf(node.uid);
  if (level !== undefined) return level * LEVEL + (node.object?.deletionTimestamp ?? LEVEL - 1);
  if (node.beingDeleted) return DELETING + (node.object?.deletionTimestamp ?? 0);
  if (node.virtual) return GHOST;
  return node.owners.length > 0 || node.dependents.size > 0 ? CALM : LONE;
}

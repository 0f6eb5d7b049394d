/** In which order siblings of the tree stand. */
import { compareNodes } from '../../../graph/forest.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { NO_TROUBLE, type TreeTrouble } from './trouble.ts';

export interface SiblingOrder {
  /** What has the lower rank stands first; of equals, what the forest has first. */
  readonly rank: (node: GraphNode) => number;
  /** Namespaces stand by the lowest rank in them, where that is lower than this one; otherwise by name. */
  readonly calm: number;
}

export function compareIn(order: SiblingOrder): (a: GraphNode, b: GraphNode) => number {
  return (a, b) => order.rank(a) - order.rank(b) || compareNodes(a, b);
}

/** So many ranks are told apart without sorting. */
const FEW_RANKS = 64;

/**
 * Puts nodes that stand in the forest's order into this one. Nearly all of them have the same rank, so that sorting them
 * would compare what is in order already.
 */
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

export type TreeSort = 'name' | 'age' | 'trouble';

/** Undefined is the forest's own order, by name. `rank` is that of trouble. */
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

/** Behind every deletion timestamp, in milliseconds since the epoch. 500 times as much is still exact. */
const LEVEL = 1e13;
const DELETING = NO_TROUBLE * LEVEL;
const GHOST = DELETING + LEVEL;
const CALM = GHOST + LEVEL;
/** The rank of what has no relations, and with which nothing is wrong. */
export const LONE = CALM + LEVEL;

/**
 * The worst finding at it or below it, then what is being deleted, each the longest first. Then owners that nobody has
 * seen, the rest, and behind it what neither owns anything nor is owned.
 */
export function troubleRank(node: GraphNode, trouble: TreeTrouble): number {
  const level = trouble.levelOf(node.uid);
  if (level !== undefined) return level * LEVEL + (node.object?.deletionTimestamp ?? LEVEL - 1);
  if (node.beingDeleted) return DELETING + (node.object?.deletionTimestamp ?? 0);
  if (node.virtual) return GHOST;
  return node.owners.length > 0 || node.dependents.size > 0 ? CALM : LONE;
}

/** The order in which trees list nodes, and arrays kept in it. */
import type { GraphNode, Identity } from './node.ts';

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
export function lowerBound(sorted: readonly GraphNode[], node: GraphNode, from = 0): number {
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
export function withChanges(
  sorted: readonly GraphNode[],
  additions: Iterable<GraphNode>,
  removals: Iterable<GraphNode>,
): readonly GraphNode[] {
  const changes: { readonly node: GraphNode; readonly add: boolean }[] = [];
  for (const node of additions) changes.push({ node, add: true });
  for (const node of removals) changes.push({ node, add: false });
  if (changes.length === 0) return sorted;
  changes.sort((a, b) => compareNodes(a.node, b.node));
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

function copy(from: readonly GraphNode[], position: number, to: GraphNode[]): number {
  const node = from[position];
  if (node !== undefined) to.push(node);
  return position + 1;
}

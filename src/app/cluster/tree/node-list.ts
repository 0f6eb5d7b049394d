/** A sorted list of roots, edited without sorting it again. */
import { compareNodes, type GraphNode } from '../../../graph/index.ts';
import { compareIn, ordered, type SiblingOrder } from './order.ts';

/** Maximum number of changes made one by one. */
const FEW = 16;

export class NodeList {
  #nodes: GraphNode[] = [];

  /** A new array after each edit. */
  get all(): readonly GraphNode[] {
    return this.#nodes;
  }

  push(node: GraphNode): void {
    this.#nodes.push(node);
  }

  begin(order: SiblingOrder | undefined): void {
    if (order !== undefined) this.#nodes = [...ordered(this.#nodes, order)];
  }

  /** Removes and adds nodes; a node in both is moved. */
  edit(removed: ReadonlySet<GraphNode>, added: Iterable<GraphNode>, order: SiblingOrder | undefined): void {
    const more = [...added];
    if (removed.size === 0 && more.length === 0) return;
    const compare = order === undefined ? compareNodes : compareIn(order);
    const rest =
      removed.size <= FEW ? without(this.#nodes, removed) : this.#nodes.filter(node => !removed.has(node));
    if (more.length <= FEW) for (const node of more) rest.splice(placeOf(node, rest, compare), 0, node);
    this.#nodes = more.length <= FEW ? rest : merged(rest, more.sort(compare), compare);
  }
}

type Compare = (a: GraphNode, b: GraphNode) => number;

function without(nodes: readonly GraphNode[], removed: ReadonlySet<GraphNode>): GraphNode[] {
  const rest = nodes.slice();
  for (const node of removed) {
    const at = rest.indexOf(node);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}

function placeOf(
  node: GraphNode,
  nodes: readonly GraphNode[],
  compare: Compare,
  [low, high]: [number, number] = [0, nodes.length],
): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = nodes[middle];
    if (other !== undefined && compare(other, node) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Copies runs between added nodes without comparing: comparing a large list takes ten times as long. */
function merged(a: readonly GraphNode[], b: readonly GraphNode[], compare: Compare): GraphNode[] {
  const out: GraphNode[] = [];
  let at = 0;
  const copyTo = (end: number): void => {
    for (let node = a[at]; at < end && node !== undefined; node = a[++at]) out.push(node);
  };
  for (const next of b) {
    copyTo(placeFrom(at, next, a, compare));
    out.push(next);
  }
  copyTo(a.length);
  return out;
}

/** Searches in growing steps, since added nodes are often close together. */
function placeFrom(at: number, node: GraphNode, nodes: readonly GraphNode[], compare: Compare): number {
  let low = at;
  for (let step = 1; ; step *= 2) {
    const high = low + step;
    const other = nodes[high - 1];
    if (other === undefined || compare(other, node) >= 0)
      return placeOf(node, nodes, compare, [low, Math.min(high, nodes.length)]);
    low = high;
  }
}

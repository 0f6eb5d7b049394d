/** A way from a root of the tree down to a node, for showing a node wherever it stands. */
import type { GraphNode } from '../../../graph/node.ts';
import type { Uid } from '../../../model/object.ts';

interface Shape {
  isRoot(node: GraphNode): boolean;
  owners(node: GraphNode): readonly GraphNode[];
  /** Only what is shown below a node when it is unfolded. */
  children(node: GraphNode): readonly GraphNode[];
}

/** From the root to the node itself; undefined when no way is shown. Owner cycles are walked once. */
export function pathFromRoot(
  node: GraphNode,
  shape: Shape,
  seen: Set<Uid> = new Set(),
): GraphNode[] | undefined {
  const { uid } = node.identity;
  if (seen.has(uid)) return undefined;
  seen.add(uid);
  if (shape.isRoot(node)) return [node];
  for (const owner of shape.owners(node)) {
    if (!shape.children(owner).includes(node)) continue;
    const path = pathFromRoot(owner, shape, seen);
    if (path !== undefined) return [...path, node];
  }
  return undefined;
}

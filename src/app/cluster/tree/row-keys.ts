/** Keys of the tree's groups. */
import type { GraphNode } from '../../../graph/index.ts';

export function groupKeysOf(root: GraphNode): readonly string[] {
  const namespace = namespaceOf(root);
  return [namespace, poolKey(namespace, kindOf(root))];
}

export function poolKey(namespace: string, kind: string): string {
  return `${namespace}/${kind}`;
}

export function namespaceOf(node: GraphNode): string {
  return (node.object ?? node.identity).namespace;
}

export function kindOf(node: GraphNode): string {
  return node.object === undefined ? node.identity.kind : node.object.type.kind;
}

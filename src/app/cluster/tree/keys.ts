/** What the groups of roots are told apart by. */
import type { GraphNode } from '../../../graph/node.ts';

/** Of the groups that a root is in where there are groups of namespaces and kinds. */
export function groupKeysOf(root: GraphNode): readonly string[] {
  const namespace = namespaceOf(root);
  return [namespace, poolKey(namespace, kindOf(root))];
}

/** Of the roots of one kind in a namespace. */
export function poolKey(namespace: string, kind: string): string {
  return `${namespace}/${kind}`;
}

export function namespaceOf(node: GraphNode): string {
  return (node.object ?? node.identity).namespace;
}

export function kindOf(node: GraphNode): string {
  return node.object === undefined ? node.identity.kind : node.object.type.kind;
}

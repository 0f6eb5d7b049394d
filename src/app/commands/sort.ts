/** The orders in which siblings can stand. */
import { compareBytes, type GraphNode } from '../../graph/node.ts';
import type { SiblingComparator } from '../cluster/tree/rows.ts';

export type TreeSort = 'name' | 'age' | 'trouble';

export const siblingOrders: readonly TreeSort[] = ['name', 'age', 'trouble'];

export const sortTitles: Readonly<Record<TreeSort, string>> = {
  name: 'namespace, kind, name',
  age: 'newest first',
  trouble: 'deleting first, longest first',
};

function byName(a: GraphNode, b: GraphNode): number {
  return (
    compareBytes(a.identity.namespace, b.identity.namespace) ||
    compareBytes(a.identity.kind, b.identity.kind) ||
    compareBytes(a.identity.name, b.identity.name) ||
    compareBytes(a.uid, b.uid)
  );
}

/** Deleting objects before virtual ones before the rest. */
function trouble(node: GraphNode): number {
  if (node.beingDeleted) return 0;
  return node.virtual ? 1 : 2;
}

/** Undefined is the forest's own order, by name. */
export function nodeOrder(key: TreeSort): SiblingComparator | undefined {
  switch (key) {
    case 'name':
      return undefined;
    case 'age':
      return (a, b) =>
        (b.object?.creationTimestamp ?? 0) - (a.object?.creationTimestamp ?? 0) || byName(a, b);
    case 'trouble':
      return (a, b) =>
        trouble(a) - trouble(b) ||
        (a.object?.deletionTimestamp ?? 0) - (b.object?.deletionTimestamp ?? 0) ||
        byName(a, b);
  }
}

/** The orders in which siblings can stand. */
import type { GraphNode } from '../../graph/node.ts';
import type { SiblingComparator } from '../cluster/tree/rows.ts';

export type SiblingOrder = 'name' | 'age' | 'trouble';

export const siblingOrders: readonly SiblingOrder[] = ['name', 'age', 'trouble'];

export const sortTitles: Readonly<Record<SiblingOrder, string>> = {
  name: 'namespace, kind, name',
  age: 'newest first',
  trouble: 'deleting first, longest first',
};

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byName(a: GraphNode, b: GraphNode): number {
  return (
    compareText(a.identity.namespace, b.identity.namespace) ||
    compareText(a.identity.kind, b.identity.kind) ||
    compareText(a.identity.name, b.identity.name) ||
    compareText(a.identity.uid, b.identity.uid)
  );
}

/** Deleting objects before virtual ones before the rest. */
function trouble(node: GraphNode): number {
  if (node.beingDeleted) return 0;
  return node.virtual ? 1 : 2;
}

/** Undefined is the forest's own order, by name. */
export function nodeOrder(key: SiblingOrder): SiblingComparator | undefined {
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

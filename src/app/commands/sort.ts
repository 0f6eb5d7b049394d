/** The orders in which siblings can stand. */
import type { TreeSort } from '../cluster/tree/order.ts';

export const siblingOrders: readonly TreeSort[] = ['name', 'age', 'trouble'];

export const sortTitles: Readonly<Record<TreeSort, string>> = {
  name: 'namespace, kind, name',
  age: 'newest first',
  trouble: 'deleting first, longest first',
};

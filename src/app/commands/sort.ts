/** The orders in which siblings can stand. */
import type { TreeSort } from '../cluster/tree/order.ts';

export const siblingOrders: readonly TreeSort[] = ['trouble', 'name', 'age'];

export const sortTitles: Readonly<Record<TreeSort, string>> = {
  trouble: 'the worst first',
  name: 'namespace, kind, name',
  age: 'newest first',
};

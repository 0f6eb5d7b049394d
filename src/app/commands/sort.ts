/** The orders in which siblings can stand. */
import type { TreeSort } from '../cluster/tree/order.ts';
import type { ColumnName } from '../settings/columns.ts';

export const siblingOrders: readonly TreeSort[] = ['trouble', 'name', 'age'];

export const sortTitles: Readonly<Record<TreeSort, string>> = {
  trouble: 'the worst first',
  name: 'namespace, kind, name',
  age: 'newest first',
};

/** Columns of the tree by which an order goes that has another name. */
const ofColumns: Readonly<Partial<Record<ColumnName, TreeSort>>> = {
  state: 'trouble',
  namespace: 'name',
  kind: 'name',
  created: 'age',
};

/** The order of this name, or by the column of this name; undefined where there is none. */
export function orderNamed(word: string): TreeSort | undefined {
  return siblingOrders.find(each => each === word) ?? ofColumns[word as ColumnName];
}

/** Orders of siblings. */

import { ownEntry } from '../../model/index.ts';
import type { ColumnName } from './chosen-columns.ts';
import type { TreeSort } from './settings.ts';

export const siblingOrders: readonly TreeSort[] = ['trouble', 'name', 'age'];

export const sortTitles: Readonly<Record<TreeSort, string>> = {
  trouble: 'the worst first',
  name: 'namespace, kind, name',
  age: 'newest first',
};

/** Sort orders of columns with other names. */
const ofColumns: Readonly<Partial<Record<ColumnName, TreeSort>>> = {
  state: 'trouble',
  namespace: 'name',
  kind: 'name',
  created: 'age',
};

export function orderNamed(word: string): TreeSort | undefined {
  return siblingOrders.find(each => each === word) ?? ownEntry(ofColumns, word);
}

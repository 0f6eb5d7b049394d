/** State of the tree view: cursor, visible part, order, columns and filter. */
import type { TreeFilter } from '../cluster/model.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import { type ChosenColumn, chosenColumns, type WrittenColumn } from '../settings/chosen-columns.ts';
import type { Settings, TreeSort } from '../settings/settings.ts';

export interface TreeState {
  readonly selected: TreeItem | undefined;
  readonly index: number;
  readonly top: number;
  /** False until the user moves the cursor: it stays on the first row while lists arrive. */
  readonly moved: boolean;
  readonly filter: TreeFilter | undefined;
  readonly sort: TreeSort;
  /** Chosen columns after the name; undefined for the default ones. */
  readonly columns: readonly ChosenColumn[] | undefined;
  readonly showsManagers: boolean;
}

export const freshTree = {
  selected: undefined,
  index: 0,
  top: 0,
  moved: false,
  filter: undefined,
} satisfies Partial<TreeState>;

export function initialTree(settings: Settings | undefined): TreeState {
  return { ...freshTree, sort: settings?.sort ?? 'trouble', ...columnsOf(settings?.columns) };
}

export function columnsOf(
  written: readonly WrittenColumn[] | undefined,
): Pick<TreeState, 'columns' | 'showsManagers'> {
  const columns = written && chosenColumns(written);
  return { columns, showsManagers: columns?.some(({ column }) => column === 'managed-by') === true };
}

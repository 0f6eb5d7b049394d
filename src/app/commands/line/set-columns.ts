/** Sets the tree's columns with `:columns`, until the screen is left. */
import { keptAnnotations, prose } from '../../../model/index.ts';
import {
  annotationsIn,
  chosenColumns,
  columnFaults,
  type WrittenColumn,
} from '../../settings/chosen-columns.ts';
import { type State, withNewRevision, withNotice, withTree } from '../../state/state.ts';
import { columnsOf } from '../../state/tree-state.ts';
import { runCommand } from '../run-command.ts';

export function chooseColumns(state: State, words: string): State {
  const columns = words.split(/[\s,]+/u).filter(word => word !== '');
  const [fault] = columnFaults(columns);
  if (fault !== undefined) return withNotice(state, prose(`${fault[1]}.`), 'warning');
  const unread = annotationsIn(chosenColumns(columns)).find(key => !keptAnnotations.has(key));
  if (unread === undefined) return inTree(state, columns);
  const why = 'of annotations, those that config.yaml has in columns are read.';
  return withNotice(state, `${unread} was not read: ${why}`, 'warning');
}

/** Restores the columns of `config.yaml`, or the default ones. */
export function ownColumns(state: State): State {
  return inTree(state, state.options.settings?.columns);
}

function inTree(state: State, columns: readonly WrittenColumn[] | undefined): State {
  const there = state.view === 'tree' ? state : runCommand(state, 'treeView');
  return withNewRevision(withTree(there, columnsOf(columns)));
}

/** Sets the tree's columns with `:columns`, until the screen is left. */
import { isKept } from '../../../model/annotations.ts';
import { prose } from '../../../model/text/shown.ts';
import { annotationsIn, chosenColumns, columnFaults, type WrittenColumn } from '../../settings/columns.ts';
import { type State, withColumns, withNewRevision, withNotice } from '../../state/state.ts';
import { runCommand } from '../run.ts';

export function chooseColumns(state: State, words: string): State {
  const columns = words.split(/[\s,]+/u).filter(word => word !== '');
  const [fault] = columnFaults(columns);
  if (fault !== undefined) return withNotice(state, prose(`${fault[1]}.`), 'warning');
  const unread = annotationsIn(chosenColumns(columns)).find(key => !isKept(key));
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
  return withNewRevision({ ...there, ...withColumns(columns) });
}

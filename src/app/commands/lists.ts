/** Runs commands that mean something else in list views than in the tree. */

import { goneDocument } from '../details/activity.ts';
import { currentEntry, currentNode, currentRow, currentUid } from '../state/current.ts';
import { moveInList, pageInList, selectRow, shownList, stayInList } from '../state/lists.ts';
import { jumpTo } from '../state/navigate.ts';
import { type State, withNewRevision, withNotice } from '../state/state.ts';
import type { CommandId } from './bindings.ts';

const ownCommands: Readonly<Partial<Record<CommandId, (state: State) => State>>> = {
  down: state => moveInList(state, 1),
  up: state => moveInList(state, -1),
  pageDown: state => pageInList(state, 1),
  pageUp: state => pageInList(state, -1),
  first: state => moveInList(state, Number.NEGATIVE_INFINITY),
  last: state => moveInList(state, Number.POSITIVE_INFINITY),
  open: openRow,
  unfold: state => {
    const row = currentRow(state);
    if (row === undefined || row.kind === 'item' || row.count === 0)
      return withNotice(state, 'Nothing to unfold: nothing stands below this row.', 'info');
    return row.folded ? foldRow(state) : moveInList(state, 1);
  },
  fold: state => {
    const row = currentRow(state);
    const list = shownList(state);
    if (list === undefined || row === undefined) return state;
    if (row.kind === 'item') return selectRow(state, list.rows.headingOf(list.cursor.index));
    if (!row.folded && row.count > 0) return foldRow(state);
    const why = row.count > 0 ? 'this group is folded' : 'nothing stands below this row';
    return withNotice(state, `Nothing to fold: ${why}.`, 'info');
  },
  unfoldAll: state => foldAll(state, false),
  foldAll: state => foldAll(state, true),
  clear: state => filterList(state.view === 'activity' ? withoutKinds(state) : state, ''),
};

function withoutKinds(state: State): State {
  return { ...state, activity: { ...state.activity, only: undefined } };
}

/** Returns undefined if the command means the same in every view. */
export function runListCommand(state: State, id: CommandId): State | undefined {
  const run = state.view === 'tree' ? undefined : ownCommands[id];
  return run && run(state);
}

/** Narrows the list, including future rows, to these words; `''` shows all. */
export function filterList(state: State, filter: string): State {
  const { view } = state;
  if (view === 'tree') return state;
  return withNewRevision(stayInList({ ...state, [view]: { ...state[view], filter } }));
}

export function clickRow(state: State, line: number): State {
  const list = shownList(state);
  const index = (list?.cursor.top ?? 0) + line;
  const row = list?.rows.at(index);
  if (row === undefined) return state;
  const selected = selectRow({ ...state, focus: 'tree' }, index);
  return row.kind === 'group' ? foldRow(selected) : selected;
}

/** Shows the row's object in the tree, or folds a heading. */
function openRow(state: State): State {
  const uid = currentUid(state);
  if (uid === undefined) return foldRow(state);
  const entry = currentEntry(state);
  if (state.view === 'collector' && currentNode(state) === undefined)
    return withNotice(state, 'No object of this name and uid can be seen.', 'info');
  if (entry !== undefined && currentNode(state) === undefined) {
    const { title, lines } = goneDocument(state, entry);
    return { ...state, dialog: { kind: 'text', title, lines, top: 0, loading: false } };
  }
  // Full-size details would hide the tree.
  const details = state.details === 'full' ? 'auto' : state.details;
  return jumpTo({ ...state, details }, uid);
}

export function allFolded(folded: boolean): string {
  return folded ? 'Nothing to fold here.' : 'Nothing to unfold here.';
}

function foldAll(state: State, folded: boolean): State {
  const { rows } = shownList(state) ?? {};
  const before = rows?.length;
  rows?.setAllFolded(folded);
  const next = withNewRevision(stayInList(state));
  return rows?.length === before ? withNotice(next, allFolded(folded), 'info') : next;
}

/** Folds the row's group and goes to its heading, or unfolds it. */
function foldRow(state: State): State {
  const list = shownList(state);
  const row = currentRow(state);
  if (list === undefined || row === undefined) return state;
  const heading = list.rows.headingOf(list.cursor.index);
  list.rows.setFolded(row.kind === 'group' ? row.key : row.group, row.kind === 'item' || !row.folded);
  return withNewRevision(selectRow(state, heading));
}

/** Opens, folds and narrows rows of list views. */

import type { ViewId } from '../settings/settings.ts';
import { listState, type State, withListState, withNewRevision, withNotice } from '../state/state.ts';
import { currentNode, currentRow, currentUid } from '../views/current.ts';
import { foldRow, moveInList, resettle, selectRow, shownList, stayInList } from '../views/lists.ts';
import { leaving } from '../views/places.ts';
import { viewOf } from '../views/registry.ts';
import { jumpTo, showNamespace } from '../views/scope.ts';
import type { RowTarget } from '../views/view.ts';
import { leaveDetails } from './details-focus.ts';

export function unfoldRow(state: State): State {
  const row = currentRow(state);
  if (row === undefined || row.kind === 'item' || row.count === 0)
    return withNotice(state, 'Nothing to unfold: nothing is below this row.', 'info');
  return row.folded ? foldRow(state) : moveInList(state, 1);
}

export function foldOrGoUp(state: State): State {
  const row = currentRow(state);
  const list = shownList(state);
  if (list === undefined || row === undefined) return state;
  if (row.kind === 'item') return selectRow(state, list.rows.headingOf(list.cursor.index));
  if (!row.folded && row.count > 0) return foldRow(state);
  const why = row.count > 0 ? 'this group is folded' : 'nothing is below this row';
  return withNotice(state, `Nothing to fold: ${why}.`, 'info');
}

/** Narrows the list, including future rows, to these words; `''` shows all. */
export function filterList(state: State, filter: string): State {
  const { view } = state;
  if (view === 'tree') return state;
  const stayed = stayInList(withListState(state, view, { filter }));
  const isLost = listState(stayed, view).key !== listState(state, view).key;
  const next = isLost ? selectRow(stayed, shownList(stayed)?.rows.beginning ?? 0) : stayed;
  return withNewRevision(next);
}

/** Lists problems by code instead of by cause, or again by cause; the cursor stays on its finding or goes to its heading. */
export function toggleGrouping(state: State): State {
  const { view, cluster } = state;
  const row = currentRow(state);
  const finding = row && shownList(state)?.view.findingOf?.(row);
  const key = finding && row?.key;
  const byCode = listState(state, view).byCode !== true;
  const next = stayInList(withListState(state, view, { byCode, key, index: 0 }));
  const { rows } = shownList(next) ?? {};
  if (finding === undefined || key === undefined || rows === undefined || rows.indexOf(key) >= 0)
    return withNewRevision(next);
  return withNewRevision(selectRow(next, rows.indexOf(cluster?.problems?.headingOf(finding) ?? '')));
}

/** Opens the row's own target, else shows its object in the tree, or folds a heading. */
export function openRow(state: State): State {
  const row = currentRow(state);
  const target = row && viewOf(state).list?.leadsTo?.(row);
  if (target !== undefined) return openTarget(state, target);
  const uid = currentUid(state);
  if (uid === undefined) return foldRow(state);
  const gone = currentNode(state) === undefined ? viewOf(state).list?.gone : undefined;
  if (gone !== undefined) return gone.open(state);
  // Full-size details would hide the tree.
  const details = state.details === 'full' ? 'auto' : state.details;
  return jumpTo({ ...state, details }, uid);
}

function openTarget(state: State, target: RowTarget): State {
  if ('view' in target) return showView(state, target.view);
  const left = { ...leaveDetails(leaving(state)), view: 'tree', notice: undefined } as const;
  return showNamespace(left, target.namespace);
}

export function showView(state: State, view: ViewId): State {
  const shown = { ...leaving(state), view, focus: 'tree', notice: undefined } as const;
  return { ...resettle(shown), detailsTop: 0 };
}

export function allFolded(folded: boolean): string {
  return folded ? 'Nothing to fold here.' : 'Nothing to unfold here.';
}

export function foldAll(state: State, folded: boolean): State {
  const { rows } = shownList(state) ?? {};
  const before = rows?.length;
  rows?.setAllFolded(folded);
  const next = withNewRevision(stayInList(state));
  return rows?.length === before ? withNotice(next, allFolded(folded), 'info') : next;
}

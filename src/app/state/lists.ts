/** Keeps the cursors of the list views. Separate from the commands, so that any change of rows can keep the cursor. */
import type { GroupedRows } from '../cluster/grouped-rows.ts';
import type { ClusterModel } from '../cluster/model.ts';
import { listHeight } from './layout.ts';
import type { FilteredList, ListCursor, State } from './state.ts';
import type { ListViewId } from './views.ts';

interface List {
  readonly view: ListViewId;
  readonly cursor: FilteredList;
  readonly rows: GroupedRows<unknown, unknown>;
}

/** Returns undefined in the tree, and while there is nothing to list. */
export function shownList(state: State): List | undefined {
  const { view, cluster } = state;
  if (view === 'tree') return undefined;
  const rows = listRows(cluster, view);
  return rows && { view, cursor: state[view], rows };
}

function listRows(
  cluster: ClusterModel | undefined,
  view: ListViewId,
): GroupedRows<unknown, unknown> | undefined {
  switch (view) {
    case 'problems':
      return cluster?.problems?.rows;
    case 'podgc':
      return cluster?.podGc?.rows;
    case 'managers':
      return cluster?.managers?.rows;
    case 'activity':
      return cluster?.activity?.rows;
    case 'collector':
      return cluster?.collector?.rows;
  }
}

/** Keeps the cursor after rows or the screen's size changed. */
export function stayInList(state: State): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { cursor, rows } = list;
  // The filter may have been typed before there were rows.
  rows.setFilter(cursor.filter);
  state.cluster?.activity?.setKinds(state.activity.only?.kinds);
  if (followsEnd(list))
    return withCursor(state, list, moveTo(cursor, rows, rows.length - 1, listHeight(state)));
  return withCursor(
    state,
    list,
    cursor.key === undefined
      ? moveTo(cursor, rows, rows.beginning, listHeight(state))
      : stayOn(cursor, rows, listHeight(state)),
  );
}

export function selectRow(state: State, index: number): State {
  const list = shownList(state);
  if (list === undefined) return state;
  return withCursor(state, list, moveTo(list.cursor, list.rows, index, listHeight(state)));
}

export function moveInList(state: State, rows: number): State {
  const list = shownList(state);
  return list === undefined ? state : selectRow(state, list.cursor.index + rows);
}

export function pageInList(state: State, pages: number): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const step = Math.max(1, listHeight(state) - 1) * pages;
  const cursor = { ...list.cursor, top: Math.max(0, list.cursor.top + step) };
  return moveInList({ ...state, [list.view]: cursor }, step);
}

export function scrollList(state: State, lines: number): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { cursor, rows } = list;
  const height = listHeight(state);
  const scrolled = scrollTo(cursor, rows, cursor.top + lines, height);
  // Scrolling down to the newest row follows what comes.
  const isAtEnd = lines > 0 && scrolled.top + height >= rows.length;
  const index = comesLast(list) && isAtEnd ? rows.length - 1 : scrolled.index;
  return withCursor(state, list, moveTo(scrolled, rows, index, height));
}

/** Reports whether the newest rows come last. */
function comesLast({ view }: List): boolean {
  return view === 'activity';
}

function followsEnd(list: List): boolean {
  return comesLast(list) && list.cursor.following !== false;
}

/** Scrolls to the row under the cursor if it isn't visible. */
export function keepInSight(state: State): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { index, top } = list.cursor;
  return index >= top && index < top + listHeight(state) ? state : selectRow(state, index);
}

function withCursor(state: State, list: List, moved: FilteredList): State {
  const { view, cursor: before, rows } = list;
  const cursor = comesLast(list) ? { ...moved, following: moved.index >= rows.length - 1 } : moved;
  const next = { ...state, [view]: cursor };
  return before.key === cursor.key ? next : { ...next, detailsTop: 0 };
}

export interface KeyedRows {
  readonly length: number;
  at(index: number): { readonly key: string } | undefined;
  /** Returns -1 if no such row is shown; searches from `near`. */
  indexOf(key: string, near: number): number;
}

/** Moves the cursor, scrolling as little as needed to keep it within `height` lines. */
function moveTo<T extends ListCursor>(cursor: T, rows: KeyedRows, index: number, height: number): T {
  const last = Math.max(0, rows.length - 1);
  const at = Math.max(0, Math.min(index, last));
  const lowest = Math.max(0, rows.length - height);
  const top = Math.min(lowest, Math.max(at - height + 1, Math.min(cursor.top, at), 0));
  return { ...cursor, key: rows.at(at)?.key, index: at, top };
}

/** Keeps the cursor's row on its line after rows changed; if the row was removed, keeps the line. */
function stayOn<T extends ListCursor>(cursor: T, rows: KeyedRows, height: number): T {
  const found = cursor.key === undefined ? -1 : rows.indexOf(cursor.key, cursor.index);
  if (found < 0) return moveTo(cursor, rows, cursor.index, height);
  const top = Math.max(0, found - (cursor.index - cursor.top));
  return moveTo({ ...cursor, top }, rows, found, height);
}

function scrollTo<T extends ListCursor>(cursor: T, rows: KeyedRows, top: number, height: number): T {
  const at = Math.max(0, Math.min(top, rows.length - height));
  const index = Math.max(at, Math.min(cursor.index, at + height - 1));
  return moveTo({ ...cursor, top: at }, rows, index, height);
}

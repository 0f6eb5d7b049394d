/** Keeps the cursors of the list views. Separate from the commands, so that any change of rows can keep the cursor. */
import type { GroupedRows } from '../cluster/grouped-rows.ts';
import type { ViewId } from '../settings/settings.ts';
import { listHeight } from '../state/layout.ts';
import {
  type ListCursor,
  type ListState,
  listState,
  type State,
  withListState,
  withNewRevision,
} from '../state/state.ts';
import { viewOf, views } from './registry.ts';
import type { ListOfRows, Moves } from './view.ts';

interface List {
  readonly id: ViewId;
  readonly view: ListOfRows;
  readonly cursor: ListState;
  readonly rows: GroupedRows<unknown, unknown>;
}

/** Returns undefined in the tree, and while there is nothing to list. */
export function shownList(state: State): List | undefined {
  const { id, list: view } = viewOf(state);
  const rows = state.cluster && view?.rows(state.cluster);
  return view && rows && { id, view, cursor: listState(state, id), rows };
}

/** Reports whether words, kinds or the tree's filter hide rows. */
export function isFiltered(state: State): boolean {
  if (state.view === 'tree') return state.tree.filter !== undefined;
  const { filter, only } = listState(state, state.view);
  return filter !== '' || only !== undefined;
}

/** Keeps the cursor after rows or the screen's size changed. */
export function stayInList(state: State): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { cursor, rows } = list;
  // The filter may have been typed before there were rows.
  rows.setFilter(cursor.filter);
  if (state.cluster !== undefined) list.view.prepare?.(state.cluster, cursor);
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

function pageInList(state: State, pages: number): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const step = Math.max(1, listHeight(state) - 1) * pages;
  const cursor = { ...list.cursor, top: Math.max(0, list.cursor.top + step) };
  return moveInList(withListState(state, list.id, cursor), step);
}

function scrollList(state: State, lines: number): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { cursor, rows } = list;
  const height = listHeight(state);
  const scrolled = scrollTo(cursor, rows, cursor.top + lines, height);
  // Scrolling down to the newest row follows what comes.
  const isAtEnd = lines > 0 && scrolled.top + height >= rows.length;
  const index = list.view.newestLast === true && isAtEnd ? rows.length - 1 : scrolled.index;
  return withCursor(state, list, moveTo(scrolled, rows, index, height));
}

function followsEnd({ view, cursor }: List): boolean {
  return view.newestLast === true && cursor.following !== false;
}

/** Scrolls to the row under the cursor if it isn't visible. */
function keepInSight(state: State): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const { index, top } = list.cursor;
  return index >= top && index < top + listHeight(state) ? state : selectRow(state, index);
}

function withCursor(state: State, list: List, moved: ListState): State {
  const { id, view, cursor: before, rows } = list;
  const cursor = view.newestLast === true ? { ...moved, following: moved.index >= rows.length - 1 } : moved;
  const next = withListState(state, id, cursor);
  return before.key === cursor.key ? next : { ...next, detailsTop: 0 };
}

function clickRow(state: State, line: number): State {
  const list = shownList(state);
  const index = (list?.cursor.top ?? 0) + line;
  const row = list?.rows.at(index);
  if (row === undefined) return state;
  const selected = selectRow({ ...state, focus: 'tree' }, index);
  return row.kind === 'group' ? foldRow(selected) : selected;
}

/** Folds the row's group and goes to its heading, or unfolds it. */
export function foldRow(state: State): State {
  const list = shownList(state);
  const row = list?.rows.at(list.cursor.index);
  if (list === undefined || row === undefined) return state;
  const heading = list.rows.headingOf(list.cursor.index);
  list.rows.setFolded(row.kind === 'group' ? row.key : row.group, row.kind === 'item' || !row.folded);
  return withNewRevision(selectRow(state, heading));
}

const listMoves: Moves = {
  moveBy: moveInList,
  pageBy: pageInList,
  scroll: scrollList,
  click: clickRow,
  index: state => listState(state, state.view).index,
  top: state => listState(state, state.view).top,
  stay: stayInList,
  keepInSight,
  followFindings: stayInList,
  followMoment: stayInList,
};

export function movesOf(state: State): Moves {
  return viewOf(state).moves ?? listMoves;
}

/** Keeps the cursors of all views after a change; those of list views follow when they are shown. */
export function keepCursors(state: State, after: 'stay' | 'followFindings' | 'followMoment'): State {
  return stayInList(views.reduce((next, { moves }) => moves?.[after](next) ?? next, state));
}

/** Keeps the cursor on its row, and the row in sight, after the view or its size changed. */
export function resettle(state: State): State {
  const { stay, keepInSight: scroll } = movesOf(state);
  return scroll(stay(state));
}

/** Lets lists whose newest rows come last follow these again. */
export function followNewest(state: State): State {
  return views.reduce(
    (next, { id, list }) =>
      list?.newestLast === true ? withListState(next, id, { key: undefined, following: true }) : next,
    state,
  );
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

/**
 * The cursor and the visible part of the tree: how they move on keys, and how they stay put while objects
 * come and go.
 */
import type { GraphNode } from '../../graph/node.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeRows } from '../cluster/tree/rows.ts';
import { layoutOf } from './layout.ts';
import type { State } from './state.ts';

function treeHeight(state: State): number {
  return layoutOf(state).tree?.height ?? 1;
}

/** Puts the cursor on a row by its index, scrolling as little as needed. */
export function selectIndex(state: State, index: number): State {
  const rows = state.cluster?.rows;
  const length = rows?.length ?? 0;
  const selectedIndex = Math.max(0, Math.min(index, length - 1));
  const selected = rows?.at(selectedIndex);
  const height = treeHeight(state);
  const lowest = Math.max(0, length - height);
  const top = Math.min(lowest, Math.max(selectedIndex - height + 1, Math.min(state.top, selectedIndex)));
  const detailsTop = selected === state.selected ? state.detailsTop : 0;
  return { ...state, selected, selectedIndex, top, detailsTop };
}

export function moveBy(state: State, rows: number): State {
  return { ...selectIndex(state, state.selectedIndex + rows), moved: true };
}

export function pageBy(state: State, pages: number): State {
  const step = Math.max(1, treeHeight(state) - 1) * pages;
  return moveBy({ ...state, top: Math.max(0, state.top + step) }, step);
}

/** Scrolls without moving the cursor, unless it would leave the screen. */
export function scrollBy(state: State, rows: number): State {
  const length = state.cluster?.rows.length ?? 0;
  const height = treeHeight(state);
  const top = Math.max(0, Math.min(state.top + rows, length - height));
  const index = Math.max(top, Math.min(state.selectedIndex, top + height - 1));
  return { ...selectIndex({ ...state, top }, index), moved: true };
}

export function selectItem(state: State, item: TreeItem): State {
  const index = state.cluster?.rows.indexOf(item) ?? -1;
  return index < 0 ? state : { ...selectIndex(state, index), moved: true };
}

/** Shows an object in the tree, in the middle where it wasn't visible. Undefined when it is out of scope. */
export function goTo(state: State, node: GraphNode): State | undefined {
  const rows = state.cluster?.rows;
  const item = rows?.reveal(node);
  if (rows === undefined || item === undefined) return undefined;
  const index = rows.indexOf(item);
  const height = treeHeight(state);
  const visible = index >= state.top && index < state.top + height;
  const top = visible ? state.top : Math.max(0, index - Math.floor(height / 2));
  return { ...selectIndex({ ...state, top }, index), moved: true };
}

/**
 * After the rows changed: the cursor stays on its object and the object on its line of the screen. Where the
 * object's row is gone, the cursor follows the object to another place, else to the nearest row above it that
 * is left, else it keeps its line.
 */
export function stay(state: State): State {
  const rows = state.cluster?.rows;
  if (rows === undefined) return { ...state, selected: undefined, selectedIndex: 0, top: 0 };
  if (!state.moved || state.selected === undefined) return selectIndex({ ...state, top: 0 }, 0);
  const found = state.selected.shown ? state.selected : elsewhere(rows, state.selected);
  const index = found === undefined ? -1 : rows.indexOf(found);
  if (index < 0) return selectIndex(state, state.selectedIndex);
  const line = state.selectedIndex - state.top;
  return selectIndex({ ...state, top: Math.max(0, index - line) }, index);
}

function elsewhere(rows: TreeRows, item: TreeItem): TreeItem | undefined {
  const same = rows.find(item.uid) ?? rows.revealWaiting(item.node);
  if (same !== undefined) return same;
  // The rows above it may be gone by folding; when its object is gone, the neighbours are nearer.
  if (!rows.hides(item)) return undefined;
  for (let at = item.parent; at !== undefined; at = at.parent) {
    const shown = rows.find(at.uid);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** Moves the cursor and the visible part of the tree, and keeps them steady while objects come and go. */

import type { GraphNode } from '../../../graph/index.ts';
import type { TreeItem } from '../../cluster/tree/item.ts';
import type { TreeRows } from '../../cluster/tree/tree-rows.ts';
import { listHeight } from '../../state/layout.ts';
import { type State, withNewRevision, withTree } from '../../state/state.ts';

export function selectIndex(state: State, wished: number): State {
  const { tree, cluster } = state;
  const length = cluster?.rows.length ?? 0;
  const index = Math.max(0, Math.min(wished, length - 1));
  const selected = cluster?.rows.at(index);
  const height = listHeight(state);
  const lowest = Math.max(0, length - height);
  const top = Math.min(lowest, Math.max(index - height + 1, Math.min(tree.top, index)));
  const detailsTop = selected === tree.selected ? state.detailsTop : 0;
  return withTree({ ...state, detailsTop }, { selected, index, top });
}

/** Moves the cursor there on behalf of the user, scrolling from `top` as little as needed. */
function moveTo(state: State, index: number, top = state.tree.top): State {
  return withTree(selectIndex(withTree(state, { top }), index), { moved: true });
}

export function moveBy(state: State, rows: number): State {
  return moveTo(state, state.tree.index + rows);
}

export function pageBy(state: State, pages: number): State {
  const { index, top } = state.tree;
  const step = Math.max(1, listHeight(state) - 1) * pages;
  return moveTo(state, index + step, Math.max(0, top + step));
}

/** Scrolls; an action's painted tree scrolls without the cursor, as the action stays about the same object. */
export function scrollTree(state: State, rows: number): State {
  const isPainted = state.dialog?.kind === 'action';
  const { tree, cluster } = state;
  const height = listHeight(state);
  const lowest = Math.max(0, (cluster?.rows.length ?? 0) - height);
  const top = Math.max(0, Math.min(lowest, tree.top + rows));
  if (isPainted) return top === tree.top ? state : withTree(state, { top });
  return moveTo(state, Math.max(top, Math.min(tree.index, top + height - 1)), top);
}

export function selectItem(state: State, item: TreeItem): State {
  const index = state.cluster?.rows.indexOf(item) ?? -1;
  return index < 0 ? state : moveTo(state, index);
}

export function goTo(state: State, node: GraphNode): State | undefined {
  const rows = state.cluster?.rows;
  const item = rows?.reveal(node);
  if (rows === undefined || item === undefined) return undefined;
  const index = rows.indexOf(item);
  const { top } = state.tree;
  const height = listHeight(state);
  const visible = index >= top && index < top + height;
  return moveTo(state, index, visible ? top : Math.max(0, index - Math.floor(height / 2)));
}

/**
 * Keeps the cursor on its object and the object on its line after rows changed. If the row is gone, the cursor follows
 * the object elsewhere, else goes to the nearest remaining row above, else keeps its line.
 */
export function stay(state: State): State {
  const rows = state.cluster?.rows;
  const { selected, index: before, top: topBefore, moved } = state.tree;
  if (rows === undefined) return withTree(state, { selected: undefined, index: 0, top: 0 });
  if (!moved || selected === undefined) return begin(state);
  const found = rows.again(selected) ?? elsewhere(rows, selected);
  const index = found === undefined ? -1 : rows.indexOf(found);
  const top = index < 0 ? topBefore : Math.max(0, index - (before - topBefore));
  const next = selectIndex(withTree(state, { top }), index < 0 ? before : index);
  return state.dialog?.kind === 'action' ? scrollTree(withTree(next, { top }), 0) : next;
}

/** Starts on the first object, which says more than headings, unless a heading is folded. */
export function begin(state: State): State {
  const rows = state.cluster?.rows;
  let index = 0;
  for (let item = rows?.at(0); item?.kind === 'group' && item.children !== undefined; item = rows?.at(index))
    index += 1;
  return selectIndex(withTree(state, { top: 0 }), index);
}

function elsewhere(rows: TreeRows, item: TreeItem): TreeItem | undefined {
  const same = item.kind === 'object' ? rows.revealWaiting(item.node) : undefined;
  if (same !== undefined) return same;
  // The object may have a new owner or group; if it was deleted, the neighbours are nearer.
  if (!rows.hides(item)) return item.kind === 'object' ? rows.reveal(item.node) : undefined;
  // The rows above it were folded.
  for (let at = item.parent; at !== undefined; at = at.parent) {
    const shown = rows.again(at);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

export function keepCursorInSight(state: State): State {
  const { index, top } = state.tree;
  return index >= top && index < top + listHeight(state) ? state : selectIndex(state, index);
}

/** Selects a clicked row, or folds it by its mark or a second click. */
export function clickItem(state: State, line: number, column: number): State {
  const { rows } = state.cluster ?? {};
  const item = rows?.at(state.tree.top + line);
  if (rows === undefined || item === undefined) return state;
  // The fold mark follows the cursor column and two columns per level.
  const mark = 1 + item.depth * 2;
  const onMark = column >= mark && column < mark + 2;
  if (!rows.canExpand(item) || !(onMark || item === state.tree.selected))
    return selectItem({ ...state, focus: 'tree' }, item);
  rows.setExpanded(item, item.children === undefined);
  return withNewRevision(stay(selectItem(state, item)));
}

/** Moves the cursor to the worst problem once the scope is judged, unless the user moved it or asked for a target. */
export function openOnTrouble(state: State): State {
  const { cluster, tree, arriving, awaited, dialog } = state;
  if (
    (tree.moved && arriving === undefined) ||
    awaited !== undefined ||
    tree.filter !== undefined ||
    dialog !== undefined
  )
    return state;
  if (cluster?.problems?.complete !== true || !(cluster.allKnown || cluster.scopeKnown)) return state;
  const { worst } = cluster;
  const there = worst && goTo(state, worst);
  return withNewRevision(withTree(there ?? begin(state), { moved: true }));
}

/** Keeps the cursor after findings changed, and updates a tree narrowed to problems. */
export function followFindings(state: State): State {
  const next = openOnTrouble(stay(state));
  const isRebuilt = next.tree.filter?.kind === 'problems' && next.cluster?.rows.unfolding === true;
  return isRebuilt ? unfoldMore(next) : next;
}

/** Goes to the same object in a new model of the cluster, with the same filter. */
export function followMoment(state: State): State {
  const { cluster, tree } = state;
  if (cluster === undefined) return state;
  const isFiltered = tree.filter !== undefined && cluster.setFilter(tree.filter) > 0;
  const filter = isFiltered ? tree.filter : undefined;
  const anew = withTree(state, { filter, selected: undefined });
  const again = tree.selected && cluster.rows.counterpart(tree.selected);
  const index = again === undefined ? -1 : cluster.rows.indexOf(again);
  const there =
    index < 0 || !tree.moved
      ? selectIndex(anew, tree.index)
      : selectIndex(withTree(anew, { top: Math.max(0, index - (tree.index - tree.top)) }), index);
  return unfoldMore(there);
}

/** Unfolds the first rows after a rebuild, keeping the cursor; the rest follows in slices. */
export function unfoldMore(state: State): State {
  state.cluster?.rows.unfoldMore();
  return withNewRevision(stay(state));
}

/** Shows the tree narrowed to matches, if there are any. */
export function narrowTree(state: State, filter: NonNullable<State['tree']['filter']>): State | undefined {
  const { cluster } = state;
  if (cluster === undefined || cluster.setFilter(filter) === 0) return undefined;
  return unfoldMore(withTree(state, { filter, moved: false }));
}

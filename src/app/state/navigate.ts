/**
 * The cursor and the visible part of the tree: how they move on keys, and how they stay put while objects
 * come and go.
 */
import type { GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeRows } from '../cluster/tree/rows.ts';
import { layoutOf, listHeight } from './layout.ts';
import { stayInList } from './lists.ts';
import { leaving } from './places.ts';
import { freshList, type State, withNewRevision, withNotice } from './state.ts';

/** Puts the cursor on a row by its index, scrolling as little as needed. */
export function selectIndex(state: State, index: number): State {
  const rows = state.cluster?.rows;
  const length = rows?.length ?? 0;
  const selectedIndex = Math.max(0, Math.min(index, length - 1));
  const selected = rows?.at(selectedIndex);
  const height = listHeight(state);
  const lowest = Math.max(0, length - height);
  const top = Math.min(lowest, Math.max(selectedIndex - height + 1, Math.min(state.top, selectedIndex)));
  const detailsTop = selected === state.selected ? state.detailsTop : 0;
  return { ...state, selected, selectedIndex, top, detailsTop };
}

export function moveBy(state: State, rows: number): State {
  return { ...selectIndex(state, state.selectedIndex + rows), moved: true };
}

export function pageBy(state: State, pages: number): State {
  const step = Math.max(1, listHeight(state) - 1) * pages;
  return moveBy({ ...state, top: Math.max(0, state.top + step) }, step);
}

/** Scrolls without moving the cursor, unless it would leave the screen. */
export function scrollBy(state: State, rows: number): State {
  const length = state.cluster?.rows.length ?? 0;
  const height = listHeight(state);
  const top = Math.max(0, Math.min(state.top + rows, length - height));
  const index = Math.max(top, Math.min(state.selectedIndex, top + height - 1));
  return { ...selectIndex({ ...state, top }, index), moved: true };
}

/** The part of the tree that shows while an action is painted on it, without the cursor: what that is about stays what it is. */
export function scrollTree(state: State, rows: number): State {
  const height = layoutOf(state).tree?.height ?? 1;
  const lowest = Math.max(0, (state.cluster?.rows.length ?? 0) - height);
  const top = Math.max(0, Math.min(lowest, state.top + rows));
  return top === state.top ? state : { ...state, top };
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
  const height = listHeight(state);
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
  if (!state.moved || state.selected === undefined) return begin(state);
  const found = rows.again(state.selected) ?? elsewhere(rows, state.selected);
  const index = found === undefined ? -1 : rows.indexOf(found);
  const line = state.selectedIndex - state.top;
  const next = index < 0 ? state : { ...state, top: Math.max(0, index - line) };
  const selected = selectIndex(next, index < 0 ? state.selectedIndex : index);
  return state.dialog?.kind === 'action' ? scrollTree({ ...selected, top: next.top }, 0) : selected;
}

/** The first object says more than the headings above it, unless one of them is folded. */
function begin(state: State): State {
  const rows = state.cluster?.rows;
  let index = 0;
  for (let item = rows?.at(0); item?.kind === 'group' && item.children !== undefined; item = rows?.at(index))
    index += 1;
  return selectIndex({ ...state, top: 0 }, index);
}

function elsewhere(rows: TreeRows, item: TreeItem): TreeItem | undefined {
  const same = item.kind === 'object' ? rows.revealWaiting(item.node) : undefined;
  if (same !== undefined) return same;
  // It may have got an owner, or gone to another group; when its object is gone, the neighbours are nearer.
  if (!rows.hides(item)) return item.kind === 'object' ? rows.reveal(item.node) : undefined;
  // The rows above it were folded.
  for (let at = item.parent; at !== undefined; at = at.parent) {
    const shown = rows.again(at);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/**
 * Once everything in scope was judged: the cursor goes to the worst problem, or stays where it is. Not where somebody has
 * moved it, or asked for something else.
 */
export function openOnTrouble(state: State): State {
  const { cluster, moved, awaited, filter, dialog } = state;
  if (moved || awaited !== undefined || filter !== undefined || dialog !== undefined) return state;
  if (cluster?.problems?.complete !== true || !(cluster.allKnown || cluster.scopeKnown)) return state;
  const { worst } = cluster;
  const there = worst && goTo(state, worst);
  return withNewRevision({ ...(there ?? begin(state)), moved: true });
}

/** Stands for all namespaces where a namespace is named. */
export const ALL_NAMESPACES = '';

/** Puts the cursor on an object, switching the scope or widening a narrowed tree where it isn't in it. */
export function jumpTo(state: State, uid: string): State {
  const { cluster } = state;
  const node = cluster?.node(uid as Parameters<typeof cluster.node>[0]);
  if (cluster === undefined || node === undefined)
    return withNotice(state, 'That object does not exist any more.', 'warning');
  const tree = { ...leaving(state), view: 'tree', focus: 'tree' } as const;
  const there = goTo(tree, node);
  if (there !== undefined) return withNewRevision(there);
  const { namespace } = node.identity;
  if (state.filter !== undefined) cluster.setFilter(undefined);
  const unfiltered = goTo({ ...tree, filter: undefined }, node);
  if (unfiltered !== undefined) return withNewRevision(unfiltered);
  // A cluster-scoped object, or a ghost owner, stands in no namespace.
  const scope = node.virtual || namespace === '' ? undefined : namespace;
  const before = cluster.namespace ?? state.namespaceBefore;
  cluster.setScope(scope);
  const elsewhere = {
    ...tree,
    ...inSight(tree, scope),
    namespaceBefore: before,
    filter: undefined,
    selected: undefined,
    top: 0,
  };
  const switched = goTo(elsewhere, node);
  if (switched === undefined) return withNotice(state, 'That object is not shown in the tree.', 'warning');
  const where = scope === undefined ? 'all namespaces: it is in none' : `namespace ${shownName(scope)}`;
  return withNotice(withNewRevision(switched), `This shows ${where}. { goes back.`, 'info');
}

/** What is marked has to be in sight; and rows of another scope are others. */
function inSight({ marks, cluster }: State, namespace: string | undefined): Pick<State, 'marks' | 'range'> {
  const isSeen = (uid: Uid): boolean => {
    const node = cluster?.node(uid);
    return node !== undefined && (namespace === undefined || node.identity.namespace === namespace);
  };
  return { marks: new Set([...marks].filter(isSeen)), range: undefined };
}

export function switchNamespace(state: State, namespace: string): State {
  return showNamespace(leaving(state), namespace);
}

/** Without noting where it was shown from. */
export function showNamespace(state: State, namespace: string): State {
  const scope = namespace === ALL_NAMESPACES ? undefined : namespace;
  const namespaceBefore = state.cluster?.namespace ?? state.namespaceBefore;
  state.cluster?.setScope(scope);
  const fresh = {
    ...state,
    ...inSight(state, scope),
    namespaceBefore,
    filter: undefined,
    problems: { ...freshList, filter: state.problems.filter },
    podgc: { ...freshList, filter: state.podgc.filter },
    collector: { ...freshList, filter: state.collector.filter },
    activity: { ...freshList, filter: state.activity.filter, only: state.activity.only },
    selected: undefined,
    top: 0,
    moved: false,
    awaited: undefined,
  };
  // The cursor stays on its object where that is in the new scope too.
  const node = state.selected?.kind === 'object' ? state.selected.node : undefined;
  const again = node === undefined || !state.moved ? undefined : goTo(fresh, node);
  const there = again ?? begin(fresh);
  return withNewRevision(stayInList(openOnTrouble(there)));
}

/**
 * Rows that are unfolded before input is looked at again: about 5 ms of work. With 150,000 objects the key that
 * unfolds everything has its frame after 39 ms, in one go it took 328.
 */
const UNFOLD_ROWS = 3_000;

/** After the rows were built anew: unfolds the first of them and keeps the cursor. The rest follows in slices. */
export function unfoldMore(state: State): State {
  state.cluster?.rows.unfoldMore(UNFOLD_ROWS);
  return withNewRevision(stay(state));
}

/** Moves the cursor and the visible part of the tree, and keeps them steady while objects come and go. */
import type { GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeRows } from '../cluster/tree/rows.ts';
import { layoutOf, listHeight } from './layout.ts';
import { stayInList } from './lists.ts';
import { leaving } from './places.ts';
import { freshList, type State, withNewRevision, withNotice } from './state.ts';

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

export function scrollBy(state: State, rows: number): State {
  const length = state.cluster?.rows.length ?? 0;
  const height = listHeight(state);
  const top = Math.max(0, Math.min(state.top + rows, length - height));
  const index = Math.max(top, Math.min(state.selectedIndex, top + height - 1));
  return { ...selectIndex({ ...state, top }, index), moved: true };
}

/** Scrolls the painted tree without the cursor: the action stays about the same object. */
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
 * Keeps the cursor on its object and the object on its line after rows changed. If the row is gone, the cursor follows
 * the object elsewhere, else goes to the nearest remaining row above, else keeps its line.
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

/** Starts on the first object, which says more than headings, unless a heading is folded. */
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
  // The object may have a new owner or group; if it was deleted, the neighbours are nearer.
  if (!rows.hides(item)) return item.kind === 'object' ? rows.reveal(item.node) : undefined;
  // The rows above it were folded.
  for (let at = item.parent; at !== undefined; at = at.parent) {
    const shown = rows.again(at);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** Moves the cursor to the worst problem once the scope is judged, unless the user moved it or asked for a target. */
export function openOnTrouble(state: State): State {
  const { cluster, moved, awaited, filter, dialog } = state;
  if (moved || awaited !== undefined || filter !== undefined || dialog !== undefined) return state;
  if (cluster?.problems?.complete !== true || !(cluster.allKnown || cluster.scopeKnown)) return state;
  const { worst } = cluster;
  const there = worst && goTo(state, worst);
  return withNewRevision({ ...(there ?? begin(state)), moved: true });
}

export const ALL_NAMESPACES = '';

/** Puts the cursor on an object, if needed switching the scope or removing the filter. */
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
  // A cluster-scoped object, or a ghost owner, is in no namespace.
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

/** Drops marks that are out of sight, and the range, whose rows belong to the old scope. */
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
  // The cursor stays on its object if that is in the new scope too.
  const node = state.selected?.kind === 'object' ? state.selected.node : undefined;
  const again = node === undefined || !state.moved ? undefined : goTo(fresh, node);
  const there = again ?? begin(fresh);
  return withNewRevision(stayInList(openOnTrouble(there)));
}

/**
 * Rows to unfold before input is read again: about 5 ms. With 150,000 objects the key that unfolds everything has its
 * frame after 39 ms; in one go it took 328 ms.
 */
const UNFOLD_ROWS = 3_000;

/** Unfolds the first rows after a rebuild, keeping the cursor; the rest follows in slices. */
export function unfoldMore(state: State): State {
  state.cluster?.rows.unfoldMore(UNFOLD_ROWS);
  return withNewRevision(stay(state));
}

/** Finds the row or object under the cursor of the shown view: details, copying and actions are about it. */
import type { GraphNode } from '../../graph/index.ts';
import type { Uid } from '../../model/index.ts';
import type { GroupedRow } from '../cluster/grouped-rows.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeRows } from '../cluster/tree/tree-rows.ts';
import type { State } from '../state/state.ts';
import { shownList } from './lists.ts';

/** Returns undefined in the tree, and while there are no rows. */
export function currentRow(state: State): GroupedRow<unknown, unknown> | undefined {
  const list = shownList(state);
  return list?.rows.at(list.cursor.index);
}

/** Returns the object of a row; for the heading of a namespace, its Namespace. */
function nodeOf(item: TreeItem | undefined, cluster: ClusterModel | undefined): GraphNode | undefined {
  return item?.kind === 'group' ? cluster?.namespaceOf(item.group) : item?.node;
}

/** Returns undefined on a heading without an object, and while there are no rows. */
export function currentUid(state: State): Uid | undefined {
  if (state.view === 'tree') return currentNode(state)?.uid;
  const row = currentRow(state);
  return row && shownList(state)?.view.uidOf(row);
}

export function currentNode(state: State): GraphNode | undefined {
  if (state.view === 'tree') return nodeOf(state.tree.selected, state.cluster);
  const uid = currentUid(state);
  return uid && state.cluster?.node(uid);
}

/** Returns the object of the keys that show one: the row's, or the one that decides for all below a heading. */
export function nodeToShow(state: State): GraphNode | undefined {
  const deciding = decidingOf(state);
  if (deciding === undefined) return currentNode(state);
  return deciding === 'several' ? undefined : state.cluster?.node(deciding);
}

/** Returns what decides for all below the heading under the cursor; undefined on another row. */
export function decidingOf(state: State): Uid | 'several' | undefined {
  const row = currentRow(state);
  return row && shownList(state)?.view.decides?.(row);
}

export function hasRows(state: State): boolean {
  return state.view === 'tree' ? state.tree.selected !== undefined : currentRow(state) !== undefined;
}

/** Returns the seen objects of a row: the row's own, or all of its group. `alone`: none of an unfolded group. */
export function objectsOfRow(state: State, index: number, alone = false): readonly Uid[] {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const uids =
    state.view === 'tree'
      ? uidsOfItem(cluster.rows, cluster.rows.at(index), alone)
      : uidsOfRow(state, index, alone);
  return uids.filter(uid => cluster.node(uid)?.object !== undefined);
}

function uidsOfRow(state: State, index: number, alone: boolean): readonly Uid[] {
  const { view, rows } = shownList(state) ?? {};
  const row = rows?.at(index);
  if (view === undefined || rows === undefined || row === undefined) return [];
  const own = view.uidOf(row) ?? [];
  if (row.kind === 'item') return [own].flat();
  const below = alone && !row.folded ? [] : rows.itemsUnder(row.key);
  return [own, ...below.map(item => view.uidOfItem(item) ?? [])].flat();
}

/** Lists the uids of an item; a group stands for its roots, whose dependents go with them. */
function uidsOfItem(rows: TreeRows, item: TreeItem | undefined, alone: boolean): readonly Uid[] {
  if (item === undefined) return [];
  if (item.kind === 'object') return [item.uid];
  return alone && item.children !== undefined ? [] : rows.rootsIn(item.group).map(({ uid }) => uid);
}

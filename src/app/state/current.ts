/** Finds the row, object or finding under the cursor of each view: details, copying and actions are about it. */

import type { ActivityEntry } from '../../activity/entry.ts';
import type { Finding } from '../../diagnosis/engine/finding.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import type { ActivityRow } from '../cluster/activity.ts';
import { type CollectorRow, objectOf } from '../cluster/collector.ts';
import type { GroupedRow, GroupedRows } from '../cluster/grouped-rows.ts';
import type { ManagerRow } from '../cluster/managers.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { PodGcRow } from '../cluster/podgc.ts';
import type { ProblemRow } from '../cluster/problems.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeRows } from '../cluster/tree/rows.ts';
import type { State } from './state.ts';
import type { ViewId } from './views.ts';

export function currentProblem(state: State): ProblemRow | undefined {
  if (state.view !== 'problems') return undefined;
  return state.cluster?.problems?.rows.at(state.problems.index);
}

export function currentFinding(state: State): Finding | undefined {
  const row = currentProblem(state);
  return row?.kind === 'item' ? row.item : undefined;
}

export function currentPod(state: State): PodGcRow | undefined {
  if (state.view !== 'podgc') return undefined;
  return state.cluster?.podGc?.rows.at(state.podgc.index);
}

export function currentManager(state: State): ManagerRow | undefined {
  if (state.view !== 'managers') return undefined;
  return state.cluster?.managers?.rows.at(state.managers.index);
}

export function currentActivity(state: State): ActivityRow | undefined {
  if (state.view !== 'activity') return undefined;
  return state.cluster?.activity?.rows.at(state.activity.index);
}

/** Returns the entry under the cursor; undefined on a row that reports an unseen time. */
export function currentEntry(state: State): ActivityEntry | undefined {
  const row = currentActivity(state);
  return row && entryOfRow(row);
}

/** Returns the entry of a row; an action is the heading of its consequences. */
export function entryOfRow(row: ActivityRow): ActivityEntry | undefined {
  if (row.kind === 'item') return row.item;
  return row.head.of === 'action' ? row.head.entry : undefined;
}

export function currentPart(state: State): CollectorRow | undefined {
  if (state.view !== 'collector') return undefined;
  return state.cluster?.collector?.rows.at(state.collector.index);
}

export function currentRow(state: State): GroupedRow<unknown, unknown> | undefined {
  return (
    currentProblem(state) ??
    currentPod(state) ??
    currentManager(state) ??
    currentActivity(state) ??
    currentPart(state)
  );
}

/** Returns undefined on a heading, and while there are no rows. */
export function currentUid(state: State): Uid | undefined {
  if (state.view === 'tree') return currentNode(state)?.uid;
  if (state.view === 'activity') return currentEntry(state)?.object.uid;
  const part = currentPart(state);
  if (part?.kind === 'item') return objectOf(part.item)?.uid;
  const managed = currentManager(state);
  if (managed?.kind === 'item') return managed.item.uid;
  const row = currentPod(state);
  return row?.kind === 'item' ? row.item.pod.uid : currentFinding(state)?.object.uid;
}

/** Returns the seen objects of a row: the row's own, or all of its group. `alone`: none of an unfolded group. */
export function objectsOfRow(state: State, index: number, alone = false): readonly Uid[] {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const uids = uidsOfRow(state.view, cluster, index, alone);
  return uids.filter(uid => cluster.node(uid)?.object !== undefined);
}

function uidsOfRow(view: ViewId, cluster: ClusterModel, index: number, alone: boolean): readonly Uid[] {
  const among = <Item>(
    rows: GroupedRows<unknown, Item> | undefined,
    uidOf: (item: Item) => Uid | undefined,
  ): readonly Uid[] => {
    const row = rows?.at(index);
    if (rows === undefined || row === undefined) return [];
    const items = row.kind === 'item' ? [row.item] : alone && !row.folded ? [] : rows.itemsUnder(row.key);
    return items.flatMap(item => uidOf(item) ?? []);
  };
  switch (view) {
    case 'tree':
      return uidsOfItem(cluster.rows, cluster.rows.at(index), alone);
    case 'problems':
      return among(cluster.problems?.rows, ({ object }) => object.uid);
    case 'podgc':
      return among(cluster.podGc?.rows, ({ pod }) => pod.uid);
    case 'managers':
      return among(cluster.managers?.rows, ({ uid }) => uid);
    case 'collector':
      return among(cluster.collector?.rows, item => objectOf(item)?.uid);
    case 'activity': {
      const row = cluster.activity?.rows.at(index);
      const head = row?.kind === 'group' ? entryOfRow(row)?.object.uid : undefined;
      const below = among(cluster.activity?.rows, ({ object }) => object.uid);
      return head === undefined ? below : [head, ...below];
    }
  }
}

/** Lists the uids of an item; a group stands for its roots, whose dependents go with them. */
function uidsOfItem(rows: TreeRows, item: TreeItem | undefined, alone: boolean): readonly Uid[] {
  if (item === undefined) return [];
  if (item.kind === 'object') return [item.uid];
  return alone && item.children !== undefined ? [] : rows.rootsIn(item.group).map(({ uid }) => uid);
}

export function currentNode(state: State): GraphNode | undefined {
  if (state.view === 'tree') return state.selected?.kind === 'object' ? state.selected.node : undefined;
  const uid = currentUid(state);
  return uid && state.cluster?.node(uid);
}

export function hasRows(state: State): boolean {
  return state.view === 'tree' ? state.selected !== undefined : currentRow(state) !== undefined;
}

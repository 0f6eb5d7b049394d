/** Who owns what: objects below their owners. */

import type { ClusterModel } from '../../cluster/model.ts';
import type { TreeItem } from '../../cluster/tree/item.ts';
import { glyphsOf } from '../../drawing/fit.ts';
import type { TreeSort } from '../../settings/settings.ts';
import { listHeight, UNCUT_COLUMNS } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import { muted, unseenNamespace, type View, type ViewList } from '../view.ts';
import { fittedTo, headerLine, orderOf, type TreeColumns, treeColumns } from './columns.ts';
import { groupDetails } from './group-details.ts';
import { groupLine, groupNeeds } from './group-row.ts';
import {
  clickItem,
  followFindings,
  followMoment,
  keepCursorInSight,
  moveBy,
  pageBy,
  scrollTree,
  stay,
} from './moves.ts';
import { isFlashing, isInStep } from './painted-row.ts';
import { rowLine, rowNeeds } from './row.ts';

export const treeView: View = {
  id: 'tree',
  key: '1',
  title: 'Tree',
  about: 'who owns what',
  words: ['tree'],
  legend: [
    ['✗ REASON', 'an error was found: the details say more, and 2 lists all'],
    ['⚠ REASON', 'the same with a warning'],
    ['✗ 2 below', 'folded, and 2 objects below have errors; with ⚠ they have warnings'],
    ['foreground, 12m', 'deleted in the foreground 12 minutes ago: waits for what it owns'],
    ['orphaning', 'deleted, and its dependents are being orphaned'],
    ['held: NAME', 'deleted, and waits until its handler removes this finalizer'],
    ['will be collected', 'no owner exists any more: the garbage collector deletes it next'],
    ['never collected', 'a cluster-scoped object with a namespaced owner: the collector refuses it'],
    ['only in references', 'others name it as their owner, but it was never seen'],
    [
      'shop (54 objects)',
      'a namespace, or cluster-scoped: what stands at the top of it is below; keys act on the Namespace',
    ],
    ['31 ConfigMaps', 'objects of one kind; of one namespace, those without relations and without trouble'],
    ['✗ 3 ⚠ 8', 'of a group: 3 objects in it have errors, 8 others have warnings'],
    ['(+1 owner)', 'it has another owner, and stands below that one too'],
    ['(Helm/web)', 'in MANAGED BY: it is managed with its controller, as a pod with its Deployment'],
    ['(cycle)', 'it stands above itself: its owners form a cycle'],
  ],
  lines: treeLines,
  empty: (state, cluster) => [muted(noObjects(state, cluster))],
  details: ({ tree: { selected } }, cluster) =>
    selected?.kind === 'group' ? groupDetails(cluster, selected) : [],
  effects: ({ cluster }) => (cluster?.rows.unfolding === true ? [{ type: 'unfoldMore' }] : []),
  moves: {
    moveBy,
    pageBy,
    scroll: scrollTree,
    click: clickItem,
    index: ({ tree }) => tree.index,
    top: ({ tree }) => tree.top,
    stay,
    keepInSight: keepCursorInSight,
    followFindings,
    followMoment,
  },
};

function noObjects(state: State, cluster: ClusterModel): string {
  const { namespace, scopeKnown } = cluster;
  if (!state.graphComplete && !scopeKnown) return 'Nothing has arrived yet.';
  if (state.tree.filter?.kind === 'problems')
    return 'No object in this tree has a problem any more. Esc shows everything.';
  if (namespace === undefined) return 'No objects.';
  if (state.replay.known)
    return 'No objects in this namespace at this moment. . goes to the next change, n chooses another namespace.';
  return unseenNamespace(cluster) ?? 'No objects in this namespace. n chooses another one, or all of them.';
}

/** Fits the columns to the visible rows, unless nothing is cut, or the user chose a width. */
function columnsFor(state: State, width: number): TreeColumns {
  const columns = treeColumns(state, width);
  const { cluster, tree } = state;
  const isChosen = tree.columns?.some(each => each.column === 'state' && each.width !== undefined) === true;
  if (cluster === undefined || isChosen || width >= UNCUT_COLUMNS) return columns;
  const shown = cluster.rows.window(tree.top, listHeight(state));
  return fittedTo(
    columns,
    shown.map(item =>
      item.kind === 'object' ? rowNeeds(state, item, columns) : groupNeeds(cluster, item, glyphsOf(state)),
    ),
  );
}

/** Returns the order that a click on a column's heading chooses. */
export function orderAt(state: State, place: number, width: number): TreeSort | undefined {
  return place < width ? orderOf(columnsFor(state, width), place) : undefined;
}

function treeLines(state: State, width: number): ViewList {
  const rows = state.cluster?.rows;
  const columns = columnsFor(state, width);
  return {
    header: headerLine(state, columns),
    length: rows?.length ?? 0,
    *rows(start, count) {
      // The cursor's bar would hide the row's painting.
      const isChosen = (item: TreeItem): boolean =>
        state.cluster?.painting === undefined
          ? item === state.tree.selected
          : isFlashing(state, item) || isInStep(state, item);
      for (const item of rows?.window(start, count) ?? [])
        yield {
          spans: item.kind === 'group' ? groupLine(state, item, columns) : rowLine(state, item, columns),
          chosen: isChosen(item),
          across: false,
        };
    },
  };
}

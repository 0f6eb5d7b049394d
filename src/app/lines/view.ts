/** Draws the current view's list for screen, export and tests alike. */

import type { Line } from '../../text/terminal/style.ts';
import type { GroupedRow, GroupedRows } from '../cluster/grouped-rows.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import { isFlashing } from '../painting/row.ts';
import type { ListCursor, State } from '../state/state.ts';
import { activityHeader, activityRow } from './activity.ts';
import { collectorHeader, collectorRow } from './collector.ts';
import { managerHeader, managerRow } from './managers.ts';
import { podGcHeader, podGcRow } from './podgc.ts';
import { problemHeader, problemLine } from './problem.ts';
import { rowLine } from './row.ts';
import { headerLine, treeColumns } from './tree/columns.ts';
import { groupLine } from './tree/group-row.ts';

export interface ViewLine {
  /** Exactly as wide as requested. */
  readonly spans: Line;
  readonly chosen: boolean;
  /** A heading across the columns. */
  readonly across: boolean;
}

export interface ViewList {
  readonly header: Line;
  readonly length: number;
  /** Draws up to `count` rows from `start`, each as it is iterated. */
  readonly rows: (start: number, count: number) => Iterable<ViewLine>;
}

/** Returns the list, valid until the state changes. */
export function viewList(state: State, width: number): ViewList {
  switch (state.view) {
    case 'tree':
      return treeList(state, width);
    case 'problems':
      return listOf(problemHeader(width), state.cluster?.problems?.rows, state.problems, (row, index) =>
        problemLine(state, row, index, width),
      );
    case 'podgc':
      return listOf(podGcHeader(width), state.cluster?.podGc?.rows, state.podgc, (row, index) =>
        podGcRow(state, row, index, width),
      );
    case 'managers':
      return listOf(managerHeader(width), state.cluster?.managers?.rows, state.managers, (row, index) =>
        managerRow(state, row, index, width),
      );
    case 'collector':
      return listOf(
        collectorHeader(state, width),
        state.cluster?.collector?.rows,
        state.collector,
        (row, index) => collectorRow(state, row, index, width),
        true,
      );
    case 'activity':
      return listOf(
        activityHeader(state, width),
        state.cluster?.activity?.rows,
        state.activity,
        (row, index) => activityRow(state, row, index, width),
        true,
      );
  }
}

export function viewTop(state: State): number {
  return state.view === 'tree' ? state.top : state[state.view].top;
}

function treeList(state: State, width: number): ViewList {
  const rows = state.cluster?.rows;
  const columns = treeColumns(state, width);
  return {
    header: headerLine(state, columns),
    length: rows?.length ?? 0,
    *rows(start, count) {
      // The cursor's bar would hide the row's painting.
      const isChosen = (item: TreeItem): boolean =>
        state.cluster?.painting === undefined ? item === state.selected : isFlashing(state, item);
      for (const item of rows?.window(start, count) ?? [])
        yield {
          spans: item.kind === 'group' ? groupLine(state, item, columns) : rowLine(state, item, columns),
          chosen: isChosen(item),
          across: false,
        };
    },
  };
}

function listOf<Head, Item>(
  header: Line,
  rows: GroupedRows<Head, Item> | undefined,
  cursor: ListCursor,
  draw: (row: GroupedRow<Head, Item>, index: number) => Line,
  across = false,
): ViewList {
  return {
    header,
    length: rows?.length ?? 0,
    *rows(start, count) {
      let index = start;
      for (const row of rows?.window(start, count) ?? []) {
        yield {
          spans: draw(row, index),
          chosen: index === cursor.index,
          across: across || row.kind === 'group',
        };
        index += 1;
      }
    },
  };
}

/**
 * The list of whichever view is shown, as lines: one place that screen, export and tests read, so that a view which
 * is added here is drawn, written to a file and tested alike.
 */

import type { Line } from './frame-lines.ts';
import { problemHeader, problemLine } from './problem-line.ts';
import { headerLine, rowLine } from './row-line.ts';
import type { State } from './state.ts';

export interface ViewLine {
  /** Together exactly as wide as was asked for. */
  readonly spans: Line;
  /** The row under the cursor. */
  readonly chosen: boolean;
}

export interface ViewList {
  readonly header: Line;
  /** Rows from the first to the last, shown or not. */
  readonly length: number;
  /** Rows from `start` on, at most `count` of them. Drawn one by one as they are iterated. */
  readonly rows: (start: number, count: number) => Iterable<ViewLine>;
}

/** The list at a width in columns. It is good until the state changes. */
export function viewList(state: State, width: number): ViewList {
  switch (state.view) {
    case 'tree':
      return treeList(state, width);
    case 'problems':
      return problemList(state, width);
  }
}

/** Where the list that is shown begins on the screen. */
export function viewTop({ view, top, problems }: State): number {
  return view === 'problems' ? problems.top : top;
}

function treeList(state: State, width: number): ViewList {
  const rows = state.cluster?.rows;
  return {
    header: headerLine(width),
    length: rows?.length ?? 0,
    *rows(start, count) {
      for (const item of rows?.window(start, count) ?? [])
        yield { spans: rowLine(state, item, width), chosen: item === state.selected };
    },
  };
}

function problemList(state: State, width: number): ViewList {
  const rows = state.cluster?.problems?.rows;
  return {
    header: problemHeader(width),
    length: rows?.length ?? 0,
    *rows(start, count) {
      let index = start;
      for (const row of rows?.window(start, count) ?? []) {
        yield { spans: problemLine(state, row, index, width), chosen: index === state.problems.index };
        index += 1;
      }
    },
  };
}

/** Computes the place of each part on a screen of a given size, for drawing and for the mouse. */
import { type Behind, Connection } from '../../model/index.ts';
import { currentStep } from './forecast-step.ts';
import type { State } from './state.ts';

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly tooSmall: boolean;
  /** Rows of the list, without the column header; undefined while the details take its place. */
  readonly tree: Area | undefined;
  readonly details: Area | undefined;
  readonly arrangement: 'beside' | 'below' | 'alone';
  /** Line of a recording's or a forecast's time line, counted from 0. */
  readonly timeline: number | undefined;
  /** Area between head and footer, covered by dialogs. Its first line has the headings or a notice. */
  readonly body: Area;
}

/** Width for rows that must not be cut. The longest name that Kubernetes allows has 253 characters. */
export const UNCUT_COLUMNS = 900;
export const MINIMUM_COLUMNS = 60;
export const MINIMUM_ROWS = 15;
const TOUR_ROWS = 2;
/** Minimum width for details next to the tree. */
const BESIDE_COLUMNS = 110;
/** Minimum height for details below a tree that has no room next to it. */
const BELOW_ROWS = 20;

export function isInDetails(state: State): boolean {
  return state.details === 'full' || (state.focus === 'details' && layoutOf(state).details !== undefined);
}

/** Returns how many rows of the list show, or would if the details weren't in its place. */
export function listHeight(state: State): number {
  const { tree } = layoutOf(state);
  return (tree ?? layoutOf({ ...state, details: 'auto' }).tree)?.height ?? 1;
}

/** Returns a connection that is behind. A first listing doesn't count as behind. */
export function behindOf({ cluster, graphComplete }: State): Behind | undefined {
  const connection = cluster?.view.connection;
  if (connection === undefined || !Connection.isBehind(connection)) return undefined;
  return connection.state === 'lost' || graphComplete ? connection : undefined;
}

export function layoutOf(state: State): Layout {
  const { columns, rows } = state;
  const head = 2;
  const timeline = state.replay.known || currentStep(state) !== undefined ? rows - 2 : undefined;
  const foot = (timeline === undefined ? 1 : 2) + (state.tour === undefined ? 0 : TOUR_ROWS);
  const body: Area = { left: 0, top: head, width: columns, height: Math.max(1, rows - head - foot) };
  const base = { tooSmall: columns < MINIMUM_COLUMNS || rows < MINIMUM_ROWS, timeline, body };
  const tree: Area = { ...body, top: body.top + 1, height: Math.max(1, body.height - 1) };
  if (state.dialog?.kind === 'action') return { ...base, ...withPanel(tree, body, state.dialog.showsTable) };
  if (state.details === 'full') {
    const details = { left: 1, top: body.top + 1, width: columns - 2, height: Math.max(1, body.height - 1) };
    return { ...base, tree: undefined, details, arrangement: 'alone' };
  }
  if (state.details === 'auto' && columns >= BESIDE_COLUMNS) return { ...base, ...beside(tree, body) };
  if (state.details === 'auto' && rows >= BELOW_ROWS) {
    const height = Math.min(16, Math.floor(body.height * 0.4));
    return {
      ...base,
      tree: { ...tree, height: tree.height - height - 1 },
      details: { left: 1, top: body.top + body.height - height, width: columns - 2, height },
      arrangement: 'below',
    };
  }
  return { ...base, tree, details: undefined, arrangement: 'alone' };
}

type Split = Pick<Layout, 'tree' | 'details' | 'arrangement'>;

function beside(tree: Area, body: Area): Split {
  const width = Math.max(62, Math.floor(body.width * 0.6));
  return {
    tree: { ...tree, width },
    details: { left: width + 2, top: body.top, width: body.width - width - 3, height: body.height },
    arrangement: 'beside',
  };
}

/** Rows of the tree that stay visible above an action's panel, and lines that the panel needs at least. */
const TREE_ROWS = 5;
const PANEL_LINES = 5;

/** Puts an action's panel in the place of the details; the painted tree stays visible. `wide`: a table. */
function withPanel(tree: Area, body: Area, wide: boolean): Split {
  if (body.width >= BESIDE_COLUMNS && !wide) return beside(tree, body);
  const most = Math.max(PANEL_LINES, Math.floor(body.height * 0.6));
  const height = Math.min(most, Math.max(PANEL_LINES, tree.height - TREE_ROWS - 1));
  return {
    tree: { ...tree, height: Math.max(1, tree.height - height - 1) },
    details: { left: 1, top: body.top + body.height - height, width: body.width - 1, height },
    arrangement: 'below',
  };
}

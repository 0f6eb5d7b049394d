/** Chooses the tree's columns and their widths; never drops the name. */
import { showHidden } from '../../../model/index.ts';
import { displayWidth, type Line, NodeColumn, padEnd, truncate } from '../../../text/index.ts';
import { glyphsOf } from '../../drawing/fit.ts';
import { type ChosenColumn, isKeyed, type KeyedColumn, keyOf } from '../../settings/chosen-columns.ts';
import type { TreeSort } from '../../settings/settings.ts';
import { orderNamed } from '../../settings/sort.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import type { PlainColumn } from './cells.ts';

/** Widths are in terminal columns, including a blank. */
export interface PlacedColumn {
  readonly column: ChosenColumn['column'];
  readonly title: string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

export interface TreeColumns {
  /** Width of the name with its prefix. */
  readonly name: number;
  readonly others: readonly PlacedColumn[];
}

const standardColumns: readonly ChosenColumn[] = [
  { column: 'state' },
  { column: 'node', wide: true },
  { column: 'age' },
];

/** Width of a column: its share of the list, between `least` and `most`. */
interface Shape {
  readonly title: string;
  readonly least: number;
  readonly most: number;
  readonly share: number;
  readonly uncut: number;
  readonly align: PlacedColumn['align'];
}

/** Columns of a fixed width need no more if nothing is cut. */
const UNCUT = 256;

function shapeFrom(title: string, width: NodeColumn['width'], align?: 'right'): Shape {
  const shape =
    typeof width === 'number'
      ? { least: width, most: width, share: 1, uncut: width }
      : { ...width, uncut: UNCUT };
  return { title, align: align ?? 'left', ...shape };
}

const state: Shape = { ...shapeFrom('STATE', { least: 18, most: 60, share: 0.4 }), uncut: 360 };

/** Titles `app.kubernetes.io/name` NAME, as `kubectl get -L` does. */
function keyedShape(column: KeyedColumn): Shape {
  const title = (keyOf(column).split('/').at(-1) ?? '').toUpperCase();
  return shapeFrom(title, { least: Math.max(10, Math.min(16, title.length + 1)), most: 30, share: 0.14 });
}

function plainShape(column: PlainColumn): Shape {
  if (isKeyed(column)) return keyedShape(column);
  const { title, width, align } = NodeColumn.of(column);
  return shapeFrom(title, width, align);
}

function shapeOf({ column, title, width }: ChosenColumn): Shape {
  return {
    ...(column === 'state' ? state : plainShape(column)),
    ...(title !== undefined && { title: showHidden(title) }),
    ...(width !== undefined && { least: width, most: width, share: 1 }),
  };
}

/** Minimum width for `wide` columns, if they fit. */
const WIDE = 104;
/** Minimum width of the name: less would show neither names nor nesting. */
const LEAST_NAME = 28;
/** The name's share unless columns need it. */
const NAME_SHARE = 0.36;
const MOST_NAME = 40;
const UNCUT_NAME = 380;

export function treeColumns(state: State, width: number): TreeColumns {
  return placed(wishedColumns(state), width, state.cluster?.painting !== undefined);
}

/** Lists the chosen columns, with the managers' column as toggled. */
function wishedColumns({ tree }: State): readonly ChosenColumn[] {
  const { columns: chosen = standardColumns, showsManagers } = tree;
  const isManagers = ({ column }: ChosenColumn): boolean => column === 'managed-by';
  if (!showsManagers) return chosen.filter(each => !isManagers(each));
  if (chosen.some(isManagers)) return chosen;
  const at = chosen.findIndex(({ column }) => column === 'state') + 1;
  return chosen.toSpliced(at, 0, { column: 'managed-by' });
}

interface Candidate {
  readonly column: ChosenColumn['column'];
  readonly shape: Shape;
  readonly wanted: number;
  readonly stays: boolean;
  readonly wide: boolean;
}

/** Places columns; `painted`: keeps the state column, which shows the painting. */
function placed(wished: readonly ChosenColumn[], width: number, painted: boolean): TreeColumns {
  const hasState = wished.some(({ column }) => column === 'state');
  const columns = painted && !hasState ? [{ column: 'state' } as const, ...wished] : wished;
  const candidates = columns.map(chosen => candidateOf(chosen, width, painted));
  if (width >= UNCUT_COLUMNS)
    return { name: UNCUT_NAME, others: candidates.map(each => placedAs(each, each.shape.uncut)) };
  const kept = fitting(candidates, width);
  const wanted = sumOf(kept, each => each.wanted);
  const spare = wanted - sumOf(kept, leastOf);
  const excess = Math.max(0, wanted + nameWanted(width) - width);
  // Each column gives up its share of the excess; the name gets the rest.
  const share = spare === 0 ? 0 : Math.min(1, excess / spare);
  const others = kept.map(each =>
    placedAs(each, each.wanted - Math.ceil((each.wanted - leastOf(each)) * share)),
  );
  return { name: width - sumOf(others, each => each.width), others };
}

function candidateOf(chosen: ChosenColumn, width: number, painted: boolean): Candidate {
  const shape = shapeOf(chosen);
  const stays = painted && chosen.column === 'state';
  const wanted = Math.max(shape.least, Math.min(shape.most, Math.floor(width * shape.share)));
  return { column: chosen.column, shape, wanted, stays, wide: chosen.wide === true && !stays };
}

/** Keeps wide columns only if the name has all it wants, and the others, from the left, while they fit. */
function fitting(candidates: readonly Candidate[], width: number): readonly Candidate[] {
  let kept = width < WIDE ? candidates.filter(({ wide }) => !wide) : candidates;
  const drop = (which: (candidate: Candidate) => boolean): boolean => {
    const last = kept.findLastIndex(which);
    if (last >= 0) kept = kept.toSpliced(last, 1);
    return last >= 0;
  };
  const leavesName = (of: (candidate: Candidate) => number, name: number): boolean =>
    sumOf(kept, of) + name <= width;
  while (!leavesName(leastOf, nameWanted(width)) && drop(({ wide }) => wide));
  while (!leavesName(leastOf, LEAST_NAME) && drop(({ stays }) => !stays));
  return kept;
}

function nameWanted(width: number): number {
  return Math.max(LEAST_NAME, Math.min(MOST_NAME, Math.floor(width * NAME_SHARE)));
}

function leastOf({ shape }: Candidate): number {
  return shape.least;
}

function sumOf<T>(columns: readonly T[], of: (column: T) => number): number {
  return columns.reduce((sum, each) => sum + of(each), 0);
}

function placedAs({ column, shape: { title, align } }: Candidate, width: number): PlacedColumn {
  return { column, title, align, width };
}

/** Widths of a row's name, of its state, and of the part of it that a narrow column keeps longest. */
export interface RowNeeds {
  readonly name: number;
  readonly state: number;
  readonly cause: number;
}

/** Cursor, fold mark, and a blank after the name. */
export const CURSOR_AND_FOLD = 4;

/** Divides the room of names and states by what the rows need: causes first. */
export function fittedTo({ name, others }: TreeColumns, rows: readonly RowNeeds[]): TreeColumns {
  const at = others.findIndex(({ column }) => column === 'state');
  const placed = others[at];
  if (placed === undefined || rows.length === 0) return { name, others };
  const most = (of: (row: RowNeeds) => number): number => Math.max(...rows.map(of));
  const room = name + placed.width;
  const names = Math.max(
    LEAST_NAME,
    most(row => row.name),
  );
  const states = Math.max(
    state.least,
    most(row => row.state),
  );
  const causes = Math.min(
    room - LEAST_NAME,
    most(row => row.cause),
  );
  // Each column gets the room that the other doesn't need.
  const spare = room - names;
  const fair =
    states > placed.width
      ? Math.min(states, Math.max(placed.width, spare))
      : Math.min(placed.width, Math.max(states, spare));
  const width = Math.max(fair, causes);
  return { name: room - width, others: others.with(at, { ...placed, width }) };
}

/** Marks the column whose order the tree has. */
export function headerLine(state: State, { name, others }: TreeColumns): Line {
  const { ellipsis, ascii } = glyphsOf(state);
  const titled = (column: string, title: string): string =>
    orderNamed(column) === state.tree.sort ? `${title}${ascii ? '^' : '↑'}` : title;
  const titles = others.map(each =>
    cellText(each, truncate(titled(each.column, each.title), each.width - 1, ellipsis), ellipsis),
  );
  return [{ text: padEnd(` ${titled('name', 'NAME')}`, name) + titles.join(''), style: 'muted' }];
}

/** Returns the order of the column at a place of the heading. */
export function orderOf({ name, others }: TreeColumns, place: number): TreeSort | undefined {
  if (place < name) return 'name';
  let left = name;
  for (const { column, width } of others) if (place < (left += width)) return orderNamed(column);
  return undefined;
}

/** Fits text exactly to its column; numbers aren't cut, but `-` if they don't fit. */
export function cellText(
  { width, align }: Pick<PlacedColumn, 'width' | 'align'>,
  content: string,
  ellipsis: string,
): string {
  const room = width - 1;
  if (align === 'left') return padEnd(truncate(content, room, ellipsis), width);
  const shown = displayWidth(content) <= room ? content : '-';
  return `${' '.repeat(room - displayWidth(shown))}${shown} `;
}

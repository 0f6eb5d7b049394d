/** Tables of which one column gives way on a narrow terminal, and which give up columns where even that says too little. */
import type { Span } from './style.ts';
import { displayWidth, padEnd, truncate } from './width.ts';

export const GAP = '   ';
/** Columns of the widest table where output is not a terminal. */
const WIDEST = 200;

export interface TableLook {
  readonly headers: boolean;
  /** Columns of the terminal, infinite for a table that is never cut; undefined if output is not a terminal. */
  readonly width: number | undefined;
}

export interface TableShape {
  readonly titles: readonly string[];
  /** Index of the column that is cut where the terminal is narrow. */
  readonly flexible: number;
  /** With fewer columns than this it says too little. */
  readonly least: number;
}

/** Widths of the columns; undefined where they don't fit beside each other, and rows have to be told otherwise. */
export type TableColumns = readonly number[] | undefined;

export function tableColumns(
  rows: Iterable<readonly string[]>,
  { titles, flexible, least }: TableShape,
  { headers, width }: TableLook,
): TableColumns {
  const widths = titles.map(title => (headers ? title.length : 0));
  for (const cells of rows)
    for (const [index, cell] of cells.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  const used = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  const wanted = widths[flexible] ?? 0;
  const room = wanted - Math.max(0, used - (width ?? WIDEST));
  const enough = Math.min(wanted, least);
  // Programs read a table line by line.
  if (room < enough && width !== undefined) return undefined;
  widths[flexible] = Math.max(room, enough);
  return widths;
}

/** Each cell with the gap behind it. */
export function tableRow(cells: readonly string[], columns: readonly number[], ellipsis: string): string[] {
  return cells.map((text, index) => {
    const width = columns[index] ?? 0;
    return padEnd(truncate(text, width, ellipsis), width) + (index === cells.length - 1 ? '' : GAP);
  });
}

export function titleRow(titles: readonly string[], columns: readonly number[], ellipsis: string): Span[] {
  return tableRow(titles, columns, ellipsis).map(text => ({ text, style: 'title' }));
}

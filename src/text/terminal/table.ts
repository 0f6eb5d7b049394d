/** Tables with one column that shrinks on a narrow terminal, up to a minimum. */
import type { Span } from './style.ts';
import { displayWidth, padEnd, truncate } from './width.ts';

export const GAP = '   ';
/** Maximum columns if output isn't a terminal. */
const WIDEST = 200;

export interface TableLook {
  readonly headers: boolean;
  /** The terminal's columns: infinite for a table that is never cut, undefined without a terminal. */
  readonly width: number | undefined;
}

export interface TableShape {
  readonly titles: readonly string[];
  readonly flexible: number;
  readonly least: number;
}

/** Undefined if the columns don't fit, so that rows need another layout. */
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

export function tableRow(cells: readonly string[], columns: readonly number[], ellipsis: string): string[] {
  return cells.map((text, index) => {
    const width = columns[index] ?? 0;
    return padEnd(truncate(text, width, ellipsis), width) + (index === cells.length - 1 ? '' : GAP);
  });
}

export function titleRow(titles: readonly string[], columns: readonly number[], ellipsis: string): Span[] {
  return tableRow(titles, columns, ellipsis).map(text => ({ text, style: 'title' }));
}

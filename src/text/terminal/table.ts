/** Columns as data, for text output and the screen, and tables of them: adding a column is one entry. */
import type { Span, Style } from './style.ts';
import { displayWidth, padEnd, truncate } from './width.ts';

/** A column of items; its values also depend on `Look`, such as the time. */
export interface Column<Item, Look = unknown> {
  readonly title: string;
  /** Sanitised. */
  readonly value: (item: Item, look: Look) => string;
  readonly style?: (item: Item, look: Look) => Style;
  /** Only with `-o wide`. */
  readonly wide?: true;
}

export interface Table<Item, Look> {
  readonly columns: readonly Column<Item, Look>[];
  /** The title of the column that shrinks on a narrow terminal, down to `least`. */
  readonly flexible: string;
  readonly least: number;
  /** Writes the last column in full: lines fold below it. */
  readonly folds?: true;
}

export interface TableLook {
  readonly wide: boolean;
  readonly headers: boolean;
  /** The terminal's columns: infinite for a table that is never cut, undefined without a terminal. */
  readonly width: number | undefined;
  readonly ellipsis: string;
}

/** Undefined if the columns don't fit, so that rows need another layout. */
export type TableWidths = readonly number[] | undefined;

const GAP = '   ';
/** Maximum columns if output isn't a terminal. */
const WIDEST = 200;

function shownColumns<Item, Look extends TableLook>(
  { columns }: Table<Item, Look>,
  { wide }: TableLook,
): readonly Column<Item, Look>[] {
  return wide ? columns : columns.filter(column => column.wide === undefined);
}

export function tableWidths<Item, Look extends TableLook>(
  items: readonly Item[],
  table: Table<Item, Look>,
  look: Look,
): TableWidths {
  const columns = shownColumns(table, look);
  const widths = columns.map(({ title, value }) =>
    items.reduce(
      (most, item) => Math.max(most, displayWidth(value(item, look))),
      look.headers ? title.length : 0,
    ),
  );
  const flexible = columns.findIndex(({ title }) => title === table.flexible);
  const used = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  const wanted = widths[flexible] ?? 0;
  const room = wanted - Math.max(0, used - (look.width ?? WIDEST));
  const enough = Math.min(wanted, table.least);
  // Programs read a table line by line.
  if (room < enough && look.width !== undefined) return undefined;
  return widths.with(flexible, Math.max(room, enough));
}

/** Returns a row of cells, each as wide as its column and the gap behind it. */
export function tableRow<Item, Look extends TableLook>(
  item: Item,
  table: Table<Item, Look>,
  widths: readonly number[],
  look: Look,
): Span[] {
  const columns = shownColumns(table, look);
  const spans: Span[] = [];
  for (const [index, { value, style }] of columns.entries()) {
    const isLast = index === columns.length - 1;
    const cell = value(item, look);
    const text = isLast && table.folds ? cell : fitCell(cell, widths[index] ?? 0, look.ellipsis);
    append(spans, { text: isLast ? text : text + GAP, style: style?.(item, look) ?? 'plain' });
  }
  return spans;
}

export function titleRow<Item, Look extends TableLook>(
  table: Table<Item, Look>,
  widths: readonly number[],
  look: Look,
): Span[] {
  const titles = shownColumns(table, look).map(({ title }, index) =>
    fitCell(title, widths[index] ?? 0, look.ellipsis),
  );
  return [{ text: titles.join(GAP), style: 'title' }];
}

/** Merges spans of one style, because each has its own escape codes. */
function append(spans: Span[], { text, style }: Span): void {
  const last = spans.at(-1);
  if (last?.style === style) spans[spans.length - 1] = { text: last.text + text, style };
  else spans.push({ text, style });
}

function fitCell(text: string, width: number, ellipsis: string): string {
  return padEnd(truncate(text, width, ellipsis), width);
}

/** Returns the column where the last column of a table begins. */
export function lastColumnAt(widths: readonly number[]): number {
  return widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
}

/** The tree's columns, and the user's choice. */
import { NodeColumn } from '../../text/index.ts';

export const columnNames = ['name', 'state', ...NodeColumn.all.map(({ name }) => name)] as const;

export type ColumnName = (typeof columnNames)[number];

/** A label or annotation by key. */
export type KeyedColumn = `label:${string}` | `annotation:${string}`;

/** A column after the name, which is always first. */
export interface ChosenColumn {
  readonly column: Exclude<ColumnName, 'name'> | KeyedColumn;
  /** Default: the column's own heading. */
  readonly title?: string;
  /** Terminal columns with the gap; default: as needed. */
  readonly width?: number;
  /** Only for wide lists. */
  readonly wide?: boolean;
}

/** A name alone, or with its appearance. */
export type WrittenColumn = string | (Omit<ChosenColumn, 'column'> & { readonly column: string });

/** Annotations in which tools keep whole objects, including data of Secrets and ConfigMaps. */
const copies: ReadonlySet<string> = new Set([
  'banzaicloud.com/last-applied',
  'kapp.k14s.io/original',
  'kubectl.kubernetes.io/last-applied-configuration',
  'objectset.rio.cattle.io/applied',
]);

/** Valid keys of labels and annotations, such as `app.kubernetes.io/name`. */
const key = /^(?:[a-z0-9][a-z0-9.-]{0,252}\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/u;

const allowed = `${columnNames.join(', ')}, label:KEY, annotation:KEY`;

export function columnFaults(
  written: readonly WrittenColumn[],
): readonly (readonly [place: number, what: string])[] {
  const seen = new Set<string>();
  return written.flatMap((each, place) => {
    const column = columnOf(each);
    const what = seen.has(column) ? `${column} is there twice` : faultOf(column, each, place);
    seen.add(column);
    return what === undefined ? [] : [[place, what] as const];
  });
}

function faultOf(column: string, written: WrittenColumn, place: number): string | undefined {
  if (column === 'name') {
    if (place > 0) return 'name is always the first column';
    return typeof written === 'string' ? undefined : 'name takes the room that is left: write name alone';
  }
  const [, source, named = ''] = /^(label|annotation):(.*)$/su.exec(column) ?? [];
  if (source === undefined)
    return columnNames.some(name => name === column)
      ? undefined
      : `${JSON.stringify(column)} is no column; those are ${allowed}`;
  if (!key.test(named))
    return `${JSON.stringify(column)} names no ${source}; write ${source}:app.kubernetes.io/name`;
  return source === 'annotation' && copies.has(named)
    ? `${named} is not shown: it holds all of the object, data of Secrets too`
    : undefined;
}

/** Returns the name as settings and `:columns` use it. */
export function columnOf(written: WrittenColumn): string {
  return typeof written === 'string' ? written : written.column;
}

/** Requires a list without faults; leaves out the name. */
export function chosenColumns(written: readonly WrittenColumn[]): readonly ChosenColumn[] {
  return written
    .map(each => (typeof each === 'string' ? { column: each } : each))
    .filter(({ column }) => column !== 'name') as readonly ChosenColumn[];
}

export function isKeyed(column: ChosenColumn['column']): column is KeyedColumn {
  return column.includes(':');
}

export function keyOf(column: KeyedColumn): string {
  return column.slice(column.indexOf(':') + 1);
}

export function annotationsIn(columns: readonly ChosenColumn[]): readonly string[] {
  return columns.flatMap(({ column }) =>
    column.startsWith('annotation:') ? [keyOf(column as KeyedColumn)] : [],
  );
}

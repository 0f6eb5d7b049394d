/** The columns that the tree can have, and those that somebody chose of them. */

/** In the order in which they are told. */
export const columnNames = [
  'name',
  'state',
  'age',
  'kind',
  'namespace',
  'api-version',
  'node',
  'managed-by',
  'owner',
  'owners',
  'dependents',
  'finalizers',
  'created',
  'deleting',
  'uid',
] as const;

export type ColumnName = (typeof columnNames)[number];

/** The value of a label or an annotation, by its key. */
export type KeyedColumn = `label:${string}` | `annotation:${string}`;

/** A column beside the name, which is always the first one. */
export interface ChosenColumn {
  readonly column: Exclude<ColumnName, 'name'> | KeyedColumn;
  /** Its heading; left out, its own. */
  readonly title?: string;
  /** In columns of the terminal, the gap behind it included; left out, as much as it needs. */
  readonly width?: number;
  /** Only where the list is wide. */
  readonly wide?: boolean;
}

/** As it is written: a name alone, or with how it is to look. */
export type WrittenColumn = string | (Omit<ChosenColumn, 'column'> & { readonly column: string });

/**
 * Annotations that tools keep a copy of the whole object in, of a Secret's or ConfigMap's data, too.
 */
const copies: ReadonlySet<string> = new Set([
  'banzaicloud.com/last-applied',
  'kapp.k14s.io/original',
  'kubectl.kubernetes.io/last-applied-configuration',
  'objectset.rio.cattle.io/applied',
]);

/** `app.kubernetes.io/name`: as the API server takes the keys of labels and annotations. */
const key = /^(?:[a-z0-9][a-z0-9.-]{0,252}\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/u;

const allowed = `${columnNames.join(', ')}, label:KEY, annotation:KEY`;

/** What is wrong with a list of columns, by the place in it. */
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

/** As settings and `:columns` name it. */
export function columnOf(written: WrittenColumn): string {
  return typeof written === 'string' ? written : written.column;
}

/** Of a list without faults, those beside the name. */
export function chosenColumns(written: readonly WrittenColumn[]): readonly ChosenColumn[] {
  return written
    .map(each => (typeof each === 'string' ? { column: each } : each))
    .filter(({ column }) => column !== 'name') as readonly ChosenColumn[];
}

/** The key of the label or annotation that a column shows. */
export function keyOf(column: KeyedColumn): string {
  return column.slice(column.indexOf(':') + 1);
}

/** The annotations that columns show. */
export function annotationsIn(columns: readonly ChosenColumn[]): readonly string[] {
  return columns.flatMap(({ column }) =>
    column.startsWith('annotation:') ? [keyOf(column as KeyedColumn)] : [],
  );
}

/** `-o custom-columns=HEADER:PATH,…`: fields of a document's entries as a table, as kubectl prints them. */
import { FieldPath, showHidden } from '../../model/index.ts';
import { displayWidth, padEnd } from '../../text/index.ts';
import { UsageError } from './errors.ts';

interface FieldColumn {
  readonly header: string;
  readonly path: FieldPath;
}

const EXAMPLE = 'Write HEADER:PATH, such as CODE:.code,NAME:.object.name.';

/** Throws a `UsageError` for what isn't a list of columns. */
export function parseColumns(spec: string): readonly FieldColumn[] {
  return spec.split(',').map(part => {
    const colon = part.indexOf(':');
    const [header, path] = [part.slice(0, colon), part.slice(colon + 1)];
    if (colon < 1 || path === '')
      throw new UsageError(`cannot read the column ${JSON.stringify(part)}. ${EXAMPLE}`);
    return { header, path: pathOf(path) };
  });
}

/** Throws a `UsageError` for a path that can't be read. */
export function pathOf(text: string): FieldPath {
  const path = FieldPath.parse(text);
  if (path !== undefined) return path;
  throw new UsageError(
    `cannot read the path ${JSON.stringify(text)}. Use fields, [N], [*] and [?(@.field=="text")], as in .object.name; jq reads everything else.`,
  );
}

/** Returns the entries of a document that lists some; else the document alone. */
function rowsOf(document: unknown): readonly unknown[] {
  const [rows] = ['items', 'nodes', 'roots'].flatMap(name => FieldPath.values(document, [name]));
  return Array.isArray(rows) ? rows : [document];
}

/** kubectl's cells are at least this wide, with three blanks between them. */
const LEAST = 6;
const GAP = 3;

export function printColumns(document: unknown, columns: readonly FieldColumn[], headers: boolean): string {
  const cells = rowsOf(document).map(row =>
    columns.map(
      ({ path }) => showHidden(FieldPath.values(row, path).map(FieldPath.text).join(',')) || '<none>',
    ),
  );
  const lines = headers ? [columns.map(({ header }) => showHidden(header)), ...cells] : cells;
  const widths = columns.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, displayWidth(line[index] ?? '') + GAP), LEAST),
  );
  return lines
    .map(
      line =>
        `${line.map((cell, index) => (index === line.length - 1 ? cell : padEnd(cell, widths[index] ?? 0))).join('')}\n`,
    )
    .join('');
}

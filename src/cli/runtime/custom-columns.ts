/** `-o custom-columns=HEADER:PATH,…`: fields of a document's entries as a table, as kubectl prints them. */
import { isRecord, showHidden } from '../../model/index.ts';
import { displayWidth, padEnd } from '../../text/index.ts';
import { UsageError } from './errors.ts';

/** A field, an index, `*`, or a filter of items. */
type Step = string | number | typeof every | Filter;

interface Filter {
  readonly path: FieldPath;
  /** True if an item with the value passes; undefined if any value does. */
  readonly equal: boolean | undefined;
  /** A quoted text, or JSON. */
  readonly value: string;
  readonly quoted: boolean;
}

export type FieldPath = readonly Step[];

const every = Symbol('every');

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
    return { header, path: parsePath(path) };
  });
}

const step =
  /\.?\[(?:(-?\d{1,9})|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.(?:(\*)|((?:[^.[\]\\{}()*?@'"\s$|]|\\.)+))/uy;
const filter =
  /\.?\[\?\(\s*@((?:[^=!<>()'"\s]|'[^']*'|"[^"]*")*)\s*(?:(==|!=)\s*(?:'([^']*)'|"([^"]*)"|(-?\d+|true|false)))?\s*\)\]/uy;

/** Reads `.a.b`, `a.b` and `{.a.b}`, with `[0]`, `[*]`, `['a.b']`, `a\.b` and `[?(@.a=="b")]`; `.` and `''` are the value itself. */
export function parsePath(text: string): FieldPath {
  const inner = /^\{(.*)\}$/su.exec(text)?.[1] ?? text;
  if (inner === '' || inner === '.') return [];
  const path = /^[.[]/u.test(inner) ? inner : `.${inner}`;
  const steps: Step[] = [];
  for (let at = 0; at < path.length; ) {
    filter.lastIndex = at;
    step.lastIndex = at;
    const filtered = filter.exec(path);
    if (filtered !== null) {
      at = filter.lastIndex;
      steps.push(filterOf(filtered));
      continue;
    }
    const [found, index, all, single, double, star, name] = step.exec(path) ?? [];
    if (found === undefined)
      throw new UsageError(
        `cannot read the path ${JSON.stringify(text)}. Use fields, [N], [*] and [?(@.field=="text")], as in .object.name; jq reads everything else.`,
      );
    at = step.lastIndex;
    if (index !== undefined) steps.push(Number(index));
    else if (all !== undefined || star !== undefined) steps.push(every);
    else steps.push((single ?? double ?? name ?? '').replaceAll(/\\(.)/gu, '$1'));
  }
  return steps;
}

function filterOf([, path = '', operator, single, double, word]: RegExpExecArray): Filter {
  return {
    path: parsePath(path),
    equal: operator === undefined ? undefined : operator === '==',
    value: single ?? double ?? word ?? '',
    quoted: word === undefined,
  };
}

function passes(item: unknown, { path, equal, value, quoted }: Filter): boolean {
  const [found, ...others] = valuesAt(item, path);
  if (equal === undefined) return found !== undefined;
  const isSame = others.length === 0 && (quoted ? found : JSON.stringify(found)) === value;
  return found !== undefined && isSame === equal;
}

/** Returns nothing for a field that is missing. */
export function valuesAt(value: unknown, path: FieldPath): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const each of path) found = found.flatMap(parent => below(parent, each));
  return found;
}

function below(parent: unknown, at: Step): readonly unknown[] {
  if (Array.isArray(parent)) {
    const items: readonly unknown[] = parent;
    if (at === every) return items;
    if (typeof at === 'object') return items.filter(each => passes(each, at));
    const item = typeof at === 'number' ? items.at(at) : undefined;
    return item === undefined ? [] : [item];
  }
  if (!isRecord(parent)) return [];
  if (at === every) return Object.values(parent);
  return typeof at === 'string' && Object.hasOwn(parent, at) ? [parent[at]] : [];
}

/** Writes a value as Go's fmt does: `map[a:1 b:[x y]]`. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return value === null ? '<nil>' : JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `map[${names.map(name => `${name}:${goText(value[name])}`).join(' ')}]`;
}

/** Returns the entries of a document that lists some; else the document alone. */
function rowsOf(document: unknown): readonly unknown[] {
  const [rows] = ['items', 'nodes', 'roots'].flatMap(name => valuesAt(document, [name]));
  return Array.isArray(rows) ? rows : [document];
}

/** kubectl's cells are at least this wide, with three blanks between them. */
const LEAST = 6;
const GAP = 3;

export function printColumns(document: unknown, columns: readonly FieldColumn[], headers: boolean): string {
  const cells = rowsOf(document).map(row =>
    columns.map(({ path }) => showHidden(valuesAt(row, path).map(goText).join(',')) || '<none>'),
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

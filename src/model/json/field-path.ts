/** Paths to fields of a JSON value, in the part of kubectl's JSONPath that documents and definitions use. */
import { isRecord } from './json.ts';

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

const step =
  /\.?\[(?:(-?\d{1,9})|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.(?:(\*)|((?:[^.[\]\\{}()*?@'"\s$|]|\\.)+))/uy;
const filter =
  /\.?\[\?\(\s*@((?:[^=!<>()'"\s]|'[^']*'|"[^"]*")*)\s*(?:(==|!=)\s*(?:'([^']*)'|"([^"]*)"|(-?\d+|true|false)))?\s*\)\]/uy;

/** Reads `.a.b`, `a.b` and `{.a.b}`, with `[0]`, `[*]`, `['a.b']`, `a\.b` and `[?(@.a=="b")]`; `.` and `''` are the value itself. Returns undefined for anything else. */
function parsePath(text: string): FieldPath | undefined {
  const inner = /^\{(.*)\}$/su.exec(text)?.[1] ?? text;
  if (inner === '' || inner === '.') return [];
  const path = /^[.[]/u.test(inner) ? inner : `.${inner}`;
  const steps: Step[] = [];
  for (let at = 0; at < path.length; ) {
    filter.lastIndex = at;
    step.lastIndex = at;
    const filtered = filter.exec(path);
    if (filtered !== null) {
      // Reading the inner path moves `lastIndex`.
      at = filter.lastIndex;
      const of = filterOf(filtered);
      if (of === undefined) return undefined;
      steps.push(of);
      continue;
    }
    const [found, index, all, single, double, star, name] = step.exec(path) ?? [];
    if (found === undefined) return undefined;
    at = step.lastIndex;
    if (index !== undefined) steps.push(Number(index));
    else if (all !== undefined || star !== undefined) steps.push(every);
    else steps.push((single ?? double ?? name ?? '').replaceAll(/\\(.)/gu, '$1'));
  }
  return steps;
}

function filterOf([, inner = '', operator, single, double, word]: RegExpExecArray): Filter | undefined {
  const path = parsePath(inner);
  return (
    path && {
      path,
      equal: operator === undefined ? undefined : operator === '==',
      value: single ?? double ?? word ?? '',
      quoted: word === undefined,
    }
  );
}

function passes(item: unknown, { path, equal, value, quoted }: Filter): boolean {
  const [found, ...others] = valuesAt(item, path);
  if (equal === undefined) return found !== undefined;
  const isSame = others.length === 0 && (quoted ? found : JSON.stringify(found)) === value;
  return found !== undefined && isSame === equal;
}

/** Returns nothing for a field that is missing. */
function valuesAt(value: unknown, path: FieldPath): readonly unknown[] {
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

export const FieldPath = { parse: parsePath, values: valuesAt, text: goText };

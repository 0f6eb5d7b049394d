/** OwnershipTree as YAML in pieces. */
import { API_VERSION, type Basis } from '../basis.ts';
import { type TreeContext, treeNodeHead } from '../tree/ownership-tree.ts';
import { type Selection, walk } from '../tree/selection.ts';
import { quoted, unprintable } from './json.ts';

const INDENT = '  ';
// Deeper Nodes use flow style, because block indentation costs n² for n levels.
const DEEPEST_BLOCK = 100;

// Plain scalars that YAML 1.1 or 1.2 would not read as strings.
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/iu;
const plain = /^[A-Za-z(/](?:[\w.,()/=+ -]*[\w.,()/=+-])?$/u;

/** Quotes a scalar unless it is certainly a string without quotes. */
export function yamlScalar(text: string): string {
  return plain.test(text) && !reserved.test(text) ? text : quoted(text);
}

/** Prints block style; `indent` applies to lines after the first. */
export function block(value: unknown, indent: string): string {
  if (typeof value === 'string') return literal(value, indent) ?? ` ${yamlScalar(value)}`;
  if (Array.isArray(value))
    return value.length === 0
      ? ' []'
      : value.map(each => `\n${indent}-${block(each, indent + INDENT).replace(/^\n\s*/u, ' ')}`).join('');
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    if (fields.length === 0) return ' {}';
    return fields
      .map(([key, each]) => `\n${indent}${yamlScalar(key)}:${block(each, nested(each, indent))}`)
      .join('');
  }
  return ` ${String(value)}`;
}

/** Prints several lines as a literal block, as kubectl does; undefined if only quotes preserve the text. */
function literal(text: string, indent: string): string | undefined {
  const lines = text.replace(/\n$/u, '').split('\n');
  if (
    indent === '' ||
    !text.includes('\n') ||
    lines.some(line => line.endsWith(' ') || line.search(unprintable) >= 0)
  )
    return undefined;
  if (lines[0] === '' || lines.at(-1) === '' || text.startsWith(' ')) return undefined;
  const header = text.endsWith('\n') ? '|' : '|-';
  return ` ${header}${lines.map(line => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
}

/** Puts lists at their key's own indentation, as in kubectl's YAML. */
function nested(value: unknown, indent: string): string {
  return Array.isArray(value) ? indent : indent + INDENT;
}

function flow(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${fields.map(([key, each]) => `${quoted(key)}: ${flow(each)}`).join(', ')}}`;
  }
  return String(value);
}

/** Yields pieces of at least one Node; ends with a line break. `now` is in milliseconds since the epoch. */
export function* printYaml(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): Generator<string> {
  yield block({ apiVersion: API_VERSION, kind: 'OwnershipTree', basis }, '').slice(1);
  yield selection.roots.length === 0 ? '\nroots: []\n' : '\nroots:';
  // Flow style needs a comma after a sibling.
  let first = true;
  for (const { at, place } of walk(selection)) {
    const { depth } = place;
    const children = place.seeAlso ? 0 : selection.children(place.node).length;
    if (depth > DEEPEST_BLOCK) {
      if (at === 'enter') {
        yield `${first ? '' : ', '}${flow(treeNodeHead(context, place, now)).slice(0, -1)}, "dependents": [`;
        first = true;
      } else {
        yield ']}';
        first = false;
      }
      continue;
    }
    const indent = INDENT.repeat(depth);
    if (at === 'leave') {
      if (depth === DEEPEST_BLOCK && children > 0) yield ']';
      continue;
    }
    const body = block(treeNodeHead(context, place, now), indent + INDENT).trimStart();
    yield `\n${indent}- ${body}\n${indent}${INDENT}dependents:`;
    if (children === 0) yield ' []';
    else if (depth === DEEPEST_BLOCK) {
      yield ' [';
      first = true;
    }
  }
  if (selection.roots.length > 0) yield '\n';
}

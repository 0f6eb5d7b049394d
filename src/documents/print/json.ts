/** OwnershipTree as JSON in pieces, so that no tree becomes one string. */
import { escapeUnits } from '../../model/text/shown.ts';
import { API_VERSION, type Basis } from '../basis.ts';
import { type TreeContext, treeNodeHead } from '../tree/ownership-tree.ts';
import { type Selection, walk } from '../tree/selection.ts';

const INDENT = '  ';
// Deeper indentation would outgrow the content: n levels cost n² of it.
const DEEPEST_INDENT = 200;

/** Characters that could affect a terminal, such as controls, and `##vso[`, a command of a pipeline's runner. */
export const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|#(?=#\w*\[)|(?<=^ *):(?=:)/gu;
const harmless = /^(?!.*##\w*\[)[ !#-[\]-~]*$/u;

/** Quotes a JSON string, which is also a YAML double-quoted scalar. Lossless, unlike `sanitise`. */
export function quoted(text: string): string {
  if (harmless.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(unprintable, escapeUnits);
}

/** Works like JSON.stringify with two spaces, but escapes unprintable characters. Indents all lines but the first. */
export function stringify(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const items = value.map(each => `${indent}${INDENT}${stringify(each, indent + INDENT)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    if (fields.length === 0) return '{}';
    const lines = fields.map(
      ([key, each]) => `${indent}${INDENT}${quoted(key)}: ${stringify(each, indent + INDENT)}`,
    );
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}

/** Yields pieces of at least one Node; ends with a line break. `now` is in milliseconds since the epoch. */
export function* printJson(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): Generator<string> {
  const head = stringify({ apiVersion: API_VERSION, kind: 'OwnershipTree', basis });
  yield `${head.slice(0, -2)},\n${INDENT}"roots": [`;
  let first = true;
  for (const { at, place } of walk(selection)) {
    const indent = INDENT.repeat(Math.min(2 + 2 * place.depth, DEEPEST_INDENT));
    if (at === 'enter') {
      const node = stringify(treeNodeHead(context, place, now), indent);
      const open = node.slice(0, node.lastIndexOf('\n'));
      yield `${first ? '' : ','}\n${indent}${open},\n${indent}${INDENT}"dependents": [`;
      first = true;
    } else {
      yield first ? `]\n${indent}}` : `\n${indent}${INDENT}]\n${indent}}`;
      first = false;
    }
  }
  yield first ? ']\n}\n' : `\n${INDENT}]\n}\n`;
}

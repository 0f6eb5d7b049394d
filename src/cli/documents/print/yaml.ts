/** OwnershipTree as YAML in pieces. */

import { documentText } from '../../../text/index.ts';
import { API_VERSION } from '../basis.ts';
import type { Basis } from '../definitions.ts';
import { type TreeContext, treeNodeHead } from '../tree/ownership-tree.ts';
import { type Selection, walk } from '../tree/selection.ts';

const INDENT = '  ';
// Deeper Nodes use flow style, because block indentation costs n² for n levels.
const DEEPEST_BLOCK = 100;

function flow(value: unknown): string {
  if (typeof value === 'string') return documentText.json(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${fields.map(([key, each]) => `${documentText.json(key)}: ${flow(each)}`).join(', ')}}`;
  }
  return String(value);
}

/** Yields pieces of at least one Node; ends with a line break. */
export function* printYaml(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): Generator<string> {
  yield documentText.yaml({ apiVersion: API_VERSION, kind: 'OwnershipTree', basis }, '').slice(1);
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
    const body = documentText.yaml(treeNodeHead(context, place, now), indent + INDENT).trimStart();
    yield `\n${indent}- ${body}\n${indent}${INDENT}dependents:`;
    if (children === 0) yield ' []';
    else if (depth === DEEPEST_BLOCK) {
      yield ' [';
      first = true;
    }
  }
  if (selection.roots.length > 0) yield '\n';
}

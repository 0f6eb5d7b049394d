/** OwnershipTree as JSON in pieces, so that no tree becomes one string. */
import { documentText } from '../../../text/index.ts';
import { API_VERSION } from '../basis.ts';
import type { Basis } from '../definitions.ts';
import { type TreeContext, treeNodeHead } from '../tree/ownership-tree.ts';
import { type Selection, walk } from '../tree/selection.ts';

const INDENT = '  ';
// Deeper indentation would outgrow the content: n levels cost n² of it.
const DEEPEST_INDENT = 200;

/** Yields pieces of at least one Node; ends with a line break. */
export function* printJson(
  basis: Basis,
  selection: Selection,
  context: TreeContext,
  now: number,
): Generator<string> {
  const head = documentText.json({ apiVersion: API_VERSION, kind: 'OwnershipTree', basis });
  yield `${head.slice(0, -2)},\n${INDENT}"roots": [`;
  let first = true;
  for (const { at, place } of walk(selection)) {
    const indent = INDENT.repeat(Math.min(2 + 2 * place.depth, DEEPEST_INDENT));
    if (at === 'enter') {
      const node = documentText.json(treeNodeHead(context, place, now), indent);
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

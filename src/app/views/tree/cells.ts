/** Cells of the tree's columns, except name and state. */
import type { GraphNode } from '../../../graph/index.ts';
import { type KubeObject, Labels, prose, shownName } from '../../../model/index.ts';
import { NodeColumn, type NodeLook, type Span } from '../../../text/index.ts';
import { type ChosenColumn, isKeyed, type KeyedColumn, keyOf } from '../../settings/chosen-columns.ts';

export type PlainColumn = Exclude<ChosenColumn['column'], 'state'>;

/** Returns the sanitised text, `''` if there is none. */
export function cellOf(column: PlainColumn, node: GraphNode, look: NodeLook): Span {
  if (isKeyed(column))
    return { text: node.object === undefined ? '' : keyedCell(column, node.object), style: 'plain' };
  const { value, style, empty = '' } = NodeColumn.of(column);
  return { text: value(node, look) || empty, style: style?.(node, look) ?? 'plain' };
}

/** Hides annotations of Secrets, in which tools keep copies of the data. */
function keyedCell(column: KeyedColumn, object: KubeObject): string {
  if (column.startsWith('label:')) return shownName(Labels.value(object.labels, keyOf(column)) ?? '');
  const { group, kind } = object.type;
  if (group === '' && kind === 'Secret') return '';
  return prose(Labels.value(object.annotations, keyOf(column)) ?? '');
}

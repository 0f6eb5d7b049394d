/** Draws the heading of a namespace or a kind in the tree. */
import { isDeleting } from '../../../graph/index.ts';
import { counted, formatCount, shownName, wordForms } from '../../../model/index.ts';
import { displayWidth, type Glyphs, type Line, padEnd, truncated } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { GroupItem } from '../../cluster/tree/item.ts';
import { glyphsOf, widthOf } from '../../drawing/fit.ts';
import { troubleSpans } from '../../drawing/heading.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import { CURSOR_AND_FOLD, type RowNeeds, type TreeColumns } from './columns.ts';
import { paintedGroup } from './painted-row.ts';
import { foldMark, guides } from './row.ts';

/** Returns `31 APIServices`, `shop`, `cluster-scoped`. */
function groupTitle({ group }: GroupItem, cluster: ClusterModel): string {
  if (group.of === 'namespace') return group.namespace === '' ? 'cluster-scoped' : shownName(group.namespace);
  const roots = cluster.rows.rootsIn(group);
  const kind = wordForms.plural(group.objectKind, roots[0]?.object?.type.resource);
  return `${formatCount(roots.length)} ${shownName(kind)}`;
}

function groupRemark({ group }: GroupItem, cluster: ClusterModel, glyphs: Glyphs, room: number): string {
  if (group.of !== 'namespace') return '';
  const count = cluster.objectsIn(group.namespace);
  const object = cluster.namespaceOf(group)?.object;
  const severity = object && cluster.problems?.worstOf(object.uid)?.severity;
  const sign = severity === undefined ? '' : `${severity === 'error' ? glyphs.danger : glyphs.warning} `;
  const ends = object !== undefined && isDeleting(object) ? `, ${sign}terminating` : '';
  const remarks = [
    ` (${counted(count, 'object')}${ends})`,
    ...(ends === '' ? [] : [` (${formatCount(count)}${ends})`]),
    ` (${counted(count, 'object')})`,
    ` (${formatCount(count)})`,
  ];
  return remarks.find(({ length }) => length < room) ?? '';
}

/** Room for a count alone, such as ` (12,345)`. */
const LEAST_REMARK = 10;

/** Measures the room that a whole heading needs. */
export function groupNeeds(cluster: ClusterModel, item: GroupItem, glyphs: Glyphs): RowNeeds {
  const remark = groupRemark(item, cluster, glyphs, UNCUT_COLUMNS);
  const name = item.depth * 2 + displayWidth(groupTitle(item, cluster) + remark) + CURSOR_AND_FOLD;
  return { name, state: 0, cause: 0 };
}

export function groupLine(state: State, item: GroupItem, columns: TreeColumns): Line {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const glyphs = glyphsOf(state);
  const cursor = item === state.tree.selected ? '>' : ' ';
  const lines = guides(item, item.depth * 2, state.options);
  const fold = foldMark(item, cluster, glyphs.ascii);
  const trouble = cluster.troubleIn(item.group);
  const painted = paintedGroup(state, item, glyphs);
  const counts = painted.length > 0 || trouble === undefined ? painted : troubleSpans(trouble, state);
  const used = widthOf(counts);
  const others = columns.others.reduce((sum, { width }) => sum + width, 0);
  // Without a column for the counts, the title makes room.
  const room = columns.name - 1 - lines.length - fold.length - Math.max(0, used - others);
  const least = groupRemark(item, cluster, glyphs, LEAST_REMARK);
  const title = truncated.middle(groupTitle(item, cluster), room - 1 - least.length, glyphs.ellipsis);
  const left = room - displayWidth(title);
  return [
    { text: cursor, style: 'plain' },
    { text: lines, style: 'muted' },
    { text: fold, style: 'plain' },
    { text: title, style: 'title' },
    { text: padEnd(groupRemark(item, cluster, glyphs, left), left), style: 'muted' },
    ...counts,
    { text: ' '.repeat(Math.max(0, others - used)), style: 'plain' },
  ];
}

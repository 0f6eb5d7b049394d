/** Draws a row of the tree: the name with its marks, then the other columns. */

import type { Finding } from '../../../diagnosis/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { formatCount, objectTitle, objectTitleIn, showHidden, wordForms } from '../../../model/index.ts';
import {
  displayWidth,
  findingWords,
  type Glyphs,
  type Line,
  padEnd,
  type Span,
  type StateText,
  stateWords,
  truncate,
  truncated,
} from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { ObjectItem, TreeItem } from '../../cluster/tree/item.ts';
import { glyphsOf } from '../../drawing/fit.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import { agesAsOf, type State } from '../../state/state.ts';
import { cellOf } from './cells.ts';
import { CURSOR_AND_FOLD, cellText, type PlacedColumn, type RowNeeds, type TreeColumns } from './columns.ts';
import { type PaintedRow, paintedCell, paintedRow } from './painted-row.ts';

export function foldMark(item: TreeItem, cluster: ClusterModel, ascii: boolean): string {
  if (!cluster.rows.canExpand(item)) return '  ';
  const open = item.children !== undefined;
  if (ascii) return open ? 'v ' : '> ';
  return open ? '▾ ' : '▸ ';
}

/** Draws lines from the owner of a row, of `width` columns: `│ ├ `; blanks for a screen reader. */
export function guides(item: TreeItem, width: number, { ascii, screenReader }: State['options']): string {
  if (screenReader) return ' '.repeat(width);
  const [past, on, end] = ascii ? ['| ', '| ', '` '] : ['│ ', '├ ', '└ '];
  let text = '';
  for (let at = item; at.parent !== undefined; at = at.parent) {
    const isLast = at.parent.children?.items.at(-1) === at;
    text = (at === item ? (isLast ? end : on) : isLast ? '  ' : past) + text;
  }
  return text.slice(text.length - width);
}

/** Names owners that the row's place doesn't show. */
function ownerRemark(item: ObjectItem, cluster: ClusterModel): string {
  const { node, parent } = item;
  if (item.cycle) return '(cycle)';
  if (node.owners.length === 0) return '';
  const others = cluster.owners(node).filter(owner => parent?.kind !== 'object' || owner.uid !== parent.uid);
  const [first] = others;
  if (first === undefined) return '';
  if (parent?.kind === 'object') return `(+${others.length} owner${others.length === 1 ? '' : 's'})`;
  // A root has no owner in scope, unless it stands for a cycle of owners.
  const outside = others.find(owner => !cluster.inScope(owner));
  return outside === undefined ? '(owner cycle)' : `(owned by ${objectTitle(outside.identity)})`;
}

interface NameCell {
  readonly room: number;
  /** Columns whose values the name need not repeat. */
  readonly others: TreeColumns['others'];
  readonly ellipsis: string;
}

/** Fits name and remarks; a short word on other owners is worth more than a long name's end. */
function nameAndRemarks(
  item: ObjectItem,
  cluster: ClusterModel,
  { room, others, ellipsis }: NameCell,
): readonly [string, string] {
  const owners = ownerRemark(item, cluster);
  const folded = item.children === undefined && !item.cycle ? cluster.rows.childCount(item) : 0;
  const count = folded === 0 ? '' : ` (${formatCount(folded)})`;
  const long = owners === '' ? '' : ` ${owners}`;
  const short = item.parent?.kind !== 'object' ? '' : long.replace(/ owners?\)$/u, ')');
  const name = truncated.title(nameOf(item, cluster, others), room - short.length, ellipsis);
  const left = room - displayWidth(name);
  const remark = [long + count, short + count, short, count].find(text => displayWidth(text) <= left);
  return [name, remark ?? ''];
}

function nameOf({ node, parent }: ObjectItem, cluster: ClusterModel, others: TreeColumns['others']): string {
  const { identity } = node;
  const has = (column: PlacedColumn['column']): boolean => others.some(each => each.column === column);
  const above = parent?.kind === 'object' ? parent.node.identity.namespace : undefined;
  // An owner known from references alone may name another namespace, or none.
  const around = has('namespace') ? identity.namespace : (cluster.namespace ?? above ?? identity.namespace);
  return has('kind') ? wordForms.nameIn(identity, around) : objectTitleIn(identity, around);
}

/** Measures the room that a whole row needs. */
export function rowNeeds(state: State, item: ObjectItem, { others }: TreeColumns): RowNeeds {
  const { cluster } = state;
  if (cluster === undefined) return { name: 0, state: 0, cause: 0 };
  const glyphs = glyphsOf(state);
  const uncut = { room: UNCUT_COLUMNS, others, ellipsis: glyphs.ellipsis };
  const painted = paintedRow(state, item, glyphs);
  const name = painted?.title ?? nameAndRemarks(item, cluster, uncut).join('');
  const painting = painted && paintedCell(painted, UNCUT_COLUMNS, glyphs);
  const cell = painting ?? stateCell(state, item, UNCUT_COLUMNS, glyphs);
  const whole =
    displayWidth(
      cell
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    ) + 1;
  const finding = painting === undefined ? cluster.problems?.worstOf(item.node.uid) : undefined;
  const [reason, cause] =
    finding === undefined
      ? [painted?.words?.text, painted?.cause]
      : [findingWords.reason(finding), findingWords.cause(finding)];
  const less =
    reason === undefined || cause === undefined ? whole : displayWidth(reason) - displayWidth(cause);
  return {
    name: item.depth * 2 + displayWidth(name) + CURSOR_AND_FOLD,
    state: whole,
    cause: whole - less,
  };
}

export function rowLine(state: State, item: ObjectItem, columns: TreeColumns): Line {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const glyphs = glyphsOf(state);
  const { node } = item;
  // Deep trees keep room for the name.
  const indent = Math.min(item.depth * 2, Math.max(0, columns.name - 24));
  const cursor = item === state.tree.selected ? '>' : ' ';
  const isMarked = state.marks.has(node.uid);
  const painted = paintedRow(state, item, glyphs);
  const fold = foldMark(item, cluster, glyphs.ascii);
  const prefix = isMarked ? `${fold.slice(0, 1)}*` : fold;
  const room = columns.name - indent - prefix.length - 2;
  const [name, remark] =
    painted?.title === undefined
      ? nameAndRemarks(item, cluster, { ...columns, room, ellipsis: glyphs.ellipsis })
      : [truncate(painted.title, room, glyphs.ellipsis), ''];
  const row = { state, item, cluster, painted, glyphs };
  return [
    painted?.sign ?? { text: cursor, style: 'plain' },
    { text: guides(item, indent, state.options), style: 'muted' },
    { text: prefix, style: 'plain' },
    { text: name, style: painted?.name ?? (node.virtual ? 'ghost' : 'plain') },
    { text: padEnd(remark, Math.max(0, room - displayWidth(name) + 1)), style: 'muted' },
    ...columns.others.flatMap(column => cellSpans(row, column)),
  ];
}

interface Row {
  readonly state: State;
  readonly item: ObjectItem;
  readonly cluster: ClusterModel;
  readonly painted: PaintedRow | undefined;
  readonly glyphs: Glyphs;
}

function cellSpans({ state, item, cluster, painted, glyphs }: Row, placed: PlacedColumn): Line {
  const { column, width } = placed;
  if (column === 'state')
    return (painted && paintedCell(painted, width, glyphs)) ?? stateCell(state, item, width, glyphs);
  // An object yet to be created has no other values.
  const { text, style } =
    painted?.title === undefined
      ? cellOf(column, item.node, { now: agesAsOf(state), managers: node => cluster.managedBy(node) })
      : emptySpan;
  return [{ text: cellText(placed, text, glyphs.ellipsis), style }];
}

const emptySpan: Span = { text: '', style: 'muted' };

function stateCell(state: State, item: ObjectItem, width: number, glyphs: Glyphs): Line {
  const isWhole = item.children !== undefined || item.cycle;
  return nodeState(state, item.node, { width, below: !isWhole }, glyphs);
}

interface StateCell {
  readonly width: number;
  /** Includes trouble below the object. */
  readonly below: boolean;
}

/** Shows an object's activity or trouble in exactly `width` columns, the last one blank. */
export function nodeState(
  state: State,
  node: GraphNode,
  { width, below: tells }: StateCell,
  glyphs: Glyphs,
): Line {
  const { cluster } = state;
  if (cluster === undefined) return [{ text: ' '.repeat(width), style: 'plain' }];
  const finding = cluster.problems?.worstOf(node.uid);
  const words = finding === undefined ? ownState(state, cluster, node) : badgeOf(finding);
  const below = tells ? troubleOf(state, node, glyphs) : undefined;
  const mark = words.mark === '' ? '' : `${glyphs[words.mark]} `;
  const room = width - 1 - mark.length - (below === undefined ? 0 : below.text.length + 2);
  const text =
    finding === undefined
      ? truncate(words.text, room, glyphs.ellipsis)
      : findingWords.fittedReason(finding, room, glyphs.ellipsis);
  const used = mark.length + displayWidth(text);
  const own: Span[] = [
    { text: mark, style: words.style },
    { text, style: words.style },
  ];
  if (below === undefined) return [...own, { text: padEnd('', width - used), style: 'plain' }];
  const gap = used === 0 ? '' : '  ';
  const rest = { text: padEnd(below.text, width - used - gap.length), style: below.style };
  return [...own, { text: gap, style: 'plain' }, rest];
}

/** Returns what the object's own status says, else what its definition prints. */
function ownState(state: State, cluster: ClusterModel, node: GraphNode): StateText {
  const words = stateWords.text(node, cluster.judge(node), agesAsOf(state));
  const printed = words.text === '' ? state.rowStates.get(node.uid)?.text : undefined;
  return printed === undefined ? words : { ...words, text: showHidden(printed) };
}

function badgeOf(finding: Finding): StateText {
  const mark = finding.severity === 'error' ? 'danger' : 'warning';
  return { mark, text: findingWords.reason(finding), style: findingWords.severityStyle[finding.severity] };
}

/** Counts the worst objects below a folded row, as in `✗ 2 below`. */
function troubleOf({ cluster }: State, node: GraphNode, glyphs: Glyphs): Span | undefined {
  if (node.dependents.size === 0) return undefined;
  const trouble = cluster?.problems?.troubleBelow(node.uid);
  if (trouble === undefined) return undefined;
  const { errors, warnings } = trouble;
  return errors > 0
    ? { text: `${glyphs.danger} ${formatCount(errors)} below`, style: 'danger' }
    : { text: `${glyphs.warning} ${formatCount(warnings)} below`, style: 'warning' };
}

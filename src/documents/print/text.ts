/** The tree for people: aligned columns, one row per place, never wider than the terminal. */
import type { GraphNode } from '../../graph/node.ts';
import { shownUid } from '../../model/object-id.ts';
import { shownName } from '../../model/text/shown.ts';
import { objectTitle, objectTitleIn } from '../../model/text/titles.ts';
import { managerCell } from '../../text/diagnosis/managers.ts';
import { stateLine } from '../../text/diagnosis/state.ts';
import { formatAge } from '../../text/terminal/age.ts';
import { asciiSpan } from '../../text/terminal/ascii.ts';
import type { Glyphs } from '../../text/terminal/glyphs.ts';
import { paint, paintSpans, type Span } from '../../text/terminal/style.ts';
import { displayWidth, padEnd, truncate } from '../../text/terminal/width.ts';
import { notesAt, stateAt, type TreeContext, treeIdentity } from '../tree/ownership-tree.ts';
import { type Selection, type TreePosition, walk } from '../tree/selection.ts';

export interface TextOptions {
  /** Adds node, owner flags, finalizers and uid. */
  readonly wide: boolean;
  readonly headers: boolean;
  readonly labels: boolean;
  readonly colour: boolean;
  readonly glyphs: Glyphs;
  /** Selected rows have a mark in front: others stand beside them. */
  readonly marks: boolean;
  /** Columns of the terminal; undefined where output is not one. */
  readonly width: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Cells of one row, all sanitised. Fewer than there are columns where the rest is empty. */
export interface Row {
  readonly cells: readonly Span[];
  /** Sign and tree lines in front of the first cell; every character of them takes one column. */
  readonly lead: string;
}

const GAP = '   ';
const SELECTED = '* ';
// Below this depth rows say their level instead of being indented further: n levels would cost n² of it.
const DEEPEST_LEAD = 40;

/** A column of its own for what not every tree shows: title and cell, so that neither can be without the other. */
interface Column {
  readonly title: string;
  /** Sanitised; empty where there is nothing, which a row shows as `<none>`. */
  readonly cell: (node: GraphNode, context: TreeContext) => string;
}

const wideColumns: readonly Column[] = [
  {
    title: 'NODE',
    cell: ({ object }) => (object?.facts?.kind === 'Pod' ? shownName(object.facts.nodeName) : ''),
  },
  { title: 'OWNERS', cell: ownerFlags },
  { title: 'FINALIZERS', cell: ({ object }) => object?.finalizers.map(shownName).join(',') ?? '' },
  { title: 'MANAGED BY', cell: managers },
  { title: 'UID', cell: ({ identity }) => shownName(shownUid(identity.uid)) },
];

/** `ArgoCD/shop,Helm/api`; `(Helm/api)` of what is managed with its controller. */
function managers(node: GraphNode, context: TreeContext): string {
  return context.managers(node).map(managerCell).join(',');
}

const labelsColumn: Column = { title: 'LABELS', cell: labelsText };

function addedColumns({ wide, labels }: TextOptions): readonly Column[] {
  return [...(wide ? wideColumns : []), ...(labels ? [labelsColumn] : [])];
}

/** As kubectl shows that there is nothing. */
const NONE = '<none>';

export function columnTitles(options: TextOptions): readonly string[] {
  return [
    `${markOf(false, options)}NAME`,
    'STATE',
    'AGE',
    ...addedColumns(options).map(({ title }) => title),
    'NOTE',
  ];
}

/** What stands at the very left: ASCII in any case, and no matter of colour. */
export function markOf(selected: boolean, { marks }: Pick<TextOptions, 'marks'>): string {
  if (!marks) return '';
  return selected ? SELECTED : ' '.repeat(SELECTED.length);
}

function leadOf(place: TreePosition, options: TextOptions): string {
  const { glyphs } = options;
  const mark = markOf(place.selected, options);
  if (place.depth === 0) return mark;
  if (place.depth > DEEPEST_LEAD) return `${mark}${glyphs.blank.repeat(DEEPEST_LEAD)}(${place.depth}) `;
  let lead = place.last ? glyphs.lastBranch : glyphs.branch;
  for (let at = place.parent; at !== undefined && at.depth > 0; at = at.parent)
    lead = (at.last ? glyphs.blank : glyphs.through) + lead;
  return mark + lead;
}

function ownerFlags(node: GraphNode): string {
  return node.owners
    .map(
      reference =>
        [
          reference.controller === true ? 'controller' : '',
          reference.blockOwnerDeletion === true ? 'blocks' : '',
        ]
          .filter(Boolean)
          .join('+') || 'plain',
    )
    .join(',');
}

function labelsText(node: GraphNode): string {
  const labels = node.object?.labels ?? [];
  const texts: string[] = [];
  for (let i = 0; i < labels.length; i += 2)
    texts.push(`${shownName(labels[i] ?? '')}=${shownName(labels[i + 1] ?? '')}`);
  return texts.join(',');
}

function plain(text: string): Span {
  return { text, style: 'plain' };
}

/** The cells behind the name, the same in the tree and in the lines of `--watch`. */
export function nodeCells(context: TreeContext, node: GraphNode, options: TextOptions): Span[] {
  const state = stateAt(context, node, options.now);
  const { object } = node;
  return [
    { text: stateLine(state, options.glyphs), style: state.style },
    plain(object === undefined ? '' : formatAge(object.creationTimestamp, options.now)),
    ...addedColumns(options).map(({ cell }) => plain(cell(node, context) || NONE)),
  ];
}

/** The last cell: what is odd about the ownership of the object in this place. */
export function noteCell(context: TreeContext, place: TreePosition): Span {
  const notes = notesAt(context, place);
  return { text: notes.join('; '), style: place.seeAlso ? 'muted' : 'warning' };
}

function rowOf(context: TreeContext, place: TreePosition, options: TextOptions): Row {
  const identity = treeIdentity(context, place.node);
  const title =
    place.parent === undefined
      ? objectTitle(identity)
      : objectTitleIn(identity, treeIdentity(context, place.parent.node).namespace);
  const cells: Span[] = [
    { text: title, style: place.node.virtual ? 'ghost' : 'plain' },
    ...nodeCells(context, place.node, options),
    noteCell(context, place),
  ];
  return {
    lead: leadOf(place, options),
    cells: options.glyphs.ascii ? cells.map(asciiSpan) : cells,
  };
}

/** One line, cells padded to `widths` and cut where they are wider; no trailing spaces. */
export function formatRow(row: Row, widths: readonly number[], options: TextOptions): string {
  const shown = row.cells.slice(0, widths.length);
  while (shown.length > 0 && shown.at(-1)?.text === '') shown.pop();
  const { ellipsis } = options.glyphs;
  return shown
    .map((cell, index) => {
      const width = widths[index] ?? 0;
      const lead = index === 0 ? row.lead.slice(0, width) : '';
      const room = width - lead.length;
      const text = truncate(cell.text, room, ellipsis);
      const painted = paintSpans(
        [
          { text: lead, style: 'muted' },
          { ...cell, text },
        ],
        options.colour,
      );
      return index === shown.length - 1 ? painted : painted + ' '.repeat(room - displayWidth(text));
    })
    .join(GAP)
    .trimEnd();
}

/** The titles of the columns, with the line break. */
export function titleLine(widths: readonly number[], options: TextOptions): string {
  const shown = columnTitles(options).slice(0, widths.length);
  const line = shown
    .map((title, index) => {
      const text = truncate(title, widths[index] ?? 0, '');
      const padded = index === shown.length - 1 ? text : padEnd(text, widths[index] ?? 0);
      return paint(padded, 'title', options.colour);
    })
    .join(GAP)
    .trimEnd();
  return `${line}\n`;
}

/** Widths of the columns for this selection; `least` as for `measureRows`. */
export function measure(
  selection: Selection,
  context: TreeContext,
  options: TextOptions,
  least: readonly number[] = [],
): number[] {
  return measureRows(rowsOf(selection, context, options), options, least);
}

function* rowsOf(selection: Selection, context: TreeContext, options: TextOptions): Generator<Row> {
  for (const { at, place } of walk(selection)) if (at === 'enter') yield rowOf(context, place, options);
}

/**
 * Widths of the columns for these rows: what the widest cell needs, less where the terminal is narrower. The NOTE column is
 * left out where nothing has a note. With `least`, columns are at least so wide and all stay: for rows that are still to
 * come.
 */
export function measureRows(
  rows: Iterable<Row>,
  options: TextOptions,
  least: readonly number[] = [],
): number[] {
  const titles = columnTitles(options);
  const widths = titles.map((title, index) => Math.max(title.length, least[index] ?? 0));
  let notes = least.length > 0;
  for (const row of rows) {
    for (const [index, cell] of row.cells.entries()) {
      const width = displayWidth(cell.text) + (index === 0 ? row.lead.length : 0);
      if (width > (widths[index] ?? 0)) widths[index] = width;
    }
    notes ||= row.cells.at(-1)?.text !== '';
  }
  return fitColumns(notes ? widths : widths.slice(0, -1), options.width, GAP.length);
}

/** The rows in pieces of one line each, after a line of titles. Walks twice: to measure and to print. */
export function* printText(
  selection: Selection,
  context: TreeContext,
  options: TextOptions,
  widths: readonly number[] = measure(selection, context, options),
): Generator<string> {
  if (options.headers) yield titleLine(widths, options);
  for (const row of rowsOf(selection, context, options)) yield `${formatRow(row, widths, options)}\n`;
}

// Narrower than this a column says nothing; the name gets most, being what identifies a row.
const LEAST = 8;
const LEAST_NAME = 24;

/**
 * The wanted widths, shrunk to `available` columns with `gap` between them: the last columns give way first,
 * the first one (the name) before the second, and columns that no longer fit at all are left out from the
 * end. Unlimited where `available` is undefined.
 */
export function fitColumns(wanted: readonly number[], available: number | undefined, gap: number): number[] {
  const widths = [...wanted];
  if (available === undefined) return widths;
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  const shrink = (index: number, least: number): void => {
    const width = widths[index] ?? 0;
    widths[index] = Math.max(Math.min(width, least), width - Math.max(0, total() - available));
  };
  for (let index = widths.length - 1; index > 1; index -= 1) shrink(index, LEAST);
  shrink(0, LEAST_NAME);
  shrink(1, LEAST);
  while (widths.length > 1 && total() > available) widths.pop();
  // Room that a dropped column left goes to the name.
  const [name = 0] = widths;
  widths[0] = Math.max(1, Math.min(wanted[0] ?? name, name + available - total(), available));
  return widths;
}

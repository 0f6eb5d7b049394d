/** The tree as text: aligned columns within the terminal's width, one row per place. */
import type { GraphNode } from '../../../graph/index.ts';
import { Labels, objectTitle, objectTitleIn, showHidden, shownName, type Uid } from '../../../model/index.ts';
import {
  type Column,
  displayWidth,
  type Glyphs,
  inAscii,
  NodeColumn,
  type NodeLook,
  padEnd,
  Span,
  stateWords,
  truncate,
  useWords,
} from '../../../text/index.ts';
import { notesAt, stateAt, type TreeContext, treeIdentity } from '../tree/ownership-tree.ts';
import { type Selection, type TreePosition, walk } from '../tree/selection.ts';

export interface TextOptions {
  /** Adds node, owner flags, finalizers and uid. */
  readonly wide: boolean;
  readonly headers: boolean;
  readonly labels: boolean;
  /** Keys of labels with a column of their own. */
  readonly labelColumns?: readonly string[];
  readonly colour: boolean;
  readonly glyphs: Glyphs;
  /** Columns of the definitions, as `NAME=VALUE`. */
  readonly columns?: Map<Uid, readonly { readonly text: string; readonly isState: boolean }[]>;
  /** Marks selected rows, if other rows stand among them. */
  readonly marks: boolean;
  readonly width: number | undefined;
  readonly now: number;
}

/** Sanitised cells of one row; trailing empty ones may be missing. */
export interface Row {
  readonly cells: readonly Span[];
  /** Sign and tree lines before the first cell, one column per character. */
  readonly lead: string;
}

const GAP = '   ';
const SELECTED = '* ';
// Depth from which rows show their level: n levels of indentation would cost n².
const DEEPEST_LEAD = 40;

const labelsColumn: Column<GraphNode> = { title: 'LABELS', value: labelsText };

/** Titles `app.kubernetes.io/name` NAME, as `kubectl get -L` does. */
function labelColumn(key: string): Column<GraphNode> {
  return {
    title: shownName((key.split('/').at(-1) ?? '').toUpperCase()),
    value: ({ object }) => shownName(Labels.value(object?.labels ?? [], key) ?? ''),
  };
}

function printedColumn(columns: NonNullable<TextOptions['columns']>): Column<GraphNode> {
  return {
    title: 'PRINTER COLUMNS',
    value: ({ uid }) => (columns.get(uid) ?? []).map(({ text }) => showHidden(text)).join(','),
  };
}

const wideColumns: readonly NodeColumn[] = [...NodeColumn.all]
  .filter(column => 'wide' in column)
  .sort((a, b) => a.wide - b.wide);

/** Returns the columns between STATE and NOTE. */
function columnsOf({
  wide,
  columns,
  labels,
  labelColumns = [],
}: TextOptions): readonly Omit<Column<GraphNode, NodeLook>, 'wide'>[] {
  const printed = columns?.size ? [printedColumn(columns)] : [];
  return [
    NodeColumn.of('age'),
    ...(wide ? [...wideColumns, ...printed] : []),
    ...labelColumns.map(labelColumn),
    ...(labels ? [labelsColumn] : []),
  ];
}

const NONE = '<none>';

export function columnTitles(options: TextOptions): readonly string[] {
  return [`${markOf(false, options)}NAME`, 'STATE', ...columnsOf(options).map(({ title }) => title), 'NOTE'];
}

/** Returns the leftmost mark, always in ASCII and without colour. */
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

function labelsText(node: GraphNode): string {
  const labels = node.object?.labels ?? [];
  const texts: string[] = [];
  for (let i = 0; i < labels.length; i += 2)
    texts.push(`${shownName(labels[i] ?? '')}=${shownName(labels[i + 1] ?? '')}`);
  return texts.join(',');
}

/** Returns the cells after the name, shared by the tree and `--watch`. */
export function nodeCells(context: TreeContext, node: GraphNode, options: TextOptions): Span[] {
  const known = stateAt(context, node, options.now);
  const said = known.text === '' ? options.columns?.get(node.uid)?.find(({ isState }) => isState) : undefined;
  const state = said === undefined ? known : { ...known, text: showHidden(said.text) };
  const look: NodeLook = { now: options.now, managers: each => context.managers(each) };
  const [age, ...others] = columnsOf(options).map(({ value }) => value(node, look));
  return [
    { text: stateWords.line(state, options.glyphs), style: state.style },
    ...[age ?? '', ...others.map(text => text || NONE)].map(text => ({ text, style: 'plain' as const })),
  ];
}

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
    cells: options.glyphs.ascii ? cells.map(inAscii.span) : cells,
  };
}

/** Pads and cuts cells to `widths`, without trailing spaces. */
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
      const painted = Span.paintAll(
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

export function titleLine(widths: readonly number[], options: TextOptions): string {
  const shown = columnTitles(options).slice(0, widths.length);
  const line = shown
    .map((title, index) => {
      const text = truncate(title, widths[index] ?? 0, '');
      const padded = index === shown.length - 1 ? text : padEnd(text, widths[index] ?? 0);
      return Span.paint(padded, 'title', options.colour);
    })
    .join(GAP)
    .trimEnd();
  return `${line}\n`;
}

/** Computes the columns' widths for a selection; `least` works as in `measureRows`. */
export function measure(
  selection: Selection,
  context: TreeContext,
  options: TextOptions,
  least: readonly number[] = [],
): number[] {
  return measureRows(rowsOf(selection, context, options), options, least);
}

function* rowsOf(selection: Selection, context: TreeContext, options: TextOptions): Generator<Row> {
  for (const { at, place } of walk(selection)) {
    if (at !== 'enter') continue;
    yield rowOf(context, place, options);
    const isLeaf = selection.children(place.node).length === 0;
    if (!place.seeAlso) yield* userRows(context, place, options, isLeaf);
  }
}

/** Lists users as branches above the dependents. */
function* userRows(
  context: TreeContext,
  place: TreePosition,
  options: TextOptions,
  isLeaf: boolean,
): Generator<Row> {
  const usedBy = context.usedBy(place.node);
  const words = usedBy ? useWords.ofUsers(usedBy, place.node.identity.namespace) : [];
  for (const [index, { user, how }] of words.entries()) {
    const last = isLeaf && index === words.length - 1;
    const lead = leadOf({ ...place, selected: false, parent: place, depth: place.depth + 1, last }, options);
    const texts = [
      `used by ${user}`.trimEnd(),
      ...columnTitles(options)
        .slice(2)
        .map(() => ''),
      how,
    ];
    const cells = texts.map((text, at) => ({
      text,
      style: at === 0 ? ('muted' as const) : ('plain' as const),
    }));
    yield { lead, cells: options.glyphs.ascii ? cells.map(inAscii.span) : cells };
  }
}

/**
 * Computes the columns' widths for rows within the terminal. Drops an empty NOTE column. With `least`, columns are at
 * least that wide and all stay, for rows that follow later.
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

/** Prints a title and one line per row. Walks twice: to measure and to print. */
export function* printText(
  selection: Selection,
  context: TreeContext,
  options: TextOptions,
  widths: readonly number[] = measure(selection, context, options),
): Generator<string> {
  if (options.headers) yield titleLine(widths, options);
  for (const row of rowsOf(selection, context, options)) yield `${formatRow(row, widths, options)}\n`;
}

// Narrower columns are useless; the name gets the most because it identifies a row.
const LEAST = 8;
const LEAST_NAME = 24;

/**
 * Shrinks widths to `available` columns with `gap` between them: the last columns first, the name before the second,
 * and columns that don't fit are dropped from the end. No limit if `available` is undefined.
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
  const [name = 0] = widths;
  widths[0] = Math.max(1, Math.min(wanted[0] ?? name, name + available - total(), available));
  return widths;
}

/** A view as the rest of the screen knows it; `registry.ts` lists them all. */
import type { Finding } from '../../diagnosis/index.ts';
import type { GraphNode } from '../../graph/index.ts';
import { counted, shownName, type Uid } from '../../model/index.ts';
import { type Line, type Style, TextLine } from '../../text/index.ts';
import type { GroupedRow, GroupedRows } from '../cluster/grouped-rows.ts';
import type { ClusterModel } from '../cluster/model.ts';
import { fit, glyphsOf, widthOf } from '../drawing/fit.ts';
import type { ViewId } from '../settings/settings.ts';
import { UNCUT_COLUMNS } from '../state/layout.ts';
import { type Effect, type ListState, listState, type State } from '../state/state.ts';

export interface View {
  readonly id: string;
  /** Key that shows it, named in its tab. */
  readonly key: string;
  readonly title: string;
  /** Short description for the help. */
  readonly about: string;
  /** Words for `:`, the first one is shown. */
  readonly words: readonly string[];
  /** Words in its rows, with their meanings. */
  readonly legend: readonly (readonly [word: string, meaning: string])[];
  /** Number for its tab; undefined until it is known. */
  readonly count?: (state: State) => number | undefined;
  readonly lines: (state: State, width: number) => ViewList;
  /** Explains why there are no rows, and how reliable that is. */
  readonly empty: (state: State, cluster: ClusterModel) => readonly EmptyLine[];
  /** Lines above those of the object under the cursor, or all lines if the row has none. */
  readonly details: (state: State, cluster: ClusterModel, node: GraphNode | undefined) => readonly TextLine[];
  /** Lists what the session has to do for it after a message. */
  readonly effects?: (state: State, shown: boolean) => readonly Effect[];
  /** Default: those of a list view. */
  readonly moves?: Moves;
  /** Its rows below headings; undefined for the tree, which has its own. */
  readonly list?: ListOfRows;
}

/** Movements of a view's cursor and of its visible part. */
export interface Moves {
  readonly moveBy: (state: State, rows: number) => State;
  readonly pageBy: (state: State, pages: number) => State;
  readonly scroll: (state: State, lines: number) => State;
  readonly click: (state: State, line: number, column: number) => State;
  /** Number of the row under the cursor. */
  readonly index: (state: State) => number;
  /** First visible row. */
  readonly top: (state: State) => number;
  /** Keeps the cursor on its row after rows changed. */
  readonly stay: (state: State) => State;
  /** Scrolls to the row under the cursor if it isn't visible. */
  readonly keepInSight: (state: State) => State;
  readonly followFindings: (state: State) => State;
  /** Goes to the same row in a new model of the cluster, which shows another moment. */
  readonly followMoment: (state: State) => State;
}

export interface ListOfRows {
  readonly rows: (cluster: ClusterModel) => GroupedRows<unknown, unknown> | undefined;
  /** Noun for its rows, as in "Only pods that contain". */
  readonly noun: string;
  readonly uidOf: (row: GroupedRow<unknown, unknown>) => Uid | undefined;
  readonly uidOfItem: (item: unknown) => Uid | undefined;
  readonly findingOf?: (row: GroupedRow<unknown, unknown>) => Finding | undefined;
  /** The newest rows come last, and the cursor follows them. */
  readonly newestLast?: true;
  /** The cursor keeps its row if another namespace is shown. */
  readonly keepsCursor?: true;
  /** Rows change as time passes. */
  readonly ages?: true;
  /** Narrows the rows to the list's kinds, before they are read. */
  readonly prepare?: (cluster: ClusterModel, list: ListState) => void;
  /** Acting on a heading means the objects below it. */
  readonly actsOnHeading?: true;
  /** Returns the object that decides for all below a heading, or `several`; undefined on another row. */
  readonly decides?: (row: GroupedRow<unknown, unknown>) => Uid | 'several' | undefined;
  /** Returns what Enter opens instead of the row's object in the tree. */
  readonly leadsTo?: (row: GroupedRow<unknown, unknown>) => RowTarget | undefined;
  /** Opens a row whose object can't be seen; `label` is the footer's for Enter there. */
  readonly gone?: { readonly label?: string; readonly open: (state: State) => State };
  /** Explains a row without anything to show. */
  readonly noContent?: (row: GroupedRow<unknown, unknown>) => string | undefined;
}

/** The tree of a namespace (`''`: of all), or another view. */
export type RowTarget = { readonly namespace: string } | { readonly view: ViewId };

/** Defines a list's rows by their types, which the rest of the screen doesn't know. */
export function listOf<Head, Item>(
  definition: Omit<
    ListOfRows,
    'rows' | 'uidOf' | 'uidOfItem' | 'findingOf' | 'decides' | 'leadsTo' | 'noContent'
  > & {
    readonly rows: (cluster: ClusterModel) => GroupedRows<Head, Item> | undefined;
    readonly uidOf: (item: Item) => Uid | undefined;
    readonly uidOfHeading?: (row: GroupedRow<Head, Item>) => Uid | undefined;
    readonly findingOf?: (row: GroupedRow<Head, Item>) => Finding | undefined;
    readonly decides?: (row: GroupedRow<Head, Item>) => Uid | 'several' | undefined;
    readonly leadsTo?: (row: GroupedRow<Head, Item>) => RowTarget | undefined;
    readonly noContent?: (row: GroupedRow<Head, Item>) => string | undefined;
  },
): ListOfRows {
  const { uidOf, uidOfHeading, ...others } = definition;
  const typed = {
    ...others,
    uidOfItem: uidOf,
    uidOf: (row: GroupedRow<Head, Item>) => (row.kind === 'item' ? uidOf(row.item) : uidOfHeading?.(row)),
  };
  // Rows and their functions come from one view, so their types fit.
  return typed as unknown as ListOfRows;
}

export interface ViewLine {
  /** Exactly as wide as requested. */
  readonly spans: Line;
  readonly chosen: boolean;
  /** A heading across the columns. */
  readonly across: boolean;
}

export interface ViewList {
  readonly header: Line;
  readonly length: number;
  /** Draws up to `count` rows from `start`, each as it is iterated. */
  readonly rows: (start: number, count: number) => Iterable<ViewLine>;
}

export interface EmptyLine {
  readonly text: string;
  readonly style: Style;
}

interface DrawnList<Head, Item> {
  readonly id: string;
  readonly header: Line;
  readonly rows: GroupedRows<Head, Item> | undefined;
  readonly draw: (row: GroupedRow<Head, Item>, chosen: boolean) => Line;
  /** No row is in columns. */
  readonly across?: true;
}

/** Draws the rows of a list view, valid until the state changes. */
export function drawList<Head, Item>(
  state: State,
  { id, header, rows, draw, across }: DrawnList<Head, Item>,
): ViewList {
  const { index: cursor } = listState(state, id);
  return {
    header,
    length: rows?.length ?? 0,
    *rows(start, count) {
      let index = start;
      for (const row of rows?.window(start, count) ?? []) {
        const chosen = index === cursor;
        yield { spans: draw(row, chosen), chosen, across: across === true || row.kind === 'group' };
        index += 1;
      }
    },
  };
}

export function rowIn<Head, Item>(
  state: State,
  id: string,
  rows: GroupedRows<Head, Item> | undefined,
): GroupedRow<Head, Item> | undefined {
  return rows?.at(listState(state, id).index);
}

/** Cuts a row to the width and fills it with blanks, which rows of an export don't need. */
export function filledRow(state: State, spans: Line, width: number): Line {
  const row = fit(spans, width, glyphsOf(state).ellipsis);
  const left = width - widthOf(row);
  return left <= 0 || width >= UNCUT_COLUMNS ? row : [...row, { text: ' '.repeat(left), style: 'plain' }];
}

export function muted(text: string): EmptyLine {
  return { text, style: 'muted' };
}

export function elsewhereNote(words: string): EmptyLine {
  return muted(`${words}: 0 shows all namespaces, n chooses one.`);
}

/** Returns `2 causes elsewhere` if trouble out of scope is worse; undefined if it isn't, or isn't known yet. */
export function troubleElsewhere({ cluster }: State): string | undefined {
  const { problems = 0, errors = 0, elsewhere } = cluster?.problems?.counts() ?? {};
  if (cluster?.problems?.complete !== true || errors > 0 || elsewhere === undefined) return undefined;
  if ((problems > 0 ? elsewhere.errors : elsewhere.problems) === 0) return undefined;
  const { causes } = elsewhere;
  if (causes > 0) return `${counted(causes, 'cause')} elsewhere`;
  return `${problems > 0 ? counted(elsewhere.errors, 'error') : counted(elsewhere.problems, 'problem')} elsewhere`;
}

/** Explains an empty namespace that can't be read, so that nothing in it is known. */
export function unseenNamespace(cluster: ClusterModel): string | undefined {
  const { namespace } = cluster;
  if (namespace === undefined || cluster.reads(namespace)) return undefined;
  return `Nothing in namespace ${shownName(namespace)} could be listed so far: it is not known. B says why.`;
}

export function asEmptyLine({ spans }: TextLine): EmptyLine {
  return { text: spans.map(({ text }) => text).join(''), style: spans[0]?.style ?? 'plain' };
}

/** Puts a blank line below a view's own lines. */
export function followedByBlank(lines: readonly TextLine[]): readonly TextLine[] {
  return lines.length === 0 ? [] : [...lines, TextLine.empty];
}

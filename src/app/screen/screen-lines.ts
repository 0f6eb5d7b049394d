/** The whole screen as plain data: it is drawn only if the value changed. */

import { displayWidth, type Line, PaletteName, padEnd } from '../../text/index.ts';
import { currentLink, withCursor } from '../commands/details-links.ts';
import { boxLines, overlaid } from '../dialogs/box.ts';
import { dialogView, panelLines } from '../dialogs/dialog-view.ts';
import { panelSize } from '../dialogs/panel-size.ts';
import { glyphsOf, justified, shownPart, widthOf } from '../drawing/fit.ts';
import { wrapLine } from '../drawing/wrap.ts';
import type { ActionDialog } from '../state/action-dialog.ts';
import {
  type Area,
  isInDetails,
  type Layout,
  layoutOf,
  MINIMUM_COLUMNS,
  MINIMUM_ROWS,
} from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { tourLines } from '../tour/tour-lines.ts';
import { movesOf } from '../views/lists.ts';
import { detailsLines } from '../views/object-details.ts';
import { emptyLines, viewOf } from '../views/registry.ts';
import { bannerLine, footerLine } from './frame.ts';
import { type SpokenText, spokenText } from './spoken.ts';
import { timelineLine } from './timeline-line.ts';
import { tabLine, titleLine } from './title.ts';

interface ScreenLine {
  readonly spans: Line;
  readonly chosen: boolean;
}

export interface Pane {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ScreenLine[];
}

export type Body =
  /** A full dialog, or a box over dimmed views. */
  | { readonly kind: 'dialog'; readonly pane: Pane }
  | {
      readonly kind: 'views';
      readonly arrangement: Layout['arrangement'];
      /** Banner in place of both headings. */
      readonly across: Line | undefined;
      /** Undefined while the details take its place. */
      readonly list: Pane | undefined;
      readonly details: Pane | undefined;
      /** The keys go to the details, as their rule shows. */
      readonly focused: boolean;
      /** Line above the details, if they are below the list. */
      readonly rule: string;
    };

export type ScreenLines =
  | { readonly kind: 'tooSmall'; readonly rows: number; readonly lines: readonly string[] }
  | { readonly kind: 'spoken'; readonly text: SpokenText }
  | {
      readonly kind: 'drawn';
      readonly columns: number;
      readonly rows: number;
      readonly color: PaletteName;
      readonly ascii: boolean;
      readonly head: readonly Line[];
      readonly bodyHeight: number;
      readonly body: Body;
      readonly timeline: Line | undefined;
      readonly tour: readonly Line[];
      readonly footer: Line;
    };

export function screenLines(state: State): ScreenLines {
  const { columns, rows, options } = state;
  if (options.screenReader) return { kind: 'spoken', text: spokenText(state) };
  const layout = layoutOf(state);
  if (layout.tooSmall) return { kind: 'tooSmall', rows, lines: tooSmallLines(state) };
  return {
    kind: 'drawn',
    columns,
    rows,
    color: paletteFor(state),
    ascii: options.ascii,
    head: [titleLine(state), tabLine(state)],
    bodyHeight: layout.body.height,
    body: bodyOf(state, layout),
    timeline: timelineLine(state),
    tour: tourLines(state),
    footer: footerLine(state, layout),
  };
}

function paletteFor({ options, theme }: State): PaletteName {
  const { color, background = 'dark', colours = 256 } = options;
  return color ? PaletteName.of(theme, background, colours) : 'monochrome';
}

function tooSmallLines({ columns, rows }: State): readonly string[] {
  return [`Too small: ${columns}x${rows}.`, `gc-tree needs ${MINIMUM_COLUMNS}x${MINIMUM_ROWS}.`, 'q quits.'];
}

function bodyOf(state: State, layout: Layout): Body {
  const { dialog } = state;
  const { width, height } = layout.body;
  const views = viewsOf(state, layout);
  if (dialog?.kind === 'action') {
    const rule = ruleLine(state, { focused: true, part: '' });
    return { ...views, details: panelOf(state, dialog, layout), focused: true, rule };
  }
  if (dialog === undefined) return views;
  const size = panelSize(state, dialog);
  const box = boxLines(state, dialogView(state, dialog), size);
  const behind = flatViews(views, height, state.options.ascii);
  const lines = overlaid(behind, box, size.area, { columns: width, top: layout.body.top });
  return { kind: 'dialog', pane: { width, height, lines: lines.map(unchosen) } };
}

function panelOf(state: State, dialog: ActionDialog, { details, body }: Layout): Pane {
  const { width, height } = details ?? body;
  return { width, height, lines: panelLines(state, dialog).slice(0, height) };
}

type Views = Extract<Body, { kind: 'views' }>;

/** Returns the views as text, to draw a box over. */
function flatViews(
  { list, details, arrangement, across, rule }: Views,
  height: number,
  ascii: boolean,
): string[] {
  const left = list === undefined ? [] : textOf(list);
  const about = details === undefined ? [] : textOf(details);
  const side = ascii ? '| ' : '│ ';
  const lines =
    arrangement === 'beside'
      ? Array.from({ length: height }, (_, i) =>
          (padEnd(left[i] ?? '', list?.width ?? 0) + side + (about[i] ?? '')).trimEnd(),
        )
      : [
          ...Array.from({ length: list?.height ?? 0 }, (_, i) => left[i] ?? ''),
          ...(arrangement === 'below' ? [rule] : []),
          ...about.map(line => ` ${line}`),
        ];
  if (across !== undefined) lines.unshift(plainText(across));
  return Array.from({ length: height }, (_, i) => lines[i] ?? '');
}

function textOf({ lines }: Pane): string[] {
  return lines.map(({ spans }) => plainText(spans));
}

function plainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Puts the banner in place of headings, so that no row moves: the list's if it fits, else also the details'. */
function viewsOf(state: State, { tree, details, arrangement }: Layout): Views {
  const banner = bannerLine(state);
  const list = tree && listPane(state, tree);
  const { pane, part } = detailsPane(state, details);
  const about = pane && (arrangement === 'beside' ? withPart(state, pane, part) : pane);
  const focused = state.focus === 'details';
  const views = { kind: 'views', arrangement, focused, rule: ruleLine(state, { focused, part }) } as const;
  if (list === undefined)
    return {
      ...views,
      list,
      details: about,
      across: banner.length > 0 ? banner : detailsHeading(state, part),
    };
  if (banner.length === 0) return { ...views, list, details: about, across: undefined };
  if (arrangement !== 'beside' || widthOf(banner) <= list.width)
    return {
      ...views,
      list: { ...list, lines: [unchosen(banner), ...list.lines.slice(1)] },
      details: about,
      across: undefined,
    };
  return { ...views, list: withoutFirst(list), details: about && withoutFirst(about), across: banner };
}

function withoutFirst(pane: Pane): Pane {
  return { ...pane, height: pane.height - 1, lines: pane.lines.slice(1) };
}

/** Draws the line above the details, with the part of them that shows. */
function ruleLine(
  { columns, options }: State,
  { focused, part }: { readonly focused: boolean; readonly part: string },
): string {
  const line = options.ascii ? (focused ? '=' : '-') : focused ? '━' : '─';
  const shown = part === '' ? '' : ` ${part} ${line}`;
  return line.repeat(columns - displayWidth(shown)) + shown;
}

/** Puts the part that shows next to the first line, if both fit. */
function withPart(state: State, pane: Pane, part: string): Pane {
  const [first, ...others] = pane.lines;
  if (first === undefined || part === '') return pane;
  const spans = justified(first.spans, partSpans(part), pane.width, glyphsOf(state).ellipsis);
  return { ...pane, lines: [{ ...first, spans }, ...others] };
}

function partSpans(part: string): Line {
  return part === '' ? [] : [{ text: part, style: 'muted' }];
}

function detailsHeading(state: State, part: string): Line {
  const line: Line = [
    { text: ' Details', style: 'title' },
    { text: '  i or Esc returns to the list', style: 'muted' },
  ];
  return justified(line, partSpans(part), state.columns - 1, glyphsOf(state).ellipsis);
}

function listPane(state: State, { width, height }: Area): Pane {
  const list = viewOf(state).lines(state, width);
  const rows = [...list.rows(movesOf(state).top(state), height)];
  const reasons = rows.length === 0 ? emptyLines(state) : [];
  const wrapped = reasons.flatMap(({ text, style }) =>
    wrapLine([{ text: `  ${text}`, style }], width - 1, 2),
  );
  const lines = [
    unchosen(list.header),
    // The bar is in the pane that keys go to; the sign before the row stays.
    ...rows.map(({ spans, chosen }) => ({ spans, chosen: chosen && !isInDetails(state) })),
    ...wrapped.map(unchosen),
  ];
  return { width, height: height + 1, lines };
}

function detailsPane(
  state: State,
  area: Area | undefined,
): { readonly pane: Pane | undefined; readonly part: string } {
  if (area === undefined) return { pane: undefined, part: '' };
  const { width, height } = area;
  const lines = detailsLines(state, width);
  // The text may have become shorter since it was scrolled.
  const top = Math.max(0, Math.min(state.detailsTop, lines.length - height));
  const shown = withCursor(lines.slice(top, top + height), currentLink(state));
  const part = shownPart({ top, height, total: lines.length });
  return { pane: { width, height, lines: shown.map(unchosen) }, part };
}

function unchosen(spans: Line): ScreenLine {
  return { spans, chosen: false };
}

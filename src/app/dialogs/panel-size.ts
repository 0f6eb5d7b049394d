/** Sizes and places a dialog's box, for drawing, paging keys and the mouse. */

import { displayWidth, type Line } from '../../text/index.ts';
import { widthOf } from '../drawing/fit.ts';
import { wrapLine } from '../drawing/wrap.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { type Area, layoutOf } from '../state/layout.ts';
import type { Dialog, PickerItem, State } from '../state/state.ts';

/** A dialog over the view; actions have a panel instead. */
export type PanelDialog = Exclude<Dialog, { readonly kind: 'action' }>;

export interface PanelSize {
  readonly area: Area;
  readonly width: number;
  readonly height: number;
}

/** Minimum width for showing the view on both sides of a box. */
const BESIDE_BOX_COLUMNS = 100;
/** Limits for readable text, and for lists. */
const MOST_COLUMNS = 124;
const LEAST_COLUMNS = 44;
const FRAME = 4;
const MOST_SEARCH_COLUMNS = 110;
const MOST_HITS = 24;
const MOST_LINES = 14;
/** Columns of labels, so that hints are aligned. A label keeps at least `least` next to a long hint. */
export const LABEL_COLUMNS = { least: 20, most: 60 };

export function isPanel(dialog: Dialog): dialog is PanelDialog {
  return dialog.kind !== 'action';
}

/** Keeps the size while a list is narrowed or a text scrolled. */
export function panelSize(state: State, dialog: PanelDialog): PanelSize {
  const { body } = layoutOf(state);
  const isNarrow = state.columns < BESIDE_BOX_COLUMNS;
  const mostWidth = (isNarrow ? state.columns : Math.min(MOST_COLUMNS, state.columns - 8)) - FRAME;
  const prompt = hasPrompt(dialog) ? 1 : 0;
  const mostHeight = Math.max(1, body.height - 2 - prompt - (body.height > 30 ? 4 : 0));
  const wanted = wantedSize(dialog, mostWidth);
  const titled = Math.max(wanted.width, displayWidth('title' in dialog ? dialog.title : '') + 2);
  const width = isNarrow ? mostWidth : Math.max(LEAST_COLUMNS, Math.min(mostWidth, titled));
  const height = Math.max(1, Math.min(mostHeight, wanted.height));
  const outer = { width: width + FRAME, height: height + prompt + 2 };
  const area = {
    ...outer,
    left: Math.floor((state.columns - outer.width) / 2),
    top: body.top + Math.max(0, Math.floor((body.height - outer.height) / 2)),
  };
  return { area, width, height };
}

export function linesAbove(dialog: PanelDialog): number {
  return hasPrompt(dialog) ? 2 : 1;
}

function hasPrompt(dialog: PanelDialog): boolean {
  return (
    dialog.kind === 'picker' ||
    dialog.kind === 'command' ||
    dialog.kind === 'search' ||
    (dialog.kind === 'stepping' && dialog.words !== undefined) ||
    (dialog.kind === 'text' && dialog.reading?.typing === true)
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function wantedSize(dialog: PanelDialog, most: number): Size {
  switch (dialog.kind) {
    case 'text':
      return textSize(dialog, most);
    case 'stepping':
      // The text's length changes with each step.
      return { width: most, height: Number.POSITIVE_INFINITY };
    case 'search':
      return { width: Math.min(most, MOST_SEARCH_COLUMNS), height: MOST_HITS };
    case 'command':
      return { width: Math.min(most, MOST_SEARCH_COLUMNS), height: MOST_LINES };
    case 'picker':
      return pickerSize(dialog.items ?? []);
  }
}

interface LongText {
  readonly lines: readonly Line[];
  readonly hanging?: number;
}

const wrapped = new LastAnswer<readonly Line[]>();

export function wrappedText(dialog: LongText, width: number): readonly Line[] {
  return wrapped.of(dialog.lines, [width], () =>
    dialog.lines.flatMap(line => wrapLine(line, width, dialog.hanging)),
  );
}

const textSizes = new LastAnswer<Size>();

function textSize(dialog: LongText, most: number): Size {
  return textSizes.of(dialog.lines, [most], () => {
    const lines = wrappedText(dialog, most);
    const width = lines.reduce((widest, line) => Math.max(widest, widthOf(line)), 0);
    return { width, height: lines.length };
  });
}

const pickerSizes = new LastAnswer<Size>();

function pickerSize(items: readonly PickerItem[]): Size {
  return pickerSizes.of(items, [], () => {
    const label = labelWidth(items);
    const hint = items.reduce((widest, item) => Math.max(widest, displayWidth(item.hint)), 0);
    return { width: 2 + label + (hint === 0 ? 0 : hint + 2), height: Math.max(1, items.length) };
  });
}

const labelWidths = new LastAnswer<number>();

/** Returns the labels' width, so that hints are aligned. */
export function labelWidth(items: readonly { readonly label: string }[]): number {
  return labelWidths.of(items, [], () => {
    const widest = items.reduce((most, { label }) => Math.max(most, displayWidth(label)), 0);
    return Math.min(LABEL_COLUMNS.most, Math.max(LABEL_COLUMNS.least, widest));
  });
}

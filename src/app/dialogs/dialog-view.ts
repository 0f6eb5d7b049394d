/** Draws an open dialog: a list or wrapped text. */

import { counted, showHidden } from '../../model/index.ts';
import {
  displayWidth,
  inAscii,
  type Line,
  padEnd,
  type Span,
  truncate,
  truncated,
} from '../../text/index.ts';
import { commands } from '../commands/bindings.ts';
import { unknownLine } from '../commands/line/items.ts';
import { withTyped } from '../commands/namespace-items.ts';
import { glyphsOf } from '../drawing/fit.ts';
import { fittingItems } from '../search/node-index.ts';
import type { ActionDialog } from '../state/action-dialog.ts';
import { layoutOf } from '../state/layout.ts';
import type { Dialog, PickerItem, State } from '../state/state.ts';
import { actionView } from './action-panel.ts';
import type { DialogLine, DialogView } from './box.ts';
import { isPanel, LABEL_COLUMNS, labelWidth, panelSize, wrappedText } from './panel-size.ts';
import { hitLines, searchStatus } from './search-hits.ts';
import { readingStatus } from './text-keys.ts';

export function dialogHeight(state: State): number {
  const { dialog } = state;
  if (dialog !== undefined && isPanel(dialog)) return panelSize(state, dialog).height;
  return Math.max(1, layoutOf(state).body.height - 3);
}

/** Returns the first visible entry: whole pages, so that moving within one doesn't scroll. */
export function firstShown(cursor: number, height: number): number {
  return Math.floor(Math.max(0, cursor) / height) * height;
}

/** Draws the dialog; every line, including the title, fits the screen. */
export function dialogView(state: State, dialog: Dialog): DialogView {
  const view = wholeDialog(state, dialog);
  // Next to a panel's title is which of its lines show.
  const beside = view.status === '' ? 0 : displayWidth(view.status) + 2;
  const room = isPanel(dialog) ? panelSize(state, dialog).area.width - 6 : panelWidth(state) - beside;
  return { ...view, title: fittingTitle(view.title, room, glyphsOf(state).ellipsis) };
}

function panelWidth(state: State): number {
  return layoutOf(state).details?.width ?? state.columns;
}

/** Draws an action's panel, with its status next to the title if both fit. */
export function panelLines(
  state: State,
  dialog: ActionDialog,
): readonly { readonly spans: Line; readonly chosen: boolean }[] {
  const { title, head = [], lines, status } = dialogView(state, dialog);
  const gap = panelWidth(state) - displayWidth(title) - displayWidth(status);
  const more: Line = status === '' || gap < 2 ? [] : [{ text: ' '.repeat(gap) + status, style: 'muted' }];
  return [
    { spans: [{ text: title, style: 'title' }, ...more], chosen: false },
    ...head.map(spans => ({ spans, chosen: false })),
    ...lines.map(({ spans, chosen }) => ({ spans, chosen })),
  ];
}

function wholeDialog(state: State, dialog: Dialog): DialogView {
  switch (dialog.kind) {
    case 'text':
      return textView(state, dialog);
    case 'stepping': {
      const { shown, place } = visibleText(state, dialog);
      const { ascii } = glyphsOf(state);
      const lines = shown.map(spans => ({ spans: ascii ? spans.map(inAscii.span) : spans, chosen: false }));
      const parts = [dialog.working ? 'working' : dialog.status, place];
      const status = parts.filter(text => text !== '').join('; ');
      return { title: dialog.title, prompt: dialog.words, lines, status };
    }
    case 'action': {
      const { head, entries, lines, status } = actionView(state, dialog);
      const text = lines.map(spans => ({ spans, chosen: false }));
      const between = entries.length > 0 ? [{ spans: [], chosen: false }] : [];
      const all = [...entries.map(each => ({ ...each, entry: true })), ...between, ...text];
      return { title: dialog.title, prompt: undefined, head, lines: all, status };
    }
    case 'picker': {
      const items = pickerItems(state, dialog);
      const status = dialog.items === undefined ? 'fetching' : entriesStatus(items.length);
      const lines = listLines(state, dialog, items, labelWidth(dialog.items ?? []));
      return { lines, title: dialog.title, prompt: dialog.query, status };
    }
    case 'command': {
      const { items, query } = dialog;
      const status = items.length === 0 ? unknownLine(state, query, commands) : entriesStatus(items.length);
      const lines = listLines(state, dialog, items, labelWidth(items));
      return { lines, title: 'Command, or a kind', prompt: query, status: showHidden(status) };
    }
    case 'search': {
      const size = panelSize(state, dialog);
      return {
        lines: hitLines(state, dialog, firstShown(dialog.cursor, size.height), size),
        title: 'Search kinds, namespaces, names, finalizers, labels and uids',
        prompt: dialog.query,
        status: searchStatus(dialog),
      };
    }
  }
}

interface VisibleText {
  readonly shown: readonly Line[];
  /** Which lines of a longer text show, or `''`. */
  readonly place: string;
}

function visibleText(state: State, dialog: Extract<Dialog, { kind: 'text' | 'stepping' }>): VisibleText {
  const { width, height } = panelSize(state, dialog);
  const { top } = dialog;
  const all = wrappedText(dialog, width);
  const shown = all.slice(top, top + height);
  const place = all.length > shown.length ? `lines ${top + 1} to ${top + shown.length} of ${all.length}` : '';
  return { shown, place };
}

function textView(state: State, dialog: Extract<Dialog, { kind: 'text' }>): DialogView {
  const { title, reading, loading, printing } = dialog;
  const { shown, place } = visibleText(state, dialog);
  const more = printing === undefined ? '' : printing === 'stream' ? 'following' : 'reading';
  const status = [readingStatus(dialog), place, more].filter(text => text !== '').join('; ');
  return {
    title,
    prompt: reading?.typing === true ? reading.words : undefined,
    lines: shown.map(spans => ({ spans, chosen: false })),
    status: loading ? 'fetching' : status,
  };
}

/** Columns of a word that is cut. */
const LEAST_OF_WORD = 8;

/** Leaves out what a title adds at its end, then cuts its longest name in the middle or, of many words, the end. */
function fittingTitle(title: string, width: number, ellipsis: string): string {
  let shown = showHidden(title);
  while (displayWidth(shown) > width) {
    const added = Math.max(shown.lastIndexOf(': '), shown.search(/, (?:\S+ )+\S+$/u));
    if (added <= 0) break;
    shown = shown.slice(0, added);
  }
  // Kinds begin with a capital.
  const names = shown.split(' ').filter(word => !/^[A-Z]/u.test(word));
  const [longest = ''] = names.sort((a, b) => displayWidth(b) - displayWidth(a));
  const room = width - (displayWidth(shown) - displayWidth(longest));
  return room < Math.min(displayWidth(longest), LEAST_OF_WORD)
    ? truncate(shown, width, ellipsis)
    : shown.replace(longest, () => truncated.middle(longest, room, ellipsis));
}

/** Lists the entries that fit what was typed. */
export function pickerItems(
  state: State,
  { purpose, items = [], query }: Extract<Dialog, { kind: 'picker' }>,
): readonly PickerItem[] {
  const found = fittingItems(items, query);
  return purpose === 'namespace' ? withTyped(state, found, query) : found;
}

function entriesStatus(count: number): string {
  return count === 0 ? 'nothing matches' : counted(count, 'entry', 'entries');
}

function listLines(
  state: State,
  dialog: Extract<Dialog, { kind: 'picker' | 'command' }>,
  items: readonly { readonly label: string; readonly hint: string }[],
  labels: number,
): readonly DialogLine[] {
  const { width, height } = panelSize(state, dialog);
  const { cursor } = dialog;
  const first = firstShown(cursor, height);
  const most = width - 2;
  return items.slice(first, first + height).map((item, i) => {
    const hint = showHidden(item.hint);
    const column = Math.max(LABEL_COLUMNS.least, Math.min(labels, most - 2 - displayWidth(hint)));
    const room = hint === '' ? most : column;
    // Names often differ at the end, commands at the start.
    const cut = item.label.includes(' ') ? truncate : truncated.middle;
    const label = cut(showHidden(item.label), room, glyphsOf(state).ellipsis);
    const chosen = first + i === cursor;
    const spans: Span[] = [
      { text: `${chosen ? '>' : ' '} ${hint === '' ? label : padEnd(label, column)}`, style: 'plain' },
    ];
    if (hint !== '') spans.push({ text: `  ${hint}`, style: 'muted' });
    return { spans, chosen };
  });
}

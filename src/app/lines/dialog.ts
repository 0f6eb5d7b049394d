/** Draws an open dialog: a list or wrapped text. */

import { showHidden } from '../../model/text/shown.ts';
import { counted } from '../../model/text/titles.ts';
import { asciiSpan } from '../../text/terminal/ascii.ts';
import type { Line, Span } from '../../text/terminal/style.ts';
import { displayWidth, padEnd, truncateMiddle } from '../../text/terminal/width.ts';
import type { ActionDialog } from '../actions/action.ts';
import { actionView } from '../actions/dialog.ts';
import { unknownLine } from '../commands/line/items.ts';
import type { DialogLine, DialogView } from '../panels/box.ts';
import { hitLines, searchStatus } from '../panels/hits.ts';
import { isPanel, labelWidth, panelSize, wrappedText } from '../panels/size.ts';
import { readingStatus } from '../reading/keys.ts';
import { fittingItems } from '../search/index.ts';
import { layoutOf } from '../state/layout.ts';
import type { Dialog, State } from '../state/state.ts';
import { glyphsOf } from './frame.ts';

export function dialogHeight(state: State): number {
  const { dialog } = state;
  if (dialog !== undefined && isPanel(dialog)) return panelSize(state, dialog).height;
  return Math.max(1, layoutOf(state).body.height - 3);
}

/** Returns the first visible entry: whole pages, so that moving within one doesn't scroll. */
export function firstShown(cursor: number, height: number): number {
  return Math.floor(cursor / height) * height;
}

/** Draws the dialog; every line, including the title, fits the screen. */
export function dialogView(state: State, dialog: Dialog): DialogView {
  const view = wholeDialog(state, dialog);
  const room = isPanel(dialog) ? panelSize(state, dialog).area.width - 6 : panelWidth(state);
  return { ...view, title: fittingTitle(view.title, room, glyphsOf(state).ellipsis) };
}

function panelWidth(state: State): number {
  return layoutOf(state).details?.width ?? state.columns;
}

/** Draws an action's panel, with its status beside the title if both fit. */
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
  const height = dialogHeight(state);
  switch (dialog.kind) {
    case 'text': {
      const all = wrappedText(dialog, panelSize(state, dialog).width);
      const lines = all.slice(dialog.top, dialog.top + height).map(spans => ({ spans, chosen: false }));
      const last = Math.min(all.length, dialog.top + height);
      const status = all.length > height ? `lines ${dialog.top + 1} to ${last} of ${all.length}` : '';
      const found = readingStatus(dialog);
      return {
        title: dialog.title,
        prompt: dialog.reading?.typing === true ? dialog.reading.words : undefined,
        lines,
        status: dialog.loading
          ? 'fetching'
          : found === ''
            ? status
            : `${found}; ${status}`.replace(/; $/u, ''),
      };
    }
    case 'stepping': {
      const all = wrappedText(dialog, panelSize(state, dialog).width);
      const shown = all.slice(dialog.top, dialog.top + height);
      const { ascii } = glyphsOf(state);
      const lines = shown.map(spans => ({ spans: ascii ? spans.map(asciiSpan) : spans, chosen: false }));
      const status = dialog.working ? 'working' : dialog.status;
      const prompt = dialog.words;
      return { title: dialog.title, prompt, lines, status };
    }
    case 'action': {
      const { head, entries, lines, status } = actionView(state, dialog);
      const text = lines.map(spans => ({ spans, chosen: false }));
      const between = entries.length > 0 ? [{ spans: [], chosen: false }] : [];
      return {
        title: dialog.title,
        prompt: undefined,
        head,
        lines: [...entries.map(each => ({ ...each, entry: true })), ...between, ...text],
        status,
      };
    }
    case 'picker': {
      const items = fittingItems(dialog.items ?? [], dialog.query);
      const labels = items.map(({ label, hint }) => ({ label: showHidden(label), hint: showHidden(hint) }));
      const status = dialog.items === undefined ? 'fetching' : entriesStatus(items.length);
      const lines = listLines(state, labels, dialog.cursor, labelWidth(dialog.items ?? []));
      return { lines, title: dialog.title, prompt: dialog.query, status };
    }
    case 'command': {
      const labels = dialog.items.map(({ label, hint }) => ({
        label: showHidden(label),
        hint: showHidden(hint),
      }));
      const status = labels.length === 0 ? unknownLine(state, dialog.query) : entriesStatus(labels.length);
      const lines = listLines(state, labels, dialog.cursor, labelWidth(dialog.items));
      return { lines, title: 'Command, or a kind', prompt: dialog.query, status: showHidden(status) };
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

/** Shortens a title at its last colons, else in the middle, because its end may matter most. */
function fittingTitle(title: string, width: number, ellipsis: string): string {
  let shown = showHidden(title);
  while (displayWidth(shown) > width) {
    const colon = shown.lastIndexOf(': ');
    if (colon <= 0) break;
    shown = shown.slice(0, colon);
  }
  return truncateMiddle(shown, width, ellipsis);
}

function entriesStatus(count: number): string {
  return count === 0 ? 'nothing matches' : counted(count, 'entry', 'entries');
}

function listLines(
  state: State,
  items: readonly { readonly label: string; readonly hint: string }[],
  cursor: number,
  width: number,
): readonly DialogLine[] {
  const height = dialogHeight(state);
  const first = firstShown(cursor, height);
  return items.slice(first, first + height).map(({ label, hint }, i) => {
    const chosen = first + i === cursor;
    const spans: Span[] = [
      { text: `${chosen ? '>' : ' '} ${hint === '' ? label : padEnd(label, width)}`, style: 'plain' },
    ];
    if (hint !== '') spans.push({ text: `  ${hint}`, style: 'muted' });
    return { spans, chosen };
  });
}

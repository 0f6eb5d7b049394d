/** The lines of an open dialog, ready to draw: entries of a list, or wrapped text. */

import { showHidden } from '../../model/text/shown.ts';
import { counted } from '../../model/text/titles.ts';
import { asciiSpan } from '../../text/terminal/ascii.ts';
import type { Line, Span } from '../../text/terminal/style.ts';
import { displayWidth, padEnd, truncateMiddle } from '../../text/terminal/width.ts';
import { actionView } from '../actions/dialog.ts';
import { matchingItems } from '../search/index.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { layoutOf } from '../state/layout.ts';
import type { Dialog, State } from '../state/state.ts';
import { fit, glyphsOf } from './frame.ts';
import { wrapLine } from './wrap.ts';

interface DialogLine {
  readonly spans: Line;
  readonly chosen: boolean;
  /** One of the things to choose from, among other lines. */
  readonly entry?: boolean;
}

export interface DialogView {
  readonly title: string;
  /** What was typed so far; undefined where nothing can be typed. */
  readonly prompt: string | undefined;
  /** In place of a prompt: what is asked, or what is going on. */
  readonly head?: readonly Line[];
  readonly lines: readonly DialogLine[];
  /** One line below the list: how much there is. */
  readonly status: string;
}

/** How many entries or lines a dialog shows at once: the body without title, prompt and status. */
export function dialogHeight(state: State): number {
  return Math.max(1, layoutOf(state).body.height - 3);
}

/** Index of the first entry that a list shows: whole pages, so that moving within one doesn't scroll. */
export function firstShown(cursor: number, height: number): number {
  return Math.floor(cursor / height) * height;
}

interface LongText {
  readonly lines: readonly Line[];
  readonly hanging?: number;
}

const wrapped = new LastAnswer<readonly Line[]>();

/** A text dialog's lines, wrapped to the screen. */
export function wrappedText(dialog: LongText, columns: number): readonly Line[] {
  const width = Math.max(10, columns - 2);
  return wrapped.of(dialog.lines, [width], () =>
    dialog.lines.flatMap(line => wrapLine(line, width, dialog.hanging)),
  );
}

/** The dialog as it is drawn on the screen that `state` has: no line of it is wider, the title included. */
export function dialogView(state: State, dialog: Dialog): DialogView {
  const view = wholeDialog(state, dialog);
  return { ...view, title: fittingTitle(view.title, state.columns - 1, glyphsOf(state).ellipsis) };
}

/** All lines of the box that covers the view, from its title to its status. */
export function dialogLines(
  state: State,
  dialog: Dialog,
): readonly { readonly spans: Line; readonly chosen: boolean }[] {
  const { title, prompt, head, lines, status } = dialogView(state, dialog);
  const unchosen = (spans: Line): { spans: Line; chosen: boolean } => ({ spans, chosen: false });
  return [
    unchosen([{ text: ` ${title}`, style: 'title' }]),
    ...(head?.map(line => unchosen(indented(line))) ?? [unchosen(typedLine(prompt))]),
    ...lines.map(({ spans, chosen }) => ({
      spans: chosen || prompt !== undefined ? spans : indented(spans),
      chosen,
    })),
    unchosen(status === '' ? [] : [{ text: ` ${status}`, style: 'muted' }]),
  ];
}

function typedLine(prompt: string | undefined): Line {
  if (prompt === undefined) return [];
  return [
    { text: ' > ', style: 'info' },
    { text: prompt, style: 'plain' },
    { text: '_', style: 'info' },
  ];
}

function indented(line: Line): Line {
  return [{ text: ' ', style: 'plain' }, ...line];
}

function wholeDialog(state: State, dialog: Dialog): DialogView {
  const height = dialogHeight(state);
  switch (dialog.kind) {
    case 'text': {
      const all = wrappedText(dialog, state.columns);
      const lines = all.slice(dialog.top, dialog.top + height).map(spans => ({ spans, chosen: false }));
      const last = Math.min(all.length, dialog.top + height);
      const status = all.length > height ? `lines ${dialog.top + 1} to ${last} of ${all.length}` : '';
      return { title: dialog.title, prompt: undefined, lines, status: dialog.loading ? 'fetching' : status };
    }
    case 'stepping': {
      const all = wrappedText(dialog, state.columns);
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
      const items = matchingItems(dialog.items ?? [], dialog.query);
      const labels = items.map(({ label, hint }) => ({ label: showHidden(label), hint: showHidden(hint) }));
      const status =
        dialog.items === undefined
          ? 'fetching'
          : items.length === 0
            ? 'nothing matches'
            : counted(items.length, 'entry', 'entries');
      return { ...list(state, labels, dialog.cursor), title: dialog.title, prompt: dialog.query, status };
    }
    case 'filter':
      // Its prompt stands above the view, and the view is its list.
      return { title: 'Filter', prompt: dialog.query, lines: [], status: '' };
    case 'search': {
      const labels = dialog.hits.map(hit => ({ label: hit.title, hint: '' }));
      return {
        ...list(state, labels, dialog.cursor),
        title: 'Search in every kind, namespace and name',
        prompt: dialog.query,
        status: searchStatus(dialog),
      };
    }
  }
}

/**
 * A title that is too wide, without what it adds after its last colons as far as that is needed: what is asked below
 * says the whole. What is too wide even so is cut in its middle, because it may end in what matters most.
 */
function fittingTitle(title: string, width: number, ellipsis: string): string {
  let shown = showHidden(title);
  while (displayWidth(shown) > width) {
    const colon = shown.lastIndexOf(': ');
    if (colon <= 0) break;
    shown = shown.slice(0, colon);
  }
  return truncateMiddle(shown, width, ellipsis);
}

function searchStatus({ query, total, done, hits }: Extract<Dialog, { kind: 'search' }>): string {
  if (query.trim() === '') return 'type words or letters in order: dep api, apiserver, web0';
  if (total === undefined) return done ? 'nothing found' : 'searching';
  const found = total === 0 ? 'nothing found' : counted(total, 'hit');
  const best = total > hits.length && total > 0 ? `, the best ${hits.length} shown` : '';
  return `${found}${best}${done ? '' : ', still searching'}`;
}

function list(
  state: State,
  items: readonly { readonly label: string; readonly hint: string }[],
  cursor: number,
): { readonly lines: readonly DialogLine[] } {
  const height = dialogHeight(state);
  const first = firstShown(cursor, height);
  const { ellipsis } = glyphsOf(state);
  const width = Math.min(60, Math.max(20, ...items.map(item => displayWidth(item.label))));
  const lines = items.slice(first, first + height).map(({ label, hint }, i) => {
    const chosen = first + i === cursor;
    const spans: Span[] = [
      { text: `${chosen ? '>' : ' '} ${hint === '' ? label : padEnd(label, width)}`, style: 'plain' },
    ];
    if (hint !== '') spans.push({ text: `  ${hint}`, style: 'muted' });
    return { spans: fit(spans, state.columns, ellipsis), chosen };
  });
  return { lines };
}

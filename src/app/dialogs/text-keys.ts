/** Handles keys in a long text: search, and YAML's parts. */

import { wrapLine } from '../drawing/wrap.ts';
import {
  hasPart,
  matchesOf,
  placeOf,
  type Reading,
  readingOf,
  shownLines,
  unfoldedFor,
} from '../search/long-text.ts';
import { edited, type Key, keyId } from '../state/keys.ts';
import { type Dialog, type State, withNotice } from '../state/state.ts';
import { panelSize, wrappedText } from './panel-size.ts';

type TextDialog = Extract<Dialog, { kind: 'text' }>;

/** Part of the YAML that each key goes to or folds. */
const parts: Readonly<Record<string, { readonly path: string; readonly title: string }>> = {
  f: { path: 'metadata.finalizers', title: 'no finalizers' },
  o: { path: 'metadata.ownerReferences', title: 'no owner references' },
  s: { path: 'status', title: 'no status' },
  m: { path: 'metadata.managedFields', title: 'no managed fields' },
};

/** Returns undefined if the key means nothing here. */
export function keyInReading(state: State, dialog: TextDialog, key: Key): State | undefined {
  const reading = dialog.reading ?? readingOf(dialog.lines);
  const id = keyId(key);
  if (reading.typing) return keyInWords(state, dialog, reading, key);
  if (id === '/')
    return shown(state, dialog, { ...reading, words: '', typing: true, at: undefined, part: undefined });
  if (reading.words !== '') {
    if (id === 'n') return toMatch(state, dialog, reading, 1);
    if (id === 'N') return toMatch(state, dialog, reading, -1);
    if (id === 'escape') return shown(state, dialog, { ...reading, words: '', at: undefined });
  }
  const part = dialog.yaml === true ? parts[id] : undefined;
  if (part === undefined) return undefined;
  if (!hasPart(reading, part.path)) return withNotice(state, `It has ${part.title}.`, 'info');
  if (id === 'f' || id === 'o') return toPart(state, dialog, reading, part.path);
  const folded = new Set(reading.folded);
  if (!folded.delete(part.path)) folded.add(part.path);
  return toPart(state, dialog, { ...reading, folded, at: undefined }, part.path);
}

/** Goes to a part and highlights its first line, so that it is found even without scrolling. */
function toPart(state: State, dialog: TextDialog, reading: Reading, path: string): State {
  const next = { ...reading, part: path };
  const there = shown(state, dialog, next);
  return there.dialog?.kind === 'text' ? toLine(there, there.dialog, placeOf(next, path), PART_LINES) : there;
}

function keyInWords(state: State, dialog: TextDialog, reading: Reading, key: Key): State {
  const id = keyId(key);
  if (id === 'escape') return shown(state, dialog, { ...reading, words: '', typing: false });
  if (id === 'enter' || id === 'tab') return shown(state, dialog, { ...reading, typing: false });
  const words = edited(reading.words, key);
  return words === undefined ? state : typed(state, dialog, reading, words);
}

/** Goes to the first match from the top at each letter. */
export function typed(state: State, dialog: TextDialog, reading: Reading, words: string): State {
  return toMatch(state, dialog, unfoldedFor({ ...reading, words, at: undefined }), 1);
}

function toMatch(state: State, dialog: TextDialog, reading: Reading, direction: 1 | -1): State {
  const lines = shownLines(reading);
  const found = matchesOf(lines, reading.words);
  const { at } = reading;
  const next =
    direction === 1
      ? (found.find(index => at === undefined || index > at) ?? found[0])
      : (found.findLast(index => at !== undefined && index < at) ?? found.at(-1));
  const there = shown(state, dialog, { ...reading, at: next });
  return next === undefined || there.dialog?.kind !== 'text' ? there : toLine(there, there.dialog, next);
}

function shown(state: State, dialog: TextDialog, reading: Reading): State {
  return { ...state, dialog: { ...dialog, reading, lines: shownLines(reading) } };
}

/** Lines of a part to keep visible: an owner reference has six below its heading. */
const PART_LINES = 7;

/** Scrolls the lines from `index` on to a little below the top, unless they are visible. */
function toLine(state: State, dialog: TextDialog, index: number | undefined, lines = 1): State {
  if (index === undefined) return state;
  const { width, height } = panelSize(state, dialog);
  const before = dialog.lines
    .slice(0, index)
    .reduce((sum, line) => sum + wrapLine(line, width, dialog.hanging).length, 0);
  const last = lastTop(state, dialog);
  const wanted = Math.min(lines, height - 2);
  const isSeen = before >= dialog.top && before + wanted <= dialog.top + height;
  const top = isSeen ? Math.min(dialog.top, last) : Math.min(last, Math.max(0, before - 2));
  return { ...state, dialog: { ...dialog, top } };
}

/** Shows a document, or more of one that is still being printed; place and search stay. */
export function withDocument(
  state: State,
  dialog: TextDialog,
  { lines, printing }: Pick<TextDialog, 'lines' | 'printing'>,
): State {
  const { reading } = dialog;
  const next = { ...dialog, lines, printing, loading: false };
  if (reading !== undefined)
    next.reading = { ...readingOf(lines), words: reading.words, typing: reading.typing, at: reading.at };
  const follows = (printing ?? dialog.printing) === 'stream' && dialog.top >= lastTop(state, dialog);
  return { ...state, dialog: follows ? { ...next, top: lastTop(state, next) } : next };
}

function lastTop(state: State, dialog: TextDialog): number {
  const { width, height } = panelSize(state, dialog);
  return Math.max(0, wrappedText(dialog, width).length - height);
}

export function readingStatus({ lines, reading }: TextDialog): string {
  if (reading === undefined || reading.words === '') return '';
  const found = matchesOf(lines, reading.words);
  if (found.length === 0) return 'nothing found';
  const nth = reading.at === undefined ? 0 : found.indexOf(reading.at) + 1;
  return `line ${nth} of ${found.length} that contain it`;
}

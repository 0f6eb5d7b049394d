import type { StepUnit } from '../../simulation/index.ts';
import { keyInLine, runChosen, withLine } from '../commands/line/line-keys.ts';
import { narrowView } from '../commands/narrow.ts';
import { chooseLog, choosePod, chooseShell } from '../kubectl/kubectl-commands.ts';
import { chooseOwn } from '../kubectl/own.ts';
import { wholeText } from '../search/long-text.ts';
import { edited, type Key, keyId, keyLabel, movement } from '../state/keys.ts';
import {
  asking,
  type Dialog,
  type SearchHit,
  type State,
  type StepWish,
  withNewRevision,
  withNotice,
} from '../state/state.ts';
import { showKinds } from '../views/activity/entry-kinds.ts';
import { stayInList } from '../views/lists.ts';
import { jumpTo, switchNamespace } from '../views/scope.ts';
import { clickAction } from './action-click.ts';
import { keyInAction, pasteInAction, scrollAction } from './action-panel.ts';
import { dialogHeight, firstShown, pickerItems } from './dialog-view.ts';
import { isPanel, linesAbove, panelSize, wrappedText } from './panel-size.ts';
import { keyInReading, typed } from './text-keys.ts';

type Search = Extract<Dialog, { kind: 'search' }>;
type Stepping = Extract<Dialog, { kind: 'stepping' }>;
type Picker = Extract<Dialog, { kind: 'picker' }>;
type Line = Extract<Dialog, { kind: 'command' }>;

export function keyInDialog(state: State, key: Key): State {
  const { dialog } = state;
  switch (dialog?.kind) {
    case undefined:
      return state;
    case 'action':
      return keyInAction(state, dialog, key);
    case 'search':
      return keyInSearch(state, dialog, key);
    case 'picker':
      return keyInPicker(state, dialog, key);
    case 'command':
      return keyInLine(state, dialog, key, dialogHeight(state));
    case 'text':
      return keyInText(state, dialog, key);
    case 'stepping':
      return keyInStepping(state, dialog, key);
  }
}

function close(state: State): State {
  return { ...state, dialog: undefined };
}

function clamp(value: number, length: number): number {
  return Math.max(0, Math.min(value, length - 1));
}

export function pasteInDialog(state: State, text: string): State {
  const { dialog } = state;
  // oxlint-disable-next-line no-control-regex -- a pasted line break must not choose anything
  const clean = text.replace(/[\u0000-\u001f\u007f]+/gu, ' ').trim();
  if (dialog?.kind === 'search') return searchFor(state, dialog, dialog.query + clean);
  if (dialog?.kind === 'command') return withLine(state, dialog, dialog.query + clean);
  if (dialog?.kind === 'picker') return withQuery(state, dialog, dialog.query + clean);
  if (dialog?.kind === 'action') return pasteInAction(state, dialog, clean);
  if (dialog?.kind === 'text' && dialog.reading?.typing === true)
    return typed(state, dialog, dialog.reading, dialog.reading.words + clean);
  return state;
}

function searchFor(state: State, dialog: Search, query: string): State {
  const begun = { ...dialog, query, jump: false, done: false, cursor: 0 };
  // The old hits stay until better ones arrive: an empty list in between would flicker.
  if (query.trim() !== '') return asking({ ...state, dialog: begun }, { type: 'search', query });
  const empty = { ...begun, hits: [], total: undefined, done: true };
  return asking({ ...state, dialog: empty }, { type: 'stopSearch' });
}

function keyInSearch(state: State, dialog: Search, key: Key): State {
  const id = keyId(key);
  if (id === 'escape') return asking(close(state), { type: 'stopSearch' });
  const step = movement(id, dialogHeight(state));
  if (step !== undefined) {
    return { ...state, dialog: { ...dialog, cursor: clamp(dialog.cursor + step, dialog.hits.length) } };
  }
  if (id === 'enter') return chooseHit(state, dialog, dialog.cursor);
  if (id === 'tab' || id === 'ctrl-f') return asking(narrow(state, dialog.query), { type: 'stopSearch' });
  const query = edited(dialog.query, key);
  return query === undefined || query === dialog.query ? state : searchFor(state, dialog, query);
}

function chooseHit(state: State, dialog: Search, position: number): State {
  if (dialog.answered !== dialog.query && !dialog.done)
    return { ...state, dialog: { ...dialog, jump: true } };
  const hit = dialog.hits[position];
  if (hit !== undefined) return jumpToHit(state, hit);
  const why =
    dialog.query.trim() === ''
      ? 'Type what to look for, or Esc.'
      : 'Nothing was found to jump to; Tab narrows the view to these words.';
  return withNotice(state, why, 'info');
}

export function jumpToHit(state: State, hit: SearchHit): State {
  return asking(jumpTo(close(state), hit.node.uid), { type: 'stopSearch' });
}

function narrow(state: State, query: string): State {
  const words = query.trim();
  if (words === '') return close(state);
  const narrowed = narrowView(close(state), words);
  // If nothing is left, a hit elsewhere may be the one wanted.
  return narrowed.notice === state.notice ? narrowed : { ...narrowed, dialog: state.dialog };
}

function keyInPicker(state: State, dialog: Picker, key: Key): State {
  const id = keyId(key);
  if (id === 'escape') return close(state);
  const matches = pickerItems(state, dialog);
  const step = movement(id, dialogHeight(state));
  if (step !== undefined) {
    return { ...state, dialog: { ...dialog, cursor: clamp(dialog.cursor + step, matches.length) } };
  }
  if (id === 'enter' || id === 'tab') return choose(state, dialog, dialog.cursor);
  const query = edited(dialog.query, key);
  return query === undefined ? state : withQuery(state, dialog, query);
}

function withQuery(state: State, dialog: Picker, query: string): State {
  return { ...state, dialog: { ...dialog, query, cursor: 0 } };
}

function choose(state: State, dialog: Picker, position: number): State {
  const item = pickerItems(state, dialog)[position];
  if (item === undefined) return state;
  const closed = close(state);
  switch (dialog.purpose) {
    case 'namespace':
      return switchNamespace(closed, item.id);
    case 'context':
      return asking(
        { ...closed, opening: item.id, waitingFor: undefined },
        { type: 'open', context: item.id },
      );
    case 'owner':
      return jumpTo(closed, item.id);
    case 'copy':
      return asking(closed, { type: 'copy', text: item.id });
    case 'pod':
      return choosePod(closed, dialog.about, item.id);
    case 'logs':
      return chooseLog(closed, dialog.about, item.id);
    case 'shell':
      return chooseShell(closed, dialog.about, item.id);
    case 'own':
      return chooseOwn(closed, dialog.about, item.id);
    case 'activity':
      return withNewRevision(stayInList(showKinds(closed, item.id)));
  }
}

function keyInText(state: State, dialog: Extract<Dialog, { kind: 'text' }>, key: Key): State {
  const read = dialog.loading ? undefined : keyInReading(state, dialog, key);
  if (read !== undefined) return read;
  const id = keyId(key);
  if (id === 'w' && !dialog.loading) return asking(state, { type: 'export' });
  if (id === 'c' && !dialog.loading) return asking(state, { type: 'copy', text: wholeText(dialog) });
  if (id === 'escape' || id === 'q' || id === 'enter') {
    const isPrinting = dialog.printing !== undefined || dialog.loading;
    return isPrinting ? asking(close(state), { type: 'stopReading' }) : close(state);
  }
  const page = dialogHeight(state);
  const letters: Record<string, string> = { j: 'down', k: 'up', space: 'pagedown', g: 'home', G: 'end' };
  const step = movement(letters[id] ?? id, page);
  if (step !== undefined) return scrollDialog(state, step);
  return withNotice(state, `No key ${keyLabel(id, state.options.ascii)} here; Esc goes back.`, 'info');
}

const stepUnits: Readonly<Record<string, StepUnit>> = { space: 'item', e: 'event', t: 'task' };

function keyInStepping(state: State, dialog: Stepping, key: Key): State {
  const id = keyId(key);
  if (dialog.words !== undefined) return keyInBreakpoint(state, dialog, dialog.words, key);
  if (id === 'escape' || id === 'q') return asking(close(state), { type: 'stopStepping' });
  const unit = stepUnits[id];
  if (unit !== undefined) return stepping(state, dialog, { of: 'unit', unit });
  if (id === 'b') return stepping(state, dialog, { of: 'back' });
  if (id === 'r') return stepping(state, dialog, { of: 'run' });
  if (id === 'g') return { ...state, dialog: { ...dialog, words: '' } };
  const letters: Record<string, string> = { j: 'down', k: 'up' };
  const step = movement(letters[id] ?? id, dialogHeight(state));
  return step === undefined ? state : scrollDialog(state, step);
}

function keyInBreakpoint(state: State, dialog: Stepping, words: string, key: Key): State {
  const id = keyId(key);
  if (id === 'escape') return { ...state, dialog: { ...dialog, words: undefined } };
  if (id === 'enter' && words.trim() !== '')
    return stepping(state, { ...dialog, words: undefined }, { of: 'breakpoint', words: words.trim() });
  const next = edited(words, key);
  return next === undefined ? state : { ...state, dialog: { ...dialog, words: next } };
}

function stepping(state: State, dialog: Stepping, wish: StepWish): State {
  return asking({ ...state, dialog: { ...dialog, working: true } }, { type: 'step', wish });
}

function entriesOf(state: State, dialog: Search | Picker | Line): number {
  if (dialog.kind === 'search') return dialog.hits.length;
  return dialog.kind === 'command' ? dialog.items.length : pickerItems(state, dialog).length;
}

export function scrollDialog(state: State, lines: number): State {
  const { dialog } = state;
  if (dialog === undefined) return state;
  if (dialog.kind === 'action') return scrollAction(state, dialog, lines);
  if (dialog.kind !== 'text' && dialog.kind !== 'stepping') {
    const length = entriesOf(state, dialog);
    return { ...state, dialog: { ...dialog, cursor: clamp(dialog.cursor + lines, length) } };
  }
  const { width, height } = panelSize(state, dialog);
  const last = Math.max(0, wrappedText(dialog, width).length - height);
  return { ...state, dialog: { ...dialog, top: Math.max(0, Math.min(last, dialog.top + lines)) } };
}

/** Chooses the clicked entry; a click outside the box closes it, as Escape does. */
export function clickDialog(state: State, { column, row }: { column: number; row: number }): State {
  const { dialog } = state;
  if (dialog?.kind === 'action') return clickAction(state, dialog, { column, row });
  if (dialog === undefined || !isPanel(dialog)) return state;
  const { area, height } = panelSize(state, dialog);
  const isInside =
    column >= area.left && column < area.left + area.width && row >= area.top && row < area.top + area.height;
  // A stray click must not lose the steps taken so far.
  if (!isInside) return dialog.kind === 'stepping' ? state : keyInDialog(state, { name: 'escape' });
  if (dialog.kind === 'text' || dialog.kind === 'stepping') return state;
  const line = row - area.top - linesAbove(dialog);
  if (line < 0 || line >= height) return state;
  const position = firstShown(dialog.cursor, height) + line;
  if (dialog.kind === 'command') return runChosen(state, dialog, position);
  return dialog.kind === 'search' ? chooseHit(state, dialog, position) : choose(state, dialog, position);
}

/** Handles keys in the `:` line: typing, completion and history. */

import { edited, type Key, keyId, movement } from '../../state/keys.ts';
import { asking, type Dialog, type State } from '../../state/state.ts';
import { commands } from '../bindings.ts';
import { lineItems, namedEntry } from './items.ts';
import { arguedOf } from './line-words.ts';
import { runLine } from './run-line.ts';

type LineDialog = Extract<Dialog, { kind: 'command' }>;

/** `page`: rows of the list. */
export function keyInLine(state: State, dialog: LineDialog, key: Key, page: number): State {
  const id = keyId(key);
  const closed = { ...state, dialog: undefined };
  if (id === 'escape') return closed;
  const { items, cursor, recalled, query } = dialog;
  const lines = state.typedLines;
  // The history is above the first entry.
  if (id === 'up' && cursor <= 0 && lines.length > recalled) return recall(state, dialog, recalled + 1);
  if (id === 'down' && recalled > 0) return recall(state, dialog, recalled - 1);
  const step = movement(id, page);
  if (step !== undefined) {
    const moved = Math.max(0, Math.min(cursor + step, items.length - 1));
    return { ...state, dialog: { ...dialog, cursor: moved } };
  }
  if (id === 'tab' || id === 'right') {
    const chosen = items[Math.max(0, cursor)];
    return chosen === undefined ? state : completed(state, dialog, chosen.id);
  }
  if (id === 'enter') return runChosen(state, dialog, cursor);
  const next = edited(query, key);
  // Deleting the colon closes the line, as in vi.
  if (query === '' && (id === 'backspace' || id === 'delete')) return closed;
  return next === undefined ? state : withLine(state, dialog, next);
}

export function withLine(state: State, dialog: LineDialog, query: string, recalled = 0): State {
  const items = lineItems(state, query, commands);
  const cursor = namedEntry(items, query, commands);
  const next = { ...state, dialog: { ...dialog, query, items, cursor, recalled } };
  // A kubeconfig may change, so it is read for each line.
  const asks = namesContext(query) && !namesContext(dialog.query) && state.info?.source === 'cluster';
  return asks ? asking(next, { type: 'listContexts' }) : next;
}

function namesContext(query: string): boolean {
  const [word = '', ...more] = query.trimStart().split(/\s/u);
  return more.length > 0 && arguedOf(word.toLowerCase()) === 'ctx';
}

/** Refreshes the completions after contexts were read, keeping the cursor's entry. */
export function withNewItems(state: State): State {
  const { dialog } = state;
  if (dialog?.kind !== 'command' || !namesContext(dialog.query)) return state;
  const chosen = dialog.items[dialog.cursor]?.id;
  const items = lineItems(state, dialog.query, commands);
  const at = items.findIndex(({ id }) => id === chosen);
  const cursor = at >= 0 ? at : namedEntry(items, dialog.query, commands);
  return { ...state, dialog: { ...dialog, items, cursor } };
}

function completed(state: State, dialog: LineDialog, line: string): State {
  return withLine(state, dialog, isUnfinished(line) ? line : `${line} `);
}

function isUnfinished(line: string): boolean {
  return line.endsWith('/');
}

/** Recalls the line typed `back` lines ago; 0 gives an empty line. */
function recall(state: State, dialog: LineDialog, back: number): State {
  return withLine(state, dialog, state.typedLines[state.typedLines.length - back] ?? '', back);
}

/** Runs the entry at a position, or the typed line, which stays to be corrected if it is refused. */
export function runChosen(state: State, dialog: LineDialog, position: number): State {
  const chosen = dialog.items[position];
  const closed = { ...state, dialog: undefined, notice: undefined };
  if (chosen !== undefined && isUnfinished(chosen.id)) return completed(state, dialog, chosen.id);
  if (chosen !== undefined) return runLine(closed, chosen.id);
  const run = runLine(closed, dialog.query);
  return run.notice?.style === 'warning' ? { ...state, notice: run.notice } : run;
}

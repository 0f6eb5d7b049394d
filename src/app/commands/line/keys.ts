/** Keys in the line behind `:`: typing, completing, and going through what was typed before. */
import { dialogHeight } from '../../lines/dialog.ts';
import { asking, type Dialog, type State } from '../../state/state.ts';
import { edited, type Key, keyId, movement } from '../keys.ts';
import { lineItems } from './items.ts';
import { runLine } from './run.ts';
import { arguedOf } from './words.ts';

type LineDialog = Extract<Dialog, { kind: 'command' }>;

export function keyInLine(state: State, dialog: LineDialog, key: Key): State {
  const id = keyId(key);
  const closed = { ...state, dialog: undefined };
  if (id === 'escape') return closed;
  const { items, cursor, recalled, query } = dialog;
  const lines = state.typedLines;
  // Above the first entry are the lines that were typed before.
  if (id === 'up' && cursor === 0 && lines.length > recalled) return recall(state, dialog, recalled + 1);
  if (id === 'down' && recalled > 0) return recall(state, dialog, recalled - 1);
  const step = movement(id, dialogHeight(state));
  if (step !== undefined) {
    const moved = Math.max(0, Math.min(cursor + step, items.length - 1));
    return { ...state, dialog: { ...dialog, cursor: moved } };
  }
  if (id === 'tab' || id === 'right') {
    const chosen = items[cursor];
    return chosen === undefined ? state : completed(state, dialog, chosen.id);
  }
  if (id === 'enter') return runChosen(state, dialog, cursor);
  const next = edited(query, key);
  // Whoever takes back the colon closes the line, as in vi.
  if (query === '' && (id === 'backspace' || id === 'delete')) return closed;
  return next === undefined ? state : withLine(state, dialog, next);
}

/** The line with these words, and what fits them. */
export function withLine(state: State, dialog: LineDialog, query: string, recalled = 0): State {
  const next = {
    ...state,
    dialog: { ...dialog, query, items: lineItems(state, query), cursor: 0, recalled },
  };
  // Read anew for each line: a kubeconfig changes.
  const asks = namesContext(query) && !namesContext(dialog.query) && state.info?.source === 'cluster';
  return asks ? asking(next, { type: 'listContexts' }) : next;
}

function namesContext(query: string): boolean {
  const [word = '', ...more] = query.trimStart().split(/\s/u);
  return more.length > 0 && arguedOf(word.toLowerCase()) === 'ctx';
}

/** What the line offers, after the contexts were read: the cursor stays on what it was on. */
export function withNewItems(state: State): State {
  const { dialog } = state;
  if (dialog?.kind !== 'command' || !namesContext(dialog.query)) return state;
  const chosen = dialog.cursor === 0 ? undefined : dialog.items[dialog.cursor]?.id;
  const items = lineItems(state, dialog.query);
  const cursor = Math.max(
    0,
    items.findIndex(({ id }) => id === chosen),
  );
  return { ...state, dialog: { ...dialog, items, cursor } };
}

function completed(state: State, dialog: LineDialog, line: string): State {
  return withLine(state, dialog, isUnfinished(line) ? line : `${line} `);
}

/** A name comes behind it. */
function isUnfinished(line: string): boolean {
  return line.endsWith('/');
}

/** A line that was typed before, as it was; 0 is the empty one. */
function recall(state: State, dialog: LineDialog, back: number): State {
  return withLine(state, dialog, state.typedLines[state.typedLines.length - back] ?? '', back);
}

/** Runs what the list offers at a position, or what was typed where it offers nothing. */
export function runChosen(state: State, dialog: LineDialog, position: number): State {
  const chosen = dialog.items[position];
  const closed = { ...state, dialog: undefined };
  if (dialog.query.trim() === '' && chosen === undefined) return closed;
  // What was fetched again is run as it was.
  const isRecalled = dialog.recalled > 0 && position === 0;
  if (isRecalled || chosen === undefined) return runLine(closed, dialog.query);
  return isUnfinished(chosen.id) ? completed(state, dialog, chosen.id) : runLine(closed, chosen.id);
}

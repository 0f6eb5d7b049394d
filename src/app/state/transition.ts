/** What one message leads to, and the small changes that every part of the update makes. */
import type { Effect } from './messages.ts';
import { stay } from './navigate.ts';
import type { State } from './state.ts';

export type Transition = readonly [State, readonly Effect[]];

const NOTICE_MS = 4_000;

export function withNotice(state: State, text: string, style: 'info' | 'warning' | 'danger'): State {
  return { ...state, notice: { text, style, until: state.now + NOTICE_MS } };
}

/** Marks that something which is held by reference changed. */
export function withNewRevision(state: State): State {
  return { ...state, revision: state.revision + 1 };
}

/**
 * Rows that are unfolded before input is looked at again: about 5 ms of work. With 150,000 objects the key that
 * unfolds everything has its frame after 39 ms, in one go it took 328.
 */
const UNFOLD_ROWS = 3_000;

/** After the rows were built anew: unfolds the first of them and keeps the cursor. The rest follows in slices. */
export function unfoldMore(state: State): State {
  state.cluster?.rows.unfoldMore(UNFOLD_ROWS);
  return withNewRevision(stay(state));
}

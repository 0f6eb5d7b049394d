/** Shows, hides, focuses and leaves the details. */
import { layoutOf } from '../state/layout.ts';
import { type State, withTree } from '../state/state.ts';
import { resettle } from '../views/lists.ts';

/** Focuses the details, in place of the list if there is no other room. */
export function focusDetails(state: State): State {
  const focused = withTree({ ...state, focus: 'details' }, { moved: true });
  if (layoutOf(focused).details !== undefined) return focused;
  const shown = { ...focused, details: 'auto', detailsTop: 0 } as const;
  return layoutOf(shown).details === undefined ? { ...shown, details: 'full' } : shown;
}

/** Shows details next to the tree, or instead of it if there is no room, or hides them. */
export function toggleDetails(state: State): State {
  const isShown = layoutOf(state).details !== undefined;
  const hasRoom = layoutOf({ ...state, details: 'auto' }).details !== undefined;
  const shown = hasRoom ? 'auto' : 'full';
  const next = !isShown ? shown : hasRoom && state.details === 'auto' ? 'hidden' : 'auto';
  const changed = { ...state, details: next, focus: 'tree', detailsTop: 0 } as const;
  return resettle(changed);
}

export function leaveDetails(state: State): State {
  const details = state.details === 'full' ? 'auto' : state.details;
  return { ...state, focus: 'tree', details };
}

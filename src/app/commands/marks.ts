/** Marks objects for the next action: by row, group or range. */
import type { Uid } from '../../model/index.ts';
import { type State, withNewRevision, withNotice } from '../state/state.ts';
import { objectsOfRow } from '../views/current.ts';
import { movesOf, shownList } from '../views/lists.ts';

const NO_OBJECT = 'Nothing to mark: no object has been seen here.';

/** Marks the row's objects, or unmarks them if all are marked. */
export function toggleMarks(state: State): State {
  const uids = objectsOfRow(state, movesOf(state).index(state));
  if (uids.length === 0) return withNotice(state, NO_OBJECT, 'info');
  const marks = new Set(state.marks);
  const isMarked = uids.every(uid => marks.has(uid));
  for (const uid of uids) {
    if (isMarked) marks.delete(uid);
    else marks.add(uid);
  }
  const marked = withMarks(state, marks);
  return shownRow(state)?.kind === 'group' ? marked : movesOf(state).moveBy(marked, 1);
}

export function unmark(state: State): State {
  if (state.marks.size === 0 && state.goneMarks === 0) return state;
  return { ...withMarks(state, new Set()), goneMarks: 0, range: undefined };
}

export function markRange(state: State): State {
  if (state.range?.by === 'open') return { ...state, range: undefined };
  return withRange({
    ...state,
    range: { view: state.view, from: movesOf(state).index(state), before: state.marks, by: 'open' },
  });
}

/** Marks the row and the next one (Shift with an arrow). */
export function markAndMove(state: State, rows: 1 | -1): State {
  const { range } = state;
  const begun = range ?? {
    view: state.view,
    from: movesOf(state).index(state),
    before: state.marks,
    by: 'held',
  };
  return withRange(movesOf(state).moveBy({ ...state, range: begun }, rows));
}

export function leaveRange(state: State): State {
  const { range } = state;
  return range === undefined ? state : { ...withMarks(state, range.before), range: undefined };
}

const moves: ReadonlySet<string> = new Set([
  'down',
  'up',
  'pageDown',
  'pageUp',
  'first',
  'last',
  'markDown',
  'markUp',
]);

/** Extends an open range with the cursor; a command other than a move ends it. */
export function followRange(state: State, id: string): State {
  const { range } = state;
  if (range === undefined || id === 'markRange') return state;
  const isHeld = range.by === 'held';
  if (range.view !== state.view || !moves.has(id)) return { ...state, range: undefined };
  if (isHeld) return id === 'markDown' || id === 'markUp' ? state : { ...state, range: undefined };
  return withRange(state);
}

/** Drops marks of deleted objects. Those deleted by this screen's action don't count as lost. */
export function withoutGone(state: State): State {
  const { marks, cluster, dialog } = state;
  if (marks.size === 0 || cluster === undefined) return state;
  const left = new Set<Uid>();
  for (const uid of marks) if (cluster.node(uid)?.object !== undefined) left.add(uid);
  if (left.size === marks.size) return state;
  const gone = dialog?.kind === 'action' ? 0 : marks.size - left.size;
  return { ...withMarks(state, left), goneMarks: state.goneMarks + gone };
}

/** Adds marks; `told` makes the notice from their number. */
export function markAll(state: State, uids: readonly Uid[], told: (count: number) => string): State {
  const seen = new Set(uids.filter(uid => state.cluster?.node(uid)?.object !== undefined));
  if (seen.size === 0) return withNotice(state, 'There is nothing of that kind here to mark.', 'info');
  return withNotice(withMarks(state, new Set([...state.marks, ...seen])), told(seen.size), 'info');
}

function withRange(state: State): State {
  const { range } = state;
  if (range === undefined) return state;
  const to = movesOf(state).index(state);
  const marks = new Set(range.before);
  for (let at = Math.min(range.from, to); at <= Math.max(range.from, to); at++)
    for (const uid of objectsOfRow(state, at, true)) marks.add(uid);
  return withMarks(state, marks);
}

function withMarks(state: State, marks: ReadonlySet<Uid>): State {
  return withNewRevision({ ...state, marks });
}

function shownRow(state: State): { readonly kind: 'group' | 'item' | 'object' } | undefined {
  if (state.view === 'tree') return state.tree.selected;
  const list = shownList(state);
  return list?.rows.at(list.cursor.index);
}

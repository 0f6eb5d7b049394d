/** Remembers visited places (view, namespace and row), so that keys go back and forward. */
import { listState, type Place, type State } from '../state/state.ts';

const MOST_PLACES = 100;

export function placeOf(state: State): Place {
  const { view, cluster, tree } = state;
  const row =
    view === 'tree'
      ? tree.selected?.kind === 'object'
        ? tree.selected.uid
        : undefined
      : listState(state, view).key;
  return { view, namespace: cluster?.namespace, row };
}

/** Records the current place; call it before the screen shows another. */
export function leaving(state: State): State {
  if (state.cluster === undefined) return state;
  const { back } = state.visited;
  const here = placeOf(state);
  const last = back.at(-1);
  const visited = last !== undefined && isSame(last, here) ? back : [...back, here].slice(-MOST_PLACES);
  return { ...state, visited: { back: visited, ahead: [] } };
}

export function isSame(a: Place, b: Place): boolean {
  return a.view === b.view && a.namespace === b.namespace && a.row === b.row;
}

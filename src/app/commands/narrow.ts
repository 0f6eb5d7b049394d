import { unfoldMore } from '../state/navigate.ts';
import { type State, withNotice } from '../state/state.ts';
import { filterList } from './lists.ts';

/** Narrows the view to words; in the tree, allows typing errors if there is no exact match. */
export function narrowView(state: State, words: string): State {
  const { cluster, view } = state;
  if (cluster === undefined) return state;
  if (view !== 'tree') return filterList(state, words);
  for (const loose of [false, true]) {
    const filter = { kind: 'words', words, loose } as const;
    if (cluster.setFilter(filter) > 0) return unfoldMore({ ...state, filter, moved: false });
  }
  return withNotice(state, 'Nothing in this scope contains these words.', 'warning');
}

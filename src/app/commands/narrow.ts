import { type State, withNotice } from '../state/state.ts';
import { narrowTree } from '../views/tree/moves.ts';
import { filterList } from './list-commands.ts';

/** Narrows the view to words; in the tree, allows typing errors if there is no exact match. */
export function narrowView(state: State, words: string): State {
  const { cluster, view } = state;
  if (cluster === undefined) return state;
  if (view !== 'tree') return filterList(state, words);
  for (const loose of [false, true]) {
    const narrowed = narrowTree(state, { kind: 'words', words, loose });
    if (narrowed !== undefined) return narrowed;
  }
  return withNotice(state, 'Nothing in this scope contains these words.', 'warning');
}

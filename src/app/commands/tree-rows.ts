/** Folds, sorts and narrows the tree. */
import { objectTitle } from '../../model/index.ts';
import type { TreeSort } from '../settings/settings.ts';
import { siblingOrders, sortTitles } from '../settings/sort.ts';
import { type State, withNewRevision, withNotice, withTree } from '../state/state.ts';
import { moveBy, selectItem, stay, unfoldMore } from '../views/tree/moves.ts';
import { focusDetails } from './details-focus.ts';
import { allFolded } from './list-commands.ts';

export function setAllExpanded(state: State, expanded: boolean): State {
  const { rows } = state.cluster ?? {};
  const before = rows?.length;
  rows?.setAllExpanded(expanded);
  const next = unfoldMore(withTree(state, { moved: true }));
  const isSame = rows?.length === before && rows?.unfolding === false;
  return isSame ? withNotice(next, allFolded(!expanded), 'info') : next;
}

/** Folds or unfolds a row that has rows below it, else focuses the details. */
export function openInTree(state: State): State {
  const { cluster, tree } = state;
  const { selected } = tree;
  if (selected === undefined || cluster === undefined) return state;
  if (!cluster.rows.canExpand(selected)) return focusDetails(state);
  cluster.rows.setExpanded(selected, selected.children === undefined);
  return withNewRevision(stay(withTree(state, { moved: true })));
}

export function foldCommand(state: State, id: 'unfold' | 'fold'): State {
  const { cluster, tree } = state;
  const { selected } = tree;
  if (selected === undefined || cluster === undefined) return state;
  const { rows } = cluster;
  const unfolded = selected.children !== undefined;
  if (id === 'unfold' && unfolded) return moveBy(state, 1);
  if (id === 'fold' && !unfolded && selected.parent !== undefined) return selectItem(state, selected.parent);
  if (!unfolded && (id === 'fold' || !rows.canExpand(selected))) {
    const title = selected.kind === 'object' ? objectTitle(selected.node.identity) : 'this group';
    const because = rows.canExpand(selected) ? 'is folded, at the top of the tree' : 'owns nothing here';
    return withNotice(state, `Nothing to ${id}: ${title} ${because}.`, 'info');
  }
  rows.setExpanded(selected, !unfolded);
  return withNewRevision(stay(withTree(state, { moved: true })));
}

export function nextSort(state: State): State {
  return sortTree(
    state,
    siblingOrders[(siblingOrders.indexOf(state.tree.sort) + 1) % siblingOrders.length] ?? 'trouble',
  );
}

export function sortTree(state: State, sort: TreeSort): State {
  state.cluster?.setSort(sort);
  return unfoldMore(withNotice(withTree(state, { sort }), `Sorted: ${sortTitles[sort]}`, 'info'));
}

export function toggleOnlyProblems(state: State): State {
  const { cluster } = state;
  if (cluster === undefined) return state;
  const only = state.tree.filter?.kind !== 'problems';
  const filter = only ? ({ kind: 'problems' } as const) : undefined;
  if (cluster.setFilter(filter) === 0 && only)
    return withNotice(
      state,
      'The problems in this scope are on objects that are not in its tree. 2 lists them.',
      'warning',
    );
  return unfoldMore(withTree(state, { filter, moved: state.tree.moved && !only }));
}

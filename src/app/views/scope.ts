/** Jumps to an object and shows a namespace, in every view at once. */

import { shownName, type Uid } from '../../model/index.ts';
import type { ViewId } from '../settings/settings.ts';
import {
  freshList,
  type ListState,
  type State,
  withNewRevision,
  withNotice,
  withTree,
} from '../state/state.ts';
import { freshTree } from '../state/tree-state.ts';
import { stayInList } from './lists.ts';
import { leaving } from './places.ts';
import { views } from './registry.ts';
import { begin, goTo, openOnTrouble } from './tree/moves.ts';

export const ALL_NAMESPACES = '';

/** Puts the cursor on an object, if needed switching the scope or removing the filter. */
export function jumpTo(state: State, uid: string): State {
  const { cluster } = state;
  const node = cluster?.node(uid as Parameters<typeof cluster.node>[0]);
  if (cluster === undefined || node === undefined)
    return withNotice(state, 'That object no longer exists.', 'warning');
  const tree = { ...leaving(state), view: 'tree', focus: 'tree' } as const;
  const revealed = goTo(tree, node);
  if (revealed !== undefined) return withNewRevision(revealed);
  const { namespace } = node.identity;
  if (state.tree.filter !== undefined) cluster.setFilter(undefined);
  const unfiltered = goTo(withTree(tree, { filter: undefined }), node);
  if (unfiltered !== undefined) return withNewRevision(unfiltered);
  // A cluster-scoped object, or a ghost owner, is in no namespace.
  const scope = node.virtual || namespace === '' ? undefined : namespace;
  const before = cluster.namespace ?? state.namespaceBefore;
  cluster.setScope(scope);
  const there = { ...tree, ...inSight(tree, scope), namespaceBefore: before };
  const elsewhere = withTree(there, { filter: undefined, selected: undefined, top: 0 });
  const switched = goTo(elsewhere, node);
  if (switched === undefined) return withNotice(state, 'That object is not shown in the tree.', 'warning');
  const why = node.virtual ? 'was never seen' : 'is cluster-scoped';
  const where =
    scope === undefined ? `All namespaces: the object ${why}` : `Switched to namespace ${shownName(scope)}`;
  return withNotice(withNewRevision(switched), `${where}. { goes back.`, 'info');
}

/** Drops marks that are out of sight, and the range, whose rows belong to the old scope. */
function inSight({ marks, cluster }: State, namespace: string | undefined): Pick<State, 'marks' | 'range'> {
  const isSeen = (uid: Uid): boolean => {
    const node = cluster?.node(uid);
    return node !== undefined && (namespace === undefined || node.identity.namespace === namespace);
  };
  return { marks: new Set([...marks].filter(isSeen)), range: undefined };
}

export function switchNamespace(state: State, namespace: string): State {
  return showNamespace(leaving(state), namespace);
}

export function showNamespace(state: State, namespace: string): State {
  const scope = namespace === ALL_NAMESPACES ? undefined : namespace;
  const namespaceBefore = state.cluster?.namespace ?? state.namespaceBefore;
  state.cluster?.setScope(scope);
  const { selected, moved } = state.tree;
  const fresh: State = {
    ...state,
    ...inSight(state, scope),
    namespaceBefore,
    lists: narrowedAlike(state.lists),
    tree: { ...state.tree, ...freshTree, index: state.tree.index },
    awaited: undefined,
  };
  // The cursor stays on its object if that is in the new scope too.
  const again = selected?.kind === 'object' && moved ? goTo(fresh, selected.node) : undefined;
  const there = again ?? begin(fresh);
  return withNewRevision(stayInList(openOnTrouble(there)));
}

/** Keeps the filters of each list, and starts at its first row. */
function narrowedAlike(lists: State['lists']): State['lists'] {
  const anew: Record<ViewId, ListState> = {};
  for (const { id, list } of views) {
    const known = lists[id];
    if (known === undefined) continue;
    const { filter, only } = known;
    anew[id] = list?.keepsCursor === true ? known : { ...freshList, filter, only };
  }
  return anew;
}

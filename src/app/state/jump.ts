/** Going to an object wherever it is, and to another namespace. */
import type { Uid } from '../../model/object.ts';
import { stayInList } from './lists.ts';
import { goTo, selectIndex, selectItem } from './navigate.ts';
import { freshList, type State } from './state.ts';
import { withNewRevision, withNotice } from './transition.ts';

/** Stands for all namespaces where a namespace is named. */
export const ALL_NAMESPACES = '';

/** Puts the cursor on an object, switching the scope or widening a narrowed tree where it isn't in it. */
export function jumpTo(state: State, uid: string): State {
  const { cluster } = state;
  const node = cluster?.node(uid as Parameters<typeof cluster.node>[0]);
  if (cluster === undefined || node === undefined)
    return withNotice(state, 'That object is gone.', 'warning');
  const tree = { ...state, view: 'tree', focus: 'tree' } as const;
  const there = goTo(tree, node);
  if (there !== undefined) return withNewRevision(there);
  const { namespace } = node.identity;
  if (state.filter !== undefined) cluster.setFilter(undefined);
  const unfiltered = goTo({ ...tree, filter: undefined }, node);
  if (unfiltered !== undefined) return withNewRevision(unfiltered);
  // A cluster-scoped object, or a ghost owner, stands in no namespace.
  cluster.setScope(node.virtual || namespace === '' ? undefined : namespace);
  const elsewhere = { ...tree, filter: undefined, marks: new Set<Uid>(), selected: undefined, top: 0 };
  const switched = goTo(elsewhere, node);
  return switched === undefined
    ? withNotice(state, 'That object is not shown in the tree.', 'warning')
    : withNewRevision(switched);
}

export function switchNamespace(state: State, namespace: string): State {
  state.cluster?.setScope(namespace === ALL_NAMESPACES ? undefined : namespace);
  const fresh = {
    ...state,
    filter: undefined,
    // What is marked has to be in sight.
    marks: new Set<Uid>(),
    problems: { ...freshList, filter: state.problems.filter },
    podgc: { ...freshList, filter: state.podgc.filter },
    selected: undefined,
    top: 0,
    moved: false,
    awaited: undefined,
  };
  // The cursor stays on its object where that is in the new scope too.
  const node = state.selected?.node;
  const again = node === undefined ? undefined : state.cluster?.rows.find(node.identity.uid);
  const there = again === undefined || !state.moved ? selectIndex(fresh, 0) : selectItem(fresh, again);
  return withNewRevision(stayInList(there));
}

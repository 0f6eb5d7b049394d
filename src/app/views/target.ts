/** Shows what the command line named, as soon as it arrives. */
import { objectTitle, shownName } from '../../model/index.ts';
import { type State, withNewRevision, withNotice, withTree } from '../state/state.ts';
import { goTo, stay, unfoldMore } from './tree/moves.ts';

export function filterToTarget(state: State): State {
  const { awaited, cluster } = state;
  const matches = cluster && awaited?.matcher?.(cluster);
  if (cluster === undefined || awaited === undefined || matches === undefined) return state;
  const filter = { kind: 'targets', title: awaited.title ?? 'what was asked for', matches } as const;
  const next = { ...withTree(state, { filter }), awaited: undefined };
  if (cluster.setFilter(filter) > 0) return unfoldMore(next);
  // Objects of a cluster-scoped type are in no namespace.
  const before = cluster.namespace;
  cluster.setScope(undefined);
  if (cluster.setFilter(filter) > 0)
    return unfoldMore(withWidened(next, before, `nothing of "${shownName(filter.title)}" is in`));
  cluster.setScope(before);
  return state;
}

/** Explains why the screen shows more than its namespace, and how to return. */
function withWidened(state: State, before: string | undefined, why: string): State {
  if (before === undefined) return state;
  const namespace = shownName(before);
  const text = `This shows all namespaces: ${why} namespace ${namespace}. 0 shows ${namespace}.`;
  return withNotice({ ...state, namespaceBefore: before }, text, 'info');
}

/** Goes to the command line's target as soon as it arrives. */
export function settleTarget(state: State): State {
  const { awaited, cluster } = state;
  if (awaited === undefined || awaited.matcher !== undefined) return state;
  if (cluster === undefined || state.tree.moved) return state;
  const node = awaited.find(cluster);
  if (node === undefined) return state;
  const before = cluster.namespace;
  const isElsewhere = !cluster.inScope(node);
  const { namespace } = node.identity;
  if (isElsewhere) cluster.setScope(namespace === '' ? undefined : namespace);
  const widened =
    isElsewhere && namespace === ''
      ? withWidened(state, before, `${objectTitle(node.identity)} is not in`)
      : state;
  const there = goTo(widened, node);
  if (there?.tree.selected === undefined) return state;
  cluster.rows.setExpanded(there.tree.selected, true);
  return withNewRevision(stay({ ...there, awaited: undefined }));
}

/** Shows an action's object in the tree while its panel is open; closing the panel restores the screen. */
import type { Uid } from '../../model/index.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { BeforeAction } from '../state/action-dialog.ts';
import { currentStep } from '../state/forecast-step.ts';
import { layoutOf } from '../state/layout.ts';
import { type State, withNewRevision, withTree } from '../state/state.ts';
import { stayInList } from '../views/lists.ts';
import { goTo, selectIndex, stay } from '../views/tree/moves.ts';

/** Rows unfolded below the object; beyond that, the folded row shows numbers. */
const MOST_UNFOLDED = 50;

export function standing({ view, tree, focus }: State): BeforeAction {
  return { view, tree, focus, unfolded: [] };
}

/** Reveals the object and the rows below it, if in scope. */
export function revealed(state: State, uid: Uid | undefined): State {
  const { cluster, dialog } = state;
  const tree: State = { ...state, view: 'tree', focus: 'tree' };
  const node = uid && cluster?.node(uid);
  const there = node && goTo(tree, node);
  const item = there?.tree.selected;
  if (cluster === undefined || there === undefined || item === undefined || dialog?.kind !== 'action')
    return selectIndex(tree, state.tree.index);
  const count = cluster.rows.childCount(item);
  const unfolds = item.children === undefined && !item.cycle && count > 0 && count <= MOST_UNFOLDED;
  if (unfolds) cluster.rows.setExpanded(item, true);
  const before = { ...dialog.before, unfolded: unfolds ? [item] : [] };
  const shown = selectIndex({ ...there, dialog: { ...dialog, before } }, cluster.rows.indexOf(item));
  return withNewRevision(inSight(shown));
}

/** Scrolls as little as needed to show the rows below the cursor, never past its own. */
function inSight(state: State): State {
  const { selected, index, top } = state.tree;
  const height = layoutOf(state).tree?.height ?? 1;
  const last = index + (selected?.size ?? 1);
  return withTree(state, { top: Math.min(index, Math.max(top, last - height)) });
}

/** Scrolls to a choice's first painted row if none is visible; once per choice, so that the user may scroll on. */
export function paintedInSight(state: State): State {
  const { dialog } = state;
  if (dialog?.kind !== 'action' || dialog.stage.at !== 'choosing' || dialog.stage.as !== 'list') return state;
  const { choices, cursor } = dialog.stage;
  const choice = choices[cursor]?.id;
  if (choice === dialog.sighted) return state;
  return scrolledToPainted({ ...state, dialog: { ...dialog, sighted: choice } });
}

/** Scrolls to the row of the shown step's object, or of an owner that is folded over it. */
export function stepInSight(state: State): State {
  const { cluster } = state;
  const step = currentStep(state);
  const uid = step?.painting.steps().object(step.n);
  const row = uid === undefined || cluster === undefined ? undefined : rowOf(cluster, uid);
  return row?.kind === 'object' ? scrolledTo(state, each => each === row.uid, [row]) : state;
}

function scrolledToPainted(state: State): State {
  const { cluster } = state;
  const { painting } = cluster ?? {};
  if (cluster === undefined || painting === undefined) return state;
  const isPainted = (uid: Uid): boolean =>
    painting.of(uid)?.anyway === false || cluster.beside?.ghost(uid) !== undefined;
  const painted = [...painting.objects, ...painting.ghosts.map(({ node }) => node)];
  return scrolledTo(state, isPainted, painted);
}

/** Scrolls to the first of the sought objects, unless a row in sight is wanted. */
function scrolledTo(
  state: State,
  isWanted: (uid: Uid) => boolean,
  sought: readonly { readonly uid: Uid }[],
): State {
  const { cluster, tree } = state;
  const { rows } = cluster ?? {};
  if (cluster === undefined || rows === undefined) return state;
  const height = layoutOf(state).tree?.height ?? 1;
  if (rows.window(tree.top, height).some(item => item.kind === 'object' && isWanted(item.uid))) return state;
  const found = sought.slice(0, MOST_SOUGHT).map(({ uid }) => rowOf(cluster, uid));
  const indexes = found.flatMap(item => (item === undefined ? [] : rows.indexOf(item))).filter(at => at >= 0);
  if (indexes.length === 0) return state;
  const lowest = Math.max(0, rows.length - height);
  return withTree(state, { top: Math.max(0, Math.min(lowest, Math.min(...indexes) - 1)) });
}

const MOST_SOUGHT = 200;

function rowOf(cluster: ClusterModel, uid: Uid): TreeItem | undefined {
  const seen = new Set<Uid>([uid]);
  for (const each of seen) {
    const item = cluster.rows.find(each);
    if (item !== undefined) return item;
    for (const owner of cluster.node(each)?.owners ?? []) seen.add(owner.uid);
  }
  return undefined;
}

export function restored(state: State): State {
  const { dialog, cluster } = state;
  if (dialog?.kind !== 'action') return { ...state, dialog: undefined };
  const { unfolded, view, tree, focus } = dialog.before;
  const { selected, top, moved } = tree;
  cluster?.paint(undefined);
  for (const item of unfolded) cluster?.rows.setExpanded(item, false);
  const closed: State = { ...state, dialog: undefined, view, focus };
  const index = selected === undefined ? -1 : (cluster?.rows.indexOf(selected) ?? -1);
  const back =
    index < 0 ? stay(withTree(closed, { moved: true })) : selectIndex(withTree(closed, { top }), index);
  return withNewRevision(stayInList(withTree(back, { moved })));
}

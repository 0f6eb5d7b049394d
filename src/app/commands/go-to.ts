/** Goes from problem to problem, back and forward, and to all namespaces. */

import type { Finding } from '../../diagnosis/index.ts';
import { formatCount, objectTitle, shownName } from '../../model/index.ts';
import { findingWords } from '../../text/index.ts';
import { keyOfFinding } from '../cluster/problems.ts';
import {
  listState,
  type Place,
  type State,
  withListState,
  withNewRevision,
  withNotice,
} from '../state/state.ts';
import { currentUid } from '../views/current.ts';
import { selectRow, shownList, stayInList } from '../views/lists.ts';
import { isSame, leaving, placeOf } from '../views/places.ts';
import { ALL_NAMESPACES, jumpTo, showNamespace, switchNamespace } from '../views/scope.ts';
import { goTo, selectIndex } from '../views/tree/moves.ts';
import { troubleElsewhere } from '../views/view.ts';

/** Goes to the next or previous problem: its row in Problems, elsewhere its object in the tree. */
export function stepProblem(state: State, step: 1 | -1): State {
  const { cluster } = state;
  const all = cluster?.problems?.inOrder() ?? [];
  const index = nextProblem(state, all, step);
  const finding = all[index];
  if (finding === undefined) return state;
  const { uid } = finding.object;
  const gone = { ...leaving(state), problem: keyOfFinding(finding) };
  const there =
    state.view === 'problems' ? goToRow(gone, finding) : jumpTo({ ...state, problem: gone.problem }, uid);
  const told = `Problem ${index + 1} of ${formatCount(all.length)}: ${objectTitle(finding.object)} ${findingWords.reason(finding)}`;
  return there.notice === state.notice ? withNotice(there, told, 'info') : there;
}

/** Visits an object with several problems once in a round. */
function nextProblem(state: State, all: readonly Finding[], step: 1 | -1): number {
  const here = currentUid(state);
  const last = all.findIndex(each => keyOfFinding(each) === state.problem);
  const first = all.findIndex(({ object }) => object.uid === here);
  const isThere = last >= 0 && all[last]?.object.uid === here;
  const from = isThere || first < 0 ? last : first;
  for (let away = 1; away <= all.length; away++) {
    const index = at(from + step * away + (from < 0 && step < 0 ? 1 : 0), all.length);
    if (all[index]?.object.uid !== here) return index;
  }
  return all.length > 0 ? Math.max(0, from) : -1;
}

function at(index: number, length: number): number {
  return ((index % length) + length) % length;
}

function goToRow(state: State, finding: Finding): State {
  const list = shownList(state);
  if (list === undefined) return state;
  const head = list.rows.at(list.rows.indexOf(state.cluster?.problems?.headingOf(finding) ?? ''));
  if (head?.kind === 'group' && head.folded) list.rows.setFolded(head.key, false);
  const index = list.rows.indexOf(keyOfFinding(finding), list.cursor.index);
  return index < 0
    ? withNotice(state, 'The next problem is not among these rows: Esc shows all.', 'info')
    : withNewRevision(selectRow(state, index));
}

export function goBack(state: State): State {
  const { back, ahead } = state.visited;
  const here = placeOf(state);
  // A user who returned by hand goes further back.
  const rest = back.findLastIndex(place => !isSame(place, here));
  const place = back[rest];
  if (place === undefined) return withNotice(state, NOT_FURTHER_BACK, 'info');
  return show({ ...state, visited: { back: back.slice(0, rest), ahead: [...ahead, here] } }, place);
}

export function goForward(state: State): State {
  const { back, ahead } = state.visited;
  const place = ahead.at(-1);
  if (place === undefined) return withNotice(state, NOT_FURTHER_ON, 'info');
  return show({ ...state, visited: { back: [...back, placeOf(state)], ahead: ahead.slice(0, -1) } }, place);
}

export const NOT_FURTHER_BACK = 'This is where you began: there is nothing to go back to.';
export const NOT_FURTHER_ON = 'There is nothing to go forward to.';

function show(state: State, { view, namespace, row }: Place): State {
  const { cluster } = state;
  const isElsewhere = cluster?.namespace !== namespace;
  const scoped = isElsewhere ? showNamespace(state, namespace ?? ALL_NAMESPACES) : state;
  // The notice was about the previous place.
  const notice = isElsewhere ? scoped.notice : undefined;
  const shown = { ...scoped, view, notice, focus: 'tree', detailsTop: 0 } as const;
  if (view !== 'tree') {
    const list = stayInList(withListState(shown, view, { key: row ?? listState(shown, view).key }));
    return withNewRevision(list);
  }
  const node = row === undefined ? undefined : cluster?.node(row as Parameters<typeof cluster.node>[0]);
  const there = node === undefined ? undefined : goTo(shown, node);
  if (there !== undefined) return withNewRevision(there);
  const near = withNewRevision(selectIndex(shown, shown.tree.index));
  return row === undefined
    ? near
    : withNotice(near, 'The object that you were on is not in the tree any more.', 'info');
}

export function toggleAllNamespaces(state: State): State {
  const { cluster, namespaceBefore } = state;
  if (cluster === undefined) return state;
  if (cluster.namespace !== undefined) {
    const showsTrouble = state.view === 'tree' && troubleElsewhere(state) !== undefined;
    const all = switchNamespace(state, ALL_NAMESPACES);
    return showsTrouble ? stayInList({ ...all, view: 'problems' }) : all;
  }
  if (namespaceBefore === undefined)
    return withNotice(state, 'All namespaces are shown, and no other was before: n chooses one.', 'info');
  const there = switchNamespace(state, namespaceBefore);
  return withNotice(there, `Back in namespace ${shownName(namespaceBefore)}.`, 'info');
}

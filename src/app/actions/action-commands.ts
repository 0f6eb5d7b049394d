/** Runs the keys that act: finds their objects, explains refusals and opens the dialog. */

import type { GraphNode } from '../../graph/index.ts';
import { counted, formatCount, objectTitle, type Uid } from '../../model/index.ts';
import type { ActionWish } from '../state/action-dialog.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { asking, type State, withNotice } from '../state/state.ts';
import { currentNode, currentRow, objectsOfRow } from '../views/current.ts';
import { shownList } from '../views/lists.ts';
import { revealed, standing } from './stand.ts';

export type ActionId = ActionWish['what'];

/** Lists existing marked objects, else the one under the cursor. */
function subjectsOf(state: State): readonly GraphNode[] {
  const { cluster, marks } = state;
  const marked = [...marks]
    .flatMap(uid => cluster?.node(uid) ?? [])
    .filter(({ object }) => object !== undefined);
  if (marked.length > 0) return marked;
  const node = currentNode(state);
  return node?.object === undefined ? [] : [node];
}

/** Lists objects to unblock: all below a heading of findings, else those of any action. */
function toUnblock(state: State): readonly GraphNode[] {
  const list = shownList(state);
  const actsOnHeading = list?.view.actsOnHeading === true && currentRow(state)?.kind === 'group';
  if (!actsOnHeading || state.marks.size > 0) return subjectsOf(state);
  return nodesOf(state, [...new Set(objectsOfRow(state, list.cursor.index))]);
}

/** Lists what is wrong below a heading of the tree if nothing on its own object has a remedy. */
function wrongBelow(state: State): readonly GraphNode[] {
  const { cluster, marks, tree } = state;
  if (state.view !== 'tree' || marks.size > 0 || tree.selected?.kind !== 'group' || hasRemedy(state))
    return [];
  return nodesOf(state, cluster?.errorsIn(tree.selected.group) ?? []);
}

function nodesOf({ cluster }: State, uids: readonly Uid[]): readonly GraphNode[] {
  return uids.flatMap(uid => cluster?.node(uid) ?? []);
}

function whyUnchangeable({ options, info }: State): string | undefined {
  if (info?.source === 'files') return 'files cannot be changed';
  if (info?.source === 'replay') return 'a recording is the past: it cannot be changed';
  if (options.readOnly)
    return 'read-only: start without --read-only and GC_TREE_READ_ONLY to change anything';
  return undefined;
}

/** Returns the reading progress until all is read: effects on unknown objects can't be forecast. */
function whyNotYet({ graphComplete, cluster }: State): string | undefined {
  if (graphComplete || cluster === undefined) return undefined;
  const { listed, kinds } = cluster.summary();
  return `still reading the rest of the cluster: ${formatCount(listed)} of ${counted(kinds, 'kind')} so far`;
}

export function disabledReason(id: ActionId, state: State): string | undefined {
  const early = whyNotYet(state);
  if (early !== undefined || id === 'plan') return early;
  const whole = whyUnchangeable(state);
  if (whole !== undefined) return whole;
  const { access } = state;
  if (id === 'unblock' && wrongBelow(state).length > 0) return undefined;
  const [subject, ...others] = subjectsOf(state);
  if (access === undefined || access.uid !== subject?.uid) return undefined;
  if (id === 'unblock' && others.length > 0) return undefined;
  if (id === 'delete' || id === 'orphan') return access.delete;
  return id === 'unblock' ? access.unblock : undefined;
}

/** Returns why there is nothing to act on, as a sentence. */
export function idleReason(id: ActionId, state: State): string | undefined {
  if (state.cluster === undefined || !(state.graphComplete || state.cluster.scopeKnown))
    return 'Not yet: the cluster is still being read.';
  if (id === 'undo') return undefined;
  const row = currentRow(state);
  const noObject =
    row?.kind === 'group'
      ? 'This row is a heading: move to an object, or mark some with space.'
      : currentNode(state)?.virtual === true
        ? 'Nothing to change: this owner is known only from references.'
        : 'No object here can be changed.';
  if (id === 'unblock' && wrongBelow(state).length > 0) return undefined;
  if (id === 'unblock' || id === 'remedies') {
    const [first, ...others] = toUnblock(state);
    if (first === undefined) return noObject;
    if (id === 'remedies' || hasRemedy(state)) return undefined;
    const title = others.length > 0 ? 'what is marked' : objectTitle(first.identity);
    return `Nothing to unblock: no finding on ${title} has a remedy.`;
  }
  return subjectsOf(state).length > 0 ? undefined : noObject;
}

const withRemedies = new LastAnswer<boolean>();

/** Reports whether a finding on the object offers a remedy; several objects are only looked at when the user asks. */
function hasRemedy(state: State): boolean {
  const { cluster } = state;
  const [first, ...others] = toUnblock(state);
  if (others.length > 0) return true;
  const object = first?.object;
  const { problems } = cluster ?? {};
  if (cluster === undefined || object === undefined || problems === undefined) return false;
  return withRemedies.of(cluster, [object, state.revision], () =>
    problems.diagnostics.remediesOf(problems.diagnosis, object).some(({ requests }) => requests.length > 0),
  );
}

/** `remedy`: number of the remedy to choose first. */
export function openAction(state: State, id: ActionId, remedy?: number): State {
  const early = whyNotYet(state);
  if (early !== undefined) return withNotice(state, `Not yet: ${early}.`, 'warning');
  const refusal = id === 'plan' ? undefined : whyUnchangeable(state);
  if (refusal !== undefined) return withNotice(state, `Not here: ${refusal}.`, 'warning');
  const wish = wishOf(state, id, remedy);
  if (wish === undefined) return state;
  if (state.goneMarks > 0 && id !== 'undo') return openWithoutGone(state, id);
  const number = state.actions + 1;
  const stage = { at: 'working', doing: 'forecasting', stoppable: true } as const;
  const title = titleOf(state, wish);
  const shown = {
    paintings: new Map(),
    table: undefined,
    grace: undefined,
    showsTable: false,
    before: standing(state),
  } as const;
  const { what } = wish;
  const dialog = { kind: 'action', what, number, title, stage, lines: [], top: 0, ...shown } as const;
  const [subject] = 'uids' in wish ? wish.uids : [];
  const opened = revealed({ ...state, actions: number, dialog }, subject);
  return asking(opened, { type: 'openAction', number, wish });
}

/** Reports deleted marked objects first; if all are, doesn't act on the row's object instead. */
function openWithoutGone(state: State, id: ActionId): State {
  const { goneMarks, marks } = state;
  const told = { ...state, goneMarks: 0 };
  const gone = `${counted(goneMarks, 'marked object')} ${goneMarks === 1 ? 'is' : 'are'} gone`;
  if (marks.size > 0)
    return withNotice(
      openAction(told, id),
      `${gone}: this is about the ${marks.size === 1 ? 'one that is' : `${formatCount(marks.size)} that are`} left.`,
      'warning',
    );
  const node = currentNode(state);
  const about = node === undefined ? '' : ` The same key again is about ${objectTitle(node.identity)}.`;
  return withNotice(told, `${gone}, so nothing is marked any more.${about}`, 'warning');
}

function wishOf(state: State, id: ActionId, remedy?: number): ActionWish | undefined {
  if (id === 'undo') return { what: 'undo' };
  if (id === 'unblock' || id === 'remedies') {
    const below = id === 'unblock' ? wrongBelow(state) : [];
    const uids = (below.length > 0 ? below : toUnblock(state)).map(({ uid }) => uid);
    if (uids.length === 0) return undefined;
    return { what: id, uids, ...(remedy === undefined ? {} : { number: remedy }) };
  }
  const uids = subjectsOf(state).map(({ uid }) => uid);
  return uids.length === 0 ? undefined : { what: id, uids };
}

const verbs: Readonly<Record<ActionWish['what'], string>> = {
  delete: 'Delete',
  orphan: 'Delete and orphan the dependents of',
  unblock: 'Unblock',
  remedies: 'Remedies for',
  undo: 'Undo',
  plan: 'Forecast: delete',
};

function titleOf({ cluster }: State, wish: ActionWish): string {
  if (wish.what === 'undo') return 'Undo';
  const { uids } = wish;
  const [first] = uids;
  const node = first && cluster?.node(first);
  const what = uids.length > 1 ? counted(uids.length, 'object') : node ? objectTitle(node.identity) : '';
  return `${verbs[wish.what]} ${what}`;
}

export function askAccess(state: State): State {
  const { graphComplete, info, access } = state;
  // The demo's cluster allows everything.
  if (!graphComplete || info?.source !== 'cluster' || whyUnchangeable(state) !== undefined) return state;
  // The action's object differs from the cursor's.
  if (state.dialog?.kind === 'action') return state;
  const [subject] = subjectsOf(state);
  const uid = subject?.uid;
  if (uid === access?.uid) return state;
  if (uid === undefined) return { ...state, access: undefined };
  return asking({ ...state, access: { uid } }, { type: 'askAccess', uid });
}

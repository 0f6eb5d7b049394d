/** Runs the commands of the main view. */
import { showHidden } from '../../model/text/shown.ts';
import { formatCount, objectTitle } from '../../model/text/titles.ts';
import { openAction } from '../actions/commands.ts';
import { followLink, moveInDetails, scrollDetails } from '../details/links.ts';
import { runKubectl } from '../kubectl/commands.ts';
import { currentNode } from '../state/current.ts';
import { isInDetails, layoutOf } from '../state/layout.ts';
import { stayInList } from '../state/lists.ts';
import {
  ALL_NAMESPACES,
  jumpTo,
  moveBy,
  pageBy,
  selectIndex,
  selectItem,
  stay,
  unfoldMore,
} from '../state/navigate.ts';
import { leaving } from '../state/places.ts';
import {
  asking,
  type Dialog,
  type PickerItem,
  type PickerPurpose,
  type State,
  withNewRevision,
  withNotice,
} from '../state/state.ts';
import type { ListViewId } from '../state/views.ts';
import { kindItems } from './activity-kinds.ts';
import type { CommandId } from './bindings.ts';
import { copyItems } from './copy.ts';
import { goBack, goForward, stepProblem, toggleAllNamespaces } from './go.ts';
import { blindSpotLines, HELP_INDENT, helpLines } from './help.ts';
import { lineItems } from './line/items.ts';
import { allFolded, runListCommand } from './lists.ts';
import { followRange, leaveRange, markAndMove, markRange, toggleMarks, unmark } from './marks.ts';
import { siblingOrders, sortTitles } from './sort.ts';
import { nextSpeed, playOrPause, seekBy, seekChange, seekEnd } from './timeline.ts';

/** `inDetails`: moves apply to the details. */
type Run = (state: State, inDetails: boolean) => State;

const step =
  (rows: 1 | -1): Run =>
  (state, inDetails) =>
    inDetails ? moveInDetails(state, rows) : moveBy(state, rows);
const page =
  (pages: 1 | -1): Run =>
  (state, inDetails) =>
    inDetails ? scrollDetails(state, pages * 10) : pageBy(state, pages);
const runs: Readonly<Record<CommandId, Run>> = {
  down: step(1),
  up: step(-1),
  pageDown: page(1),
  pageUp: page(-1),
  first: (state, inDetails) =>
    inDetails ? { ...state, detailsTop: 0 } : moveBy(state, -state.selectedIndex),
  last: (state, inDetails) =>
    inDetails ? scrollDetails(state, 1e6) : moveBy(state, state.cluster?.rows.length ?? 0),
  detailsDown: state => scrollDetails(state, 3),
  detailsUp: state => scrollDetails(state, -3),
  unfold: state => foldCommand(state, 'unfold'),
  fold: state => foldCommand(state, 'fold'),
  unfoldAll: state => setAllExpanded(state, true),
  foldAll: state => setAllExpanded(state, false),
  open: (state, inDetails) => (inDetails ? followLink(state) : openInTree(state)),
  delete: state => openAction(state, 'delete'),
  orphan: state => openAction(state, 'orphan'),
  unblock: state => openAction(state, 'unblock'),
  remedies: state => openAction(state, 'remedies'),
  undo: state => openAction(state, 'undo'),
  plan: state => openAction(state, 'plan'),
  mark: toggleMarks,
  markRange,
  markDown: state => markAndMove(state, 1),
  markUp: state => markAndMove(state, -1),
  unmark,
  treeView: state => {
    const tree = selectIndex({ ...leaving(state), view: 'tree', focus: 'tree' }, state.selectedIndex);
    return { ...tree, detailsTop: 0 };
  },
  problemsView: state => showList(state, 'problems'),
  podgcView: state => showList(state, 'podgc'),
  play: playOrPause,
  speed: nextSpeed,
  changeBack: state => seekChange(state, -1),
  changeOn: state => seekChange(state, 1),
  minuteBack: state => seekBy(state, -1),
  minuteOn: state => seekBy(state, 1),
  recordingStart: state => seekEnd(state, 'from'),
  recordingEnd: state => seekEnd(state, 'to'),
  step: state => {
    const title = `Stepping through ${showHidden(state.info?.context ?? 'the scenario')}`;
    const begun = { kind: 'stepping', title, lines: [], top: 0, status: '', words: undefined } as const;
    const dialog = { ...begun, working: true };
    return asking({ ...state, dialog }, { type: 'step', wish: { of: 'begin' } });
  },
  collectorView: state => showList(state, 'collector'),
  activityView: state => showList(state, 'activity'),
  onlyKinds: state => openPicker(state, 'activity', 'Which entries', kindItems(state)),
  nextProblem: state => stepProblem(state, 1),
  previousProblem: state => stepProblem(state, -1),
  back: goBack,
  forward: goForward,
  allNamespaces: toggleAllNamespaces,
  managersView: state => showList(state, 'managers'),
  managers: state => withNewRevision({ ...state, showsManagers: !state.showsManagers }),
  onlyProblems: toggleOnlyProblems,
  owner: goToOwner,
  search: state => ({ ...state, dialog: emptySearch }),
  clear,
  namespace: state => openPicker(state, 'namespace', 'Namespace', namespaceItems(state)),
  context: state => asking(openPicker(state, 'context', 'Context', undefined), { type: 'listContexts' }),
  palette: state => ({
    ...state,
    dialog: { kind: 'command', query: '', items: lineItems(state, ''), cursor: 0, recalled: 0 },
  }),
  sort: nextSort,
  details: toggleDetails,
  focus: (state, inDetails) => (inDetails ? leaveDetails(state) : focusDetails(state)),
  yaml: state => showDocument(state, 'yaml'),
  managed: state => showDocument(state, 'managers'),
  copy,
  describe: state => runKubectl(state, 'describe'),
  events: state => runKubectl(state, 'events'),
  logs: state => runKubectl(state, 'logs'),
  edit: state => runKubectl(state, 'edit'),
  shell: state => runKubectl(state, 'shell'),
  export: state => asking(state, { type: 'export' }),
  blindSpots: state => openText(state, 'What cannot be seen or watched', blindSpotLines(state)),
  help: state => openText(state, 'Help', helpLines(state), HELP_INDENT),
  redraw: state => asking(state, { type: 'redraw' }),
  leaveTour: state => ({ ...state, tour: undefined }),
  suspend: state => asking(state, { type: 'suspend' }),
  quit: state => asking(state, { type: 'quit', code: 0 }),
  interrupt: state => asking(state, { type: 'quit', code: 130 }),
};

const emptySearch: Dialog = {
  kind: 'search',
  answered: '',
  jump: false,
  query: '',
  hits: [],
  total: undefined,
  done: true,
  cursor: 0,
};

export function runCommand(state: State, id: CommandId): State {
  const inDetails = isInDetails(state);
  const next = (inDetails ? undefined : runListCommand(state, id)) ?? runs[id](state, inDetails);
  return followRange(next, id);
}

/** Leaves the innermost of an open range, the details and the filter. */
function clear(state: State): State {
  if (state.range !== undefined) return leaveRange(state);
  if (isInDetails(state)) return leaveDetails(state);
  if (state.view !== 'tree') return runListCommand(state, 'clear') ?? state;
  state.cluster?.setFilter(undefined);
  return unfoldMore({ ...state, filter: undefined });
}

function setAllExpanded(state: State, expanded: boolean): State {
  const { rows } = state.cluster ?? {};
  const before = rows?.length;
  rows?.setAllExpanded(expanded);
  const next = unfoldMore({ ...state, moved: true });
  const isSame = rows?.length === before && rows?.unfolding === false;
  return isSame ? withNotice(next, allFolded(!expanded), 'info') : next;
}

function copy(state: State): State {
  const items = copyItems(state);
  if (items.length > 0 || currentNode(state)?.object === undefined)
    return openPicker(state, 'copy', 'Copy to the clipboard', items);
  return withNotice(state, 'Its name holds characters that cannot be pasted as they are.', 'warning');
}

function showList(state: State, view: ListViewId): State {
  return { ...stayInList({ ...leaving(state), view, focus: 'tree' }), detailsTop: 0 };
}

/** Folds or unfolds a row that has rows below it, else focuses the details. */
function openInTree(state: State): State {
  const { selected, cluster } = state;
  if (selected === undefined || cluster === undefined) return state;
  if (!cluster.rows.canExpand(selected)) return focusDetails(state);
  cluster.rows.setExpanded(selected, selected.children === undefined);
  return withNewRevision(stay({ ...state, moved: true }));
}

/** Focuses the details, in place of the list if there is no other room. */
function focusDetails(state: State): State {
  const focused = { ...state, focus: 'details', moved: true } as const;
  if (layoutOf(focused).details !== undefined) return focused;
  const shown = { ...focused, details: 'auto', detailsTop: 0 } as const;
  return layoutOf(shown).details === undefined ? { ...shown, details: 'full' } : shown;
}

function foldCommand(state: State, id: 'unfold' | 'fold'): State {
  const { selected, cluster } = state;
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
  return withNewRevision(stay({ ...state, moved: true }));
}

function goToOwner(state: State): State {
  const node = currentNode(state);
  const { cluster } = state;
  if (node === undefined || cluster === undefined) return state;
  const owners = cluster.owners(node);
  const [only] = owners;
  if (only === undefined) return state;
  if (owners.length === 1) return jumpTo(state, only.uid);
  const items = owners.map(owner => ({
    id: owner.uid,
    label: objectTitle(owner.identity),
    hint: owner.virtual ? 'only in references' : '',
  }));
  return openPicker(state, 'owner', `Owners of ${objectTitle(node.identity)}`, items);
}

function nextSort(state: State): State {
  const sort = siblingOrders[(siblingOrders.indexOf(state.sort) + 1) % siblingOrders.length] ?? 'trouble';
  state.cluster?.setSort(sort);
  return unfoldMore(withNotice({ ...state, sort }, `Sorted: ${sortTitles[sort]}`, 'info'));
}

/** Shows details beside the tree, or in its place without room, or hides them. */
function toggleDetails(state: State): State {
  const isShown = layoutOf(state).details !== undefined;
  const hasRoom = layoutOf({ ...state, details: 'auto' }).details !== undefined;
  const shown = hasRoom ? 'auto' : 'full';
  const next = !isShown ? shown : hasRoom && state.details === 'auto' ? 'hidden' : 'auto';
  const changed = { ...state, details: next, focus: 'tree', detailsTop: 0 } as const;
  return stayInList(selectIndex(changed, state.selectedIndex));
}

function leaveDetails(state: State): State {
  const details = state.details === 'full' ? 'auto' : state.details;
  return { ...state, focus: 'tree', details };
}

function toggleOnlyProblems(state: State): State {
  const { cluster } = state;
  if (cluster === undefined) return state;
  const only = state.filter?.kind !== 'problems';
  const filter = only ? ({ kind: 'problems' } as const) : undefined;
  if (cluster.setFilter(filter) === 0 && only)
    return withNotice(
      state,
      'The problems in this scope are on objects that are not in its tree. 2 lists them.',
      'warning',
    );
  return unfoldMore({ ...state, filter, moved: state.moved && !only });
}

function showDocument(state: State, content: 'yaml' | 'managers'): State {
  const node = currentNode(state);
  if (node?.object === undefined) return state;
  const title = `${content === 'yaml' ? '' : 'Who set what on '}${objectTitle(node.identity)}`;
  const begun = { kind: 'text', title, lines: [], top: 0, loading: true } as const;
  const dialog = content === 'yaml' ? { ...begun, yaml: true as const } : begun;
  return asking({ ...state, dialog }, { type: 'showDocument', content, node, title });
}

type TextDialog = Extract<Dialog, { kind: 'text' }>;

function openText(state: State, title: string, lines: TextDialog['lines'], hanging?: number): State {
  const dialog: TextDialog = { kind: 'text', title, lines, top: 0, loading: false };
  return { ...state, dialog: hanging === undefined ? dialog : { ...dialog, hanging } };
}

function openPicker(
  state: State,
  purpose: PickerPurpose,
  title: string,
  items: readonly PickerItem[] | undefined,
): State {
  const current = purpose === 'namespace' ? (state.cluster?.namespace ?? ALL_NAMESPACES) : undefined;
  const cursor = Math.max(0, items?.findIndex(item => item.id === current) ?? 0);
  return { ...state, dialog: { kind: 'picker', purpose, title, query: '', items, cursor } };
}

function namespaceItems(state: State): PickerItem[] {
  const namespaces = state.cluster?.namespaces() ?? [];
  const all = namespaces.reduce((sum, { objects }) => sum + objects, 0);
  return [
    { id: ALL_NAMESPACES, label: '(all namespaces)', hint: `${formatCount(all)} objects` },
    ...namespaces.map(({ name, objects }) => ({ id: name, label: name, hint: formatCount(objects) })),
  ];
}

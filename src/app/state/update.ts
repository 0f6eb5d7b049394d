/** Handles messages: returns the state and effects to run. Not pure: `ClusterModel` and its rows change in place. */

import { shownName } from '../../model/text/shown.ts';
import { objectTitle } from '../../model/text/titles.ts';
import { askAccess } from '../actions/commands.ts';
import { currentPainting, isUnderWay, onActionNews, scrollAction } from '../actions/dialog.ts';
import { paintedInSight } from '../actions/stand.ts';
import { type CommandId, commandOfKey, commands, strangeKey } from '../commands/bindings.ts';
import { onCopied } from '../commands/copy.ts';
import { keyId, keyOf } from '../commands/keys.ts';
import { withNewItems } from '../commands/line/keys.ts';
import { clickRow } from '../commands/lists.ts';
import { unmark, withoutGone } from '../commands/marks.ts';
import { runCommand } from '../commands/run.ts';
import { seekTo } from '../commands/timeline.ts';
import { clickDetails, scrollDetails } from '../details/links.ts';
import { onContainers } from '../kubectl/commands.ts';
import { ownCommandOfKey, runOwn } from '../kubectl/own.ts';
import { footerKeyAt } from '../lines/frame.ts';
import { momentAt } from '../lines/timeline.ts';
import { crumbAt, tabCommandAt } from '../lines/title.ts';
import type { CrumbTarget } from '../lines/tree/breadcrumb.ts';
import { readingOf, shownLines } from '../reading/reading.ts';
import { followTour } from '../tour/tour.ts';
import { clickDialog, jumpToHit, keyInDialog, pasteInDialog, scrollDialog } from './dialog.ts';
import { layoutOf, listHeight } from './layout.ts';
import { keepInSight, scrollList, stayInList } from './lists.ts';
import type { Message } from './messages.ts';
import {
  goTo,
  jumpTo,
  openOnTrouble,
  scrollBy,
  scrollTree,
  selectIndex,
  selectItem,
  stay,
  switchNamespace,
  unfoldMore,
} from './navigate.ts';
import { asking, asOf, type Effect, freshCluster, type State, withNewRevision, withNotice } from './state.ts';

export function update(state: State, message: Message): readonly [State, readonly Effect[]] {
  // Clusters change in place.
  const { cluster } = state;
  const before = cluster?.namespace;
  const responded = respond(state, message);
  const isElsewhere = responded.cluster === cluster && cluster?.namespace !== before;
  const answered = askAccess(inSight(isElsewhere ? followNamespace(responded) : responded));
  const painted = followPainting(answered);
  const unfolding = painted.cluster?.rows.unfolding === true;
  const told = asking(
    unfolding ? asking(painted, { type: 'unfoldMore' }) : painted,
    ...(painted.view === 'managers' && painted.cluster?.managers?.sorted === false
      ? [{ type: 'sortManagers' as const }]
      : []),
    ...followingCollector(painted),
  );
  const tour = followTour(told);
  const next = tour === told.tour ? told : { ...told, tour };
  return [next.effects.length === 0 ? next : { ...next, effects: [] }, next.effects];
}

function inSight(state: State): State {
  // The tree that an action is painted on scrolls without a cursor.
  if (state.cluster === undefined || state.dialog?.kind === 'action') return state;
  if (state.view !== 'tree') return keepInSight(state);
  const { selectedIndex, top } = state;
  const isShown = selectedIndex >= top && selectedIndex < top + listHeight(state);
  return isShown ? state : selectIndex(state, selectedIndex);
}

function followPainting(state: State): State {
  const { cluster } = state;
  const painting = currentPainting(state);
  if (cluster === undefined) return state;
  const isSame = cluster.painting === painting;
  cluster.paint(painting);
  if (isUnderWay(state)) cluster.beside?.begin();
  if (isSame) return state;
  const stayed = withNewRevision(stay(state));
  return painting === undefined ? stayed : paintedInSight(stayed);
}

/** Follows the collector's state only while its view is shown, because large clusters make it costly. */
function followingCollector({ view, cluster }: State): readonly Effect[] {
  const { collector } = cluster ?? {};
  if (collector === undefined) return [];
  const isUpToDate = collector.following && !collector.behind;
  if (view === 'collector') return isUpToDate ? [] : [{ type: 'followCollector' }];
  if (collector.following) collector.end();
  return [];
}

/** Moves a newly shown namespace to the front while not everything is known. */
function followNamespace(state: State): State {
  const { cluster } = state;
  if (cluster === undefined || cluster.allKnown) return state;
  const { namespace } = cluster;
  cluster.followScope(asOf(state));
  const preferred: Effect[] = namespace === undefined ? [] : [{ type: 'prefer', namespace }];
  return asking(state, ...preferred, ...judging(state));
}

function respond(state: State, message: Message): State {
  switch (message.type) {
    case 'key':
      return onKey(state, keyId(message.key), message);
    case 'paste':
      return state.dialog === undefined ? state : pasteInDialog(state, message.text);
    case 'wheel':
      return onWheel(state, message);
    case 'click':
      return onClick(state, message);
    case 'drag':
      return onTimeline(state, message) ?? state;
    case 'resized': {
      const resized = { ...state, columns: message.columns, rows: message.rows };
      return stayInList(selectIndex(resized, state.selectedIndex));
    }
    case 'tick':
      return onTick(state, message.now);
    case 'opened':
      return onOpened(state, message);
    case 'waiting':
      return { ...state, waitingFor: message.who };
    case 'openFailed':
      return onOpenFailed(state, message.message);
    case 'batch':
      return onBatch(state, message);
    case 'graphComplete':
      return onGraphComplete(state, message);
    case 'diagnosticsLoaded': {
      state.cluster?.judgeAhead(message.diagnostics, asOf(state));
      return asking(withNewRevision(state), ...judging(state));
    }
    case 'factsComplete':
      return onFactsComplete(state, message);
    case 'removals':
      state.cluster?.podGc?.learnRemovals(message.removals, asOf(state));
      return stayInList(withNewRevision(state));
    case 'manager':
      state.cluster?.podGc?.learnManager(message.lease, asOf(state));
      return stayInList(withNewRevision(state));
    case 'prepared':
      return onPrepared(state);
    case 'judged':
      return onFindings(state);
    case 'sorted':
      return stayInList(withNewRevision(state));
    case 'found':
      return onFound(state, message);
    case 'unfoldMore':
      return unfoldMore(state);
    case 'action':
      // The marks were made for this action.
      return onActionNews(
        message.news.stage?.at === 'following' ? unmark(state) : state,
        message.number,
        message.news,
      );
    case 'access':
      return state.access?.uid === message.access.uid ? { ...state, access: message.access } : state;
    case 'statements':
      return { ...state, statements: message.statements };
    case 'sought':
      return onSought(state, message);
    case 'stepped':
      return onStepped(state, message);
    case 'collected':
      return stayInList(withNewRevision(state));
    case 'played':
      return { ...state, replay: { ...state.replay, playing: false } };
    case 'marks':
      return { ...state, replay: { ...state.replay, marks: message.marks } };
    case 'contexts':
      return onContexts(state, message.names);
    case 'containers':
      return onContainers(state, message);
    case 'copied':
      return onCopied(state, message);
    case 'document':
      return onDocument(state, message);
    case 'notice':
      return withNotice(state, message.text, message.style);
  }
}

function expire(state: State): State {
  return state.notice && state.notice.until <= state.now ? { ...state, notice: undefined } : state;
}

/** Keys that mean the same everywhere, prompts included. */
const everywhere: ReadonlySet<string> = new Set(['ctrl-c', 'ctrl-z', 'ctrl-l', 'ctrl-t']);

function onKey(state: State, id: string, message: Message & { type: 'key' }): State {
  if (state.dialog !== undefined && !everywhere.has(id)) return keyInDialog(state, message.key);
  if (id === 'escape' && state.tour?.step === 'end') return { ...state, tour: undefined };
  const own = ownCommandOfKey(id, state);
  if (own !== undefined) return runOwn(state, own);
  const command = commandOfKey(id, state.view);
  if (command === undefined) return withNotice(state, strangeKey(id, state), 'info');
  const idle = command.idle?.(state, layoutOf(state));
  return idle === undefined ? runCommand(state, command.id) : withNotice(state, idle, 'info');
}

function onWheel(state: State, { lines, column, row }: Message & { type: 'wheel' }): State {
  const { dialog } = state;
  if (dialog !== undefined && dialog.kind !== 'action') return scrollDialog(state, lines);
  const { details, tree } = layoutOf(state);
  const overDetails =
    details !== undefined &&
    (tree === undefined ||
      (row >= details.top && column >= details.left - 2 && row < details.top + details.height));
  if (dialog?.kind === 'action')
    return overDetails ? scrollAction(state, dialog, lines) : scrollTree(state, lines);
  if (overDetails) return scrollDetails(state, lines);
  return state.view === 'tree' ? scrollBy(state, lines) : scrollList(state, lines);
}

function onClick(state: State, { column, row }: Message & { type: 'click' }): State {
  const key = row === state.rows - 1 ? footerKeyAt(state, layoutOf(state), column) : undefined;
  if (key !== undefined) return press(state, key);
  if (state.dialog !== undefined) return clickDialog(state, { column, row });
  const sought = onTimeline(state, { column, row });
  if (sought !== undefined) return sought;
  const crumb = row === 0 ? crumbAt(state, column) : undefined;
  if (crumb !== undefined) return clickCrumb(state, crumb);
  const named = row === 1 ? tabCommandAt(state, column) : undefined;
  if (named !== undefined) return runCommand(state, named);
  const followed = clickDetails(state, { column, row });
  if (followed !== undefined) return followed;
  const { tree } = layoutOf(state);
  const rows = state.cluster?.rows;
  if (tree === undefined || rows === undefined) return state;
  const inside =
    row >= tree.top && row < tree.top + tree.height && column >= tree.left && column < tree.left + tree.width;
  if (state.view !== 'tree') return inside ? clickRow(state, row - tree.top) : state;
  const item = inside ? rows.at(state.top + row - tree.top) : undefined;
  if (item === undefined) return state;
  // The fold mark follows the cursor column and two columns per level.
  const mark = 1 + item.depth * 2;
  const onMark = column >= mark && column < mark + 2;
  if (rows.canExpand(item) && (onMark || item === state.selected)) {
    rows.setExpanded(item, item.children === undefined);
    return withNewRevision(stay(selectItem(state, item)));
  }
  return selectItem({ ...state, focus: 'tree' }, item);
}

function press(state: State, id: string): State {
  return onKey(state, id, { type: 'key', key: keyOf(id) });
}

function runOrSay(state: State, id: CommandId): State {
  const idle = commands.find(command => command.id === id)?.idle?.(state, layoutOf(state));
  return idle === undefined ? runCommand(state, id) : withNotice(state, idle, 'info');
}

function clickCrumb(state: State, target: CrumbTarget): State {
  switch (target.of) {
    case 'context':
      return runOrSay(state, 'context');
    case 'scope':
      return runOrSay(state, 'namespace');
    case 'namespace':
      return switchNamespace(state, target.namespace);
    case 'object':
      return jumpTo(state, target.uid);
    case 'more':
      return state;
  }
}

function onTimeline(state: State, { column, row }: { column: number; row: number }): State | undefined {
  const { timeline } = layoutOf(state);
  const moment = timeline === row ? momentAt(state, column) : undefined;
  return moment === undefined ? undefined : seekTo(state, moment);
}

function onStepped(state: State, { lines, status }: Message & { type: 'stepped' }): State {
  const { dialog } = state;
  if (dialog?.kind !== 'stepping') return state;
  return { ...state, dialog: { ...dialog, lines, status, top: 0, working: false } };
}

/** Shows another moment. In a new cluster model the cursor goes to the same object. */
function onSought(state: State, { moment, cluster }: Message & { type: 'sought' }): State {
  const info = state.info && { ...state.info, takenAt: moment };
  if (cluster === state.cluster) {
    const next = onFindings(stay({ ...state, info }));
    return asking(withNewRevision(next), ...judging(next));
  }
  const isFiltered = state.filter !== undefined && cluster.setFilter(state.filter) > 0;
  const filter = isFiltered ? state.filter : undefined;
  const { selected, selectedIndex, top, moved } = state;
  // The newest entry is the last one before this moment.
  const activity = { ...state.activity, key: undefined, following: true };
  const anew = { ...state, info, cluster, filter, activity, selected: undefined };
  const again = selected && cluster.rows.again(selected);
  const index = again === undefined ? -1 : cluster.rows.indexOf(again);
  const line = selectedIndex - top;
  const there =
    index < 0 || !moved
      ? selectIndex(anew, selectedIndex)
      : selectIndex({ ...anew, top: Math.max(0, index - line) }, index);
  const next = stayInList({ ...there, moved });
  return asking(unfoldMore(next), ...judging(next));
}

function onOpened(state: State, { info, cluster }: Message & { type: 'opened' }): State {
  return withNewRevision({
    ...state,
    ...freshCluster,
    info,
    cluster,
    // A target belongs to the cluster that the program was started with.
    awaited: state.cluster === undefined ? state.awaited : undefined,
  });
}

function onOpenFailed(state: State, message: string): State {
  // Without another cluster there is nothing to show.
  if (state.opening === undefined) return asking(state, { type: 'quit', code: 2, error: message });
  const dialog = {
    kind: 'text',
    title: `Could not open ${state.opening}`,
    lines: [[{ text: message, style: 'danger' as const }]],
    top: 0,
    loading: false,
  } as const;
  return { ...state, opening: undefined, waitingFor: undefined, dialog };
}

function onBatch(state: State, { batch, now }: Message & { type: 'batch' }): State {
  const { cluster } = state;
  if (cluster === undefined) return state;
  if (!cluster.apply(batch, asOf({ ...state, now }))) return state;
  const next = onFindings(expire(withoutGone({ ...state, now })));
  return asking(settleTarget(withNewRevision(stay(next))), ...judging(next));
}

function onTick(state: State, now: number): State {
  const next = expire({ ...state, now });
  // Objects read from files don't age.
  const moment = asOf(next);
  const isNews = next.cluster?.advance(moment) === true;
  const asked = askingManager(next);
  if (isNews) return asking(onFindings(next), ...asked);
  return asking(next.view === 'podgc' ? stayInList(next) : next, ...asked);
}

/** Requests judging in slices if a change put all findings in doubt. */
function judging({ cluster }: State): Effect[] {
  return cluster?.problems?.diagnosis.judged === false ? [{ type: 'judge' }] : [];
}

/** Keeps the Problems cursor after findings changed, and updates a tree narrowed to problems. */
function onFindings(state: State): State {
  state.cluster?.followProblems();
  const next = stayInList(withNewRevision(openOnTrouble(stay(state))));
  return state.filter?.kind === 'problems' && state.cluster?.rows.unfolding === true
    ? unfoldMore(next)
    : next;
}

function onFactsComplete(state: State, message: Message & { type: 'factsComplete' }): State {
  const { info, diagnostics } = message;
  const { cluster } = state;
  const next = { ...state, info };
  cluster?.learnVersion(info.serverVersion);
  cluster?.startDiagnosis(diagnostics, asOf(next));
  // A recording's activity starts here, before its current moment.
  if (hasMoments(next)) while (cluster?.prepareMore(asOf(next)) === true);
  const known = stayInList(withNewRevision({ ...next, replay: { ...next.replay, known: hasMoments(next) } }));
  return asking(known, { type: 'prepare' }, ...judging(next), ...askingMoments(next));
}

function onPrepared(state: State): State {
  // Nodes were deleted unseen, so their times are worth a request.
  const isUnseen = (state.cluster?.podGc?.survey.unseenRemovals.length ?? 0) > 0;
  const asked: Effect[] = isUnseen ? [{ type: 'askPodGcSigns', sign: 'removals' }] : [];
  return asking(stayInList(withNewRevision(state)), ...asked, ...askingManager(state));
}

function hasMoments({ info }: State): boolean {
  return info?.recording !== undefined;
}

/** Seeks the current moment again, because the history before it wasn't read. */
function askingMoments(state: State): Effect[] {
  const moment = state.info?.takenAt;
  if (!hasMoments(state) || moment === undefined) return [];
  return [{ type: 'seek', moment }, { type: 'markDeletions' }];
}

/** Asks again and again as long as pods wait for the manager. */
function askingManager(state: State): Effect[] {
  const isTime = state.cluster?.podGc?.asksManager(asOf(state)) === true;
  return isTime ? [{ type: 'askPodGcSigns', sign: 'manager' }] : [];
}

function onGraphComplete(state: State, { info }: Message & { type: 'graphComplete' }): State {
  state.cluster?.settle();
  const next = filterToTarget(settleTarget(withNewRevision({ ...state, info, graphComplete: true })));
  if (next.awaited !== undefined && next.cluster !== undefined) {
    return asking(next, { type: 'quit', code: 2, error: next.awaited.missing(next.cluster) });
  }
  return next;
}

function filterToTarget(state: State): State {
  const { awaited, cluster } = state;
  const matches = cluster && awaited?.matcher?.(cluster);
  if (cluster === undefined || awaited === undefined || matches === undefined) return state;
  const filter = { kind: 'targets', title: awaited.title ?? 'what was asked for', matches } as const;
  const next = { ...state, filter, awaited: undefined };
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
function settleTarget(state: State): State {
  const { awaited, cluster } = state;
  if (awaited === undefined || awaited.matcher !== undefined) return state;
  if (cluster === undefined || state.moved) return state;
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
  if (there?.selected === undefined) return state;
  cluster.rows.setExpanded(there.selected, true);
  return withNewRevision(stay({ ...there, awaited: undefined }));
}

function onFound(state: State, { query, hits, total, done }: Message & { type: 'found' }): State {
  const { dialog } = state;
  if (dialog?.kind !== 'search' || dialog.query !== query) return state;
  const [first] = hits;
  if (dialog.jump && first !== undefined) return jumpToHit(state, first);
  // Later results may be better: a moved cursor stays on its object.
  const chosen = dialog.cursor === 0 ? undefined : dialog.hits[dialog.cursor]?.node;
  const again = chosen === undefined ? -1 : hits.findIndex(hit => hit.node === chosen);
  const cursor = again >= 0 ? again : Math.min(dialog.cursor, Math.max(0, hits.length - 1));
  return {
    ...state,
    dialog: { ...dialog, hits, answered: query, jump: dialog.jump && !done, total, done, cursor },
  };
}

function onContexts(state: State, names: readonly string[]): State {
  const { dialog } = state;
  if (dialog?.kind !== 'picker' || dialog.purpose !== 'context')
    return withNewItems({ ...state, contexts: names });
  const current = state.info?.context;
  const items = names.map(name => ({ id: name, label: name, hint: name === current ? 'current' : '' }));
  return { ...state, dialog: { ...dialog, items, cursor: Math.max(0, names.indexOf(current ?? '')) } };
}

/** Long parts that users rarely read. */
const FOLDED_FIRST = ['metadata.managedFields', 'status'];

function onDocument(state: State, { title, lines }: Message & { type: 'document' }): State {
  const { dialog } = state;
  // The user may have closed the dialog, or opened another, during the fetch.
  if (dialog?.kind !== 'text' || dialog.title !== title) return state;
  if (dialog.yaml !== true) return { ...state, dialog: { ...dialog, lines, loading: false } };
  const reading = readingOf(lines, FOLDED_FIRST);
  return { ...state, dialog: { ...dialog, reading, lines: shownLines(reading), loading: false } };
}

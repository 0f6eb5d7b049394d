/** Handles messages: returns the state and effects to run. Not pure: `ClusterModel` and its rows change in place. */

import { shownName } from '../../model/index.ts';
import { askAccess } from '../actions/action-commands.ts';
import { paintedInSight } from '../actions/stand.ts';
import { type CommandId, commandOfKey, commands, strangeKey } from '../commands/bindings.ts';
import { onCopied } from '../commands/copy.ts';
import { clickDetails, scrollDetails } from '../commands/details-links.ts';
import { withNewItems } from '../commands/line/line-keys.ts';
import { unmark, withoutGone } from '../commands/marks.ts';
import { runCommand } from '../commands/run-command.ts';
import { seekTo } from '../commands/timeline-commands.ts';
import { sortTree } from '../commands/tree-rows.ts';
import { isUnderWay, onActionNews, scrollAction } from '../dialogs/action-panel.ts';
import { clickDialog, jumpToHit, keyInDialog, pasteInDialog, scrollDialog } from '../dialogs/dialog-input.ts';
import { goToStep, keyInSteps } from '../dialogs/step-keys.ts';
import { withDocument } from '../dialogs/text-keys.ts';
import { onContainers } from '../kubectl/kubectl-commands.ts';
import { ownCommandOfKey, runOwn } from '../kubectl/own.ts';
import type { CrumbTarget } from '../screen/breadcrumb.ts';
import { footerKeyAt } from '../screen/frame.ts';
import { momentAt, stepAt } from '../screen/timeline-line.ts';
import { crumbAt, tabCommandAt } from '../screen/title.ts';
import { readingOf, shownLines } from '../search/long-text.ts';
import { currentPainting, currentStep } from '../state/forecast-step.ts';
import { keyId, keyOf } from '../state/keys.ts';
import { behindOf, layoutOf } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import {
  AGES_MS,
  asking,
  asOf,
  type Effect,
  type State,
  withFreshCluster,
  withListState,
  withNewRevision,
  withNotice,
} from '../state/state.ts';
import { followTour } from '../tour/progress.ts';
import { followNewest, keepCursors, movesOf, resettle, stayInList } from '../views/lists.ts';
import { viewOf, views } from '../views/registry.ts';
import { ALL_NAMESPACES, jumpTo, switchNamespace } from '../views/scope.ts';
import { filterToTarget, settleTarget } from '../views/target.ts';
import { orderAt } from '../views/tree/tree-view.ts';
import { troubleElsewhere, unseenNamespace } from '../views/view.ts';

export function update(state: State, message: Message): readonly [State, readonly Effect[]] {
  // Clusters change in place.
  const { cluster } = state;
  const before = cluster?.namespace;
  const responded = respond(state, message);
  const isElsewhere = responded.cluster === cluster && cluster?.namespace !== before;
  const answered = askAccess(inSight(isElsewhere ? followNamespace(responded) : responded));
  const painted = followPainting(answered);
  const told = asking(
    painted,
    ...views.flatMap(({ id, effects }) => effects?.(painted, id === painted.view) ?? []),
  );
  const tour = followTour(told, inputs.has(message.type) || message.type === 'found');
  const toured = tour === told.tour ? told : { ...told, tour };
  const next = toured === state ? state : withAges(toured, message);
  return [next.effects.length === 0 ? next : { ...next, effects: [] }, next.effects];
}

function withAges(state: State, { type }: Message): State {
  const { now, agesAt } = state;
  const isRecent = type === 'tick' && now >= agesAt && now - agesAt < AGES_MS;
  return isRecent || now === agesAt ? state : { ...state, agesAt: now };
}

function inSight(state: State): State {
  // The tree that an action is painted on scrolls without a cursor.
  if (state.cluster === undefined || state.dialog?.kind === 'action') return state;
  return movesOf(state).keepInSight(state);
}

function followPainting(state: State): State {
  const { cluster } = state;
  const painting = currentPainting(state);
  if (cluster === undefined) return state;
  const isSame = cluster.painting === painting;
  cluster.paint(painting);
  if (isUnderWay(state)) cluster.beside?.begin();
  if (isSame) return state;
  const stayed = withNewRevision(keepCursors(state, 'stay'));
  return painting === undefined ? stayed : paintedInSight(stayed);
}

/** Moves a newly shown namespace to the front while not everything is known. */
function followNamespace(state: State): State {
  const { cluster } = state;
  if (cluster === undefined) return state;
  const { namespace } = cluster;
  // Kinds that the user may list only by namespace are read when it is shown.
  if (cluster.allKnown && (namespace === undefined || cluster.reads(namespace))) return state;
  cluster.followScope(asOf(state));
  const preferred: Effect[] = namespace === undefined ? [] : [{ type: 'prefer', namespace }];
  return asking(state, ...preferred, ...judging(state));
}

type Handler<Type extends Message['type']> = (
  state: State,
  message: Extract<Message, { type: Type }>,
) => State;

const handlers: { readonly [Type in Message['type']]: Handler<Type> } = {
  key: (state, message) => onKey(state, keyId(message.key), message),
  paste: (state, { text }) => (state.dialog === undefined ? state : pasteInDialog(state, text)),
  wheel: onWheel,
  click: onClick,
  drag: (state, message) => onTimeline(state, message) ?? state,
  resized: (state, { columns, rows }) => resettle({ ...state, columns, rows }),
  tick: (state, { now }) => onTick(state, now),
  opened: onOpened,
  waiting: (state, { who }) => ({ ...state, waitingFor: who }),
  openFailed: (state, { message }) => onOpenFailed(state, message),
  batch: onBatch,
  graphComplete: onGraphComplete,
  diagnosticsLoaded: (state, { diagnostics }) => {
    state.cluster?.judgeAhead(diagnostics, asOf(state));
    return asking(withNewRevision(state), ...judging(state));
  },
  factsComplete: onFactsComplete,
  removals: (state, { removals }) => {
    state.cluster?.podGc?.learnRemovals(removals, asOf(state));
    return withNewRows(state);
  },
  manager: (state, { lease }) => {
    state.cluster?.podGc?.learnManager(lease, asOf(state));
    return withNewRows(state);
  },
  prepared: onPrepared,
  judged: onFindings,
  sorted: withNewRows,
  found: onFound,
  unfoldMore: state => {
    state.cluster?.rows.unfoldMore();
    return withNewRevision(keepCursors(state, 'stay'));
  },
  // The marks were made for this action.
  action: (state, { number, news }) =>
    onActionNews(news.stage?.at === 'following' ? unmark(state) : state, number, news),
  stepsMade: (state, { key }) => {
    const { dialog } = state;
    const isLate = dialog?.kind !== 'action' || currentPainting(state)?.stepsInSlices() !== undefined;
    return isLate ? state : (keyInSteps({ ...state, notice: undefined }, dialog, key) ?? state);
  },
  access: (state, { access }) => (state.access?.uid === access.uid ? { ...state, access } : state),
  statements: (state, { statements }) => ({ ...state, statements }),
  printed: (state, { printed }) => ({ ...state, printed }),
  rowStates: (state, { states }) => {
    const known = [...state.rowStates].filter(([uid]) => state.cluster?.node(uid) !== undefined);
    return { ...state, rowStates: new Map([...known, ...states]) };
  },
  uses: (state, { uses }) => ({ ...state, uses }),
  sought: onSought,
  stepped: onStepped,
  collected: withNewRows,
  played: state => ({ ...state, replay: { ...state.replay, playing: false } }),
  marks: (state, { marks }) => ({ ...state, replay: { ...state.replay, marks } }),
  contexts: (state, { names }) => onContexts(state, names),
  containers: onContainers,
  copied: onCopied,
  document: onDocument,
  notice: (state, { text, style }) => withNotice(state, text, style),
};

function respond(state: State, message: Message): State {
  const pressed = inputs.has(message.type) ? { ...state, arriving: undefined } : state;
  return (handlers[message.type] as Handler<Message['type']>)(pressed, message as never);
}

const inputs: ReadonlySet<Message['type']> = new Set(['key', 'paste', 'wheel', 'click', 'drag']);

function withNewRows(state: State): State {
  return stayInList(withNewRevision(state));
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
  return idle === undefined ? runCommand(state, command.id as CommandId) : withNotice(state, idle, 'info');
}

function onWheel(state: State, { lines, column, row }: Message & { type: 'wheel' }): State {
  const { dialog } = state;
  if (dialog !== undefined && dialog.kind !== 'action') return scrollDialog(state, lines);
  const { details, tree } = layoutOf(state);
  const overDetails =
    details !== undefined &&
    (tree === undefined ||
      (row >= details.top && column >= details.left - 2 && row < details.top + details.height));
  if (!overDetails) return movesOf(state).scroll(state, lines);
  return dialog?.kind === 'action' ? scrollAction(state, dialog, lines) : scrollDetails(state, lines);
}

function onClick(state: State, { column, row }: Message & { type: 'click' }): State {
  const key = row === state.rows - 1 ? footerKeyAt(state, layoutOf(state), column) : undefined;
  if (key !== undefined) return press(state, key);
  const sought = onTimeline(state, { column, row });
  if (sought !== undefined) return sought;
  if (state.dialog !== undefined) return clickDialog(state, { column, row });
  const crumb = row === 0 ? crumbAt(state, column) : undefined;
  if (crumb !== undefined) return clickCrumb(state, crumb);
  const named = row === 1 ? tabCommandAt(state, column) : undefined;
  if (named !== undefined) return runCommand(state, named);
  const followed = clickDetails(state, { column, row });
  if (followed !== undefined) return followed;
  const { tree } = layoutOf(state);
  const order =
    state.view === 'tree' && tree !== undefined && row === tree.top - 1
      ? orderAt(state, column, tree.width)
      : undefined;
  if (order !== undefined) return sortTree(state, order);
  const inside =
    tree !== undefined &&
    row >= tree.top &&
    row < tree.top + tree.height &&
    column >= tree.left &&
    column < tree.left + tree.width;
  return inside ? movesOf(state).click(state, row - tree.top, column) : state;
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
  if (layoutOf(state).timeline !== row) return undefined;
  const { dialog } = state;
  const step = currentStep(state);
  if (dialog?.kind === 'action' && step !== undefined)
    return goToStep(state, dialog, stepAt(state, step, column));
  const moment = dialog === undefined ? momentAt(state, column) : undefined;
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
    const next = onFindings({ ...state, info });
    return asking(next, ...judging(next));
  }
  // The newest entry is the last one before this moment.
  const next = keepCursors({ ...followNewest(state), info, cluster }, 'followMoment');
  return asking(next, ...judging(next));
}

function onOpened(state: State, { info, cluster }: Message & { type: 'opened' }): State {
  return withNewRevision({
    ...withFreshCluster(state),
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
  return asking(settleTarget(next), ...judging(next));
}

function onTick(state: State, now: number): State {
  const next = expire({ ...state, now });
  // Objects read from files don't age.
  const moment = asOf(next);
  const isNews = next.cluster?.advance(moment) === true;
  const asked = askingManager(next);
  if (isNews) return asking(onFindings(next), ...asked);
  return asking(viewOf(next).list?.ages === true ? stayInList(next) : next, ...asked);
}

/** Requests judging in slices if a change put all findings in doubt. */
function judging({ cluster }: State): Effect[] {
  return cluster?.problems?.diagnosis.judged === false ? [{ type: 'judge' }] : [];
}

function onFindings(state: State): State {
  state.cluster?.followProblems();
  return arrive(withNewRevision(keepCursors(openOnProblems(state), 'followFindings')));
}

/** Shows the problems of a live cluster, from the first row, if there are errors and nothing was pressed yet. */
function openOnProblems(state: State): State {
  const { arriving, cluster, info } = state;
  if (arriving?.view !== true || info?.source !== 'cluster') return state;
  if (cluster?.problems?.complete !== true || cluster.problems.counts().errors === 0) return state;
  return withListState({ ...state, view: 'problems' }, 'problems', { key: undefined });
}

/** Stops choosing once everything is judged, and names the key to trouble that is only elsewhere. */
function arrive(state: State): State {
  const { arriving, cluster, graphComplete, info } = state;
  if (arriving === undefined || !graphComplete || cluster?.problems?.isAllJudged !== true) return state;
  const arrived = { ...state, arriving: undefined };
  if (arriving.view && isQuiet(state)) return stayInList({ ...arrived, view: 'pulse' });
  const isToSay = arriving.view && info?.source === 'cluster' && unseenNamespace(cluster) === undefined;
  const elsewhere = isToSay ? troubleElsewhere(state) : undefined;
  if (elsewhere !== undefined && opensElsewhere(state)) {
    const { namespace = '' } = cluster;
    const all = stayInList({ ...switchNamespace(arrived, ALL_NAMESPACES), view: 'problems' });
    const text = `No problems found in namespace ${shownName(namespace)}, but ${elsewhere}: 0 goes back.`;
    return withNotice(all, text, 'warning');
  }
  const what = cluster.problems.counts().problems > 0 ? 'errors' : 'problems';
  const text = `No ${what} found here. 0 shows ${elsewhere}.`;
  return elsewhere === undefined ? arrived : withNotice(arrived, text, 'warning');
}

/** Reports whether nothing is wrong in the namespace of the context, and the user named none. */
function opensElsewhere({ cluster, options }: State): boolean {
  return options.namespace === undefined && cluster?.problems?.counts().problems === 0;
}

/** Reports whether a live cluster without errors and causes is shown, all of whose namespaces can be read. */
function isQuiet(state: State): boolean {
  const { cluster, info, options } = state;
  const { errors = 0, causes = 0, elsewhere } = cluster?.problems?.counts() ?? {};
  // A namespace or -A asks for the tree.
  if (cluster === undefined || info?.source !== 'cluster' || options.namespace !== undefined) return false;
  if (
    options.allNamespaces ||
    behindOf(state) !== undefined ||
    errors > 0 ||
    causes > 0 ||
    elsewhere === undefined
  )
    return false;
  if (elsewhere.errors > 0 || elsewhere.causes > 0 || cluster.hidesNamespaces) return false;
  return cluster.namespaces().every(({ objects }) => objects !== undefined);
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

function onDocument(state: State, message: Message & { type: 'document' }): State {
  const { title, lines } = message;
  const { dialog } = state;
  // The user may have closed the dialog, or opened another, during the fetch.
  if (dialog?.kind !== 'text' || dialog.title !== title) return state;
  if (dialog.yaml !== true) return withDocument(state, dialog, message);
  const reading = readingOf(lines, FOLDED_FIRST);
  return { ...state, dialog: { ...dialog, reading, lines: shownLines(reading), loading: false } };
}

/**
 * Every command with its keys, as data: the footer, the help and the command palette are made from this table,
 * so none of them can promise a key that does nothing.
 */

import type { ActionDialog } from '../actions/action.ts';
import { type ActionId, canAct, disabledReason } from '../actions/commands.ts';
import type { Problems } from '../cluster/problems.ts';
import { currentEntry, currentNode, hasRows } from '../state/current.ts';
import { isFiltered, type Layout } from '../state/layout.ts';
import type { Dialog, State, ViewId } from '../state/state.ts';

/** A command of the screen: what it is called, which keys it has, where and when it works. */
interface Binding {
  readonly title: string;
  /** The first one is the one that footer and palette name. */
  readonly keys: readonly string[];
  readonly group: 'Move' | 'Fold' | 'Find' | 'Act' | 'Object' | 'Time' | 'Screen';
  /** Short label in the footer; absent where the footer doesn't name the command. */
  readonly footer?: string;
  /** Moves and the like aren't offered in the palette. */
  readonly palette?: false;
  /** Where the command exists; absent: in every view. */
  readonly views?: readonly ViewId[];
  /** Whether the key does something now. Absent: always. */
  readonly works?: (state: State, layout: Layout) => boolean;
  /** Why what the key would do is not permitted: then it is shown grey. Undefined where it is. */
  readonly refused?: (state: State) => string | undefined;
}

const hasObject = (state: State): boolean => currentNode(state)?.object !== undefined;
/** The row is more than a line that says when nothing was seen. */
const hasContent = (state: State): boolean =>
  hasRows(state) && (state.view !== 'activity' || currentEntry(state) !== undefined);
const hasCluster = (state: State): boolean => state.cluster !== undefined;
const hasUnfollowed = ({ cluster }: State): boolean => {
  const { blindSpots = [], polled = [] } = cluster?.summary() ?? {};
  return blindSpots.length + polled.length > 0;
};
const canUnfold = (state: State): boolean =>
  state.selected !== undefined && (state.cluster?.rows.canExpand(state.selected) ?? false);

/** Views that are lists. */
const lists: readonly ViewId[] = ['problems', 'podgc', 'activity', 'collector', 'managers'];

const bindings = {
  toggle: {
    title: 'Unfold or fold',
    keys: ['enter'],
    group: 'Fold',
    footer: 'fold',
    views: ['tree'],
    works: canUnfold,
  },
  open: {
    title: 'Show the object of the row in the tree',
    keys: ['enter'],
    group: 'Find',
    footer: 'show in tree',
    views: lists,
    works: hasContent,
  },
  toggleGroup: {
    title: 'Fold or unfold a group of rows',
    keys: ['space'],
    group: 'Fold',
    views: lists,
    works: hasContent,
  },
  delete: {
    title: 'Delete: choose between background, foreground and orphan',
    keys: ['d'],
    group: 'Act',
    footer: 'delete',
    ...acting('delete'),
  },
  orphan: {
    title: 'Delete it and orphan its dependents',
    keys: ['o'],
    group: 'Act',
    footer: 'orphan',
    ...acting('orphan'),
  },
  unblock: {
    title: 'Unblock as recommended',
    keys: ['u'],
    group: 'Act',
    footer: 'unblock',
    ...acting('unblock'),
  },
  remedies: { title: 'All remedies', keys: ['U'], group: 'Act', ...acting('remedies') },
  plan: {
    title: 'Forecast only: what would happen',
    keys: ['p'],
    group: 'Act',
    footer: 'plan',
    ...acting('plan'),
  },
  undo: {
    title: 'Undo an action, the latest first',
    keys: ['z'],
    group: 'Act',
    footer: 'undo',
    ...acting('undo'),
  },
  mark: {
    title: 'Mark for delete, orphan, plan and remedies for many, or unmark',
    keys: ['space'],
    group: 'Act',
    footer: 'mark',
    views: ['tree'],
    works: hasObject,
  },
  unmark: { title: 'Clear all marks', keys: ['M'], group: 'Act', works: state => state.marks.size > 0 },
  search: {
    title: 'Search everything',
    keys: ['/'],
    group: 'Find',
    footer: 'search',
    views: ['tree'],
    works: hasCluster,
  },
  // Also before the first rows: whoever types words into a filter that isn't there types commands.
  filterRows: {
    title: 'Filter the rows',
    keys: ['/'],
    group: 'Find',
    footer: 'filter',
    views: lists,
    works: state => hasRows(state) || isFiltered(state) || isLoadingList(state),
  },
  clear: {
    title: 'Show everything again',
    keys: ['escape'],
    group: 'Find',
    footer: 'show all',
    works: isFiltered,
  },
  onlyProblems: {
    title: 'Only objects with problems, or all again',
    keys: ['f'],
    group: 'Find',
    footer: 'problems',
    views: ['tree'],
    works: state => state.filter?.kind === 'problems' || (foundIn(state)?.counts().problems ?? 0) > 0,
  },
  onlyKinds: {
    title: 'Choose which kinds of entries are shown',
    keys: ['f'],
    group: 'Find',
    footer: 'kinds',
    views: ['activity'],
    works: state => state.cluster?.activity !== undefined,
  },
  owner: { title: 'Jump to the owner', keys: ['b'], group: 'Object', footer: 'owner', works: hasOwners },
  yaml: { title: 'YAML of the live object', keys: ['y'], group: 'Object', footer: 'yaml', works: hasObject },
  managed: {
    title: 'Managed fields: who set a finalizer or a reference',
    keys: ['m'],
    group: 'Object',
    footer: 'who set it',
    works: hasObject,
  },
  copy: {
    title: 'Copy a kubectl command',
    keys: ['c'],
    group: 'Object',
    footer: 'copy kubectl',
    works: hasObject,
  },
  namespace: {
    title: 'Choose the namespace',
    keys: ['n'],
    group: 'Find',
    footer: 'namespace',
    works: hasCluster,
  },
  context: { title: 'Choose the context', keys: ['x'], group: 'Find', footer: 'context', works: canSwitch },
  sort: {
    title: 'Change the sort order',
    keys: ['s'],
    group: 'Screen',
    footer: 'sort',
    views: ['tree'],
    works: hasRows,
  },
  details: {
    title: 'Show or hide the details',
    keys: ['i'],
    group: 'Screen',
    footer: 'details',
    works: hasRows,
  },
  export: {
    title: 'Export what is on screen to a text file',
    keys: ['w'],
    group: 'Screen',
    footer: 'export',
    works: hasCluster,
  },
  focus: {
    title: 'Move between list and details',
    keys: ['tab'],
    group: 'Screen',
    works: (state, layout) => hasRows(state) && layout.details !== undefined && layout.tree !== undefined,
  },
  detailsDown: {
    title: 'Scroll the details down',
    keys: ['J'],
    group: 'Screen',
    palette: false,
    works: hasRows,
  },
  detailsUp: { title: 'Scroll the details up', keys: ['K'], group: 'Screen', palette: false, works: hasRows },
  blindSpots: {
    title: 'What cannot be seen or watched, and why',
    keys: ['B'],
    group: 'Find',
    footer: 'unseen',
    works: hasUnfollowed,
  },
  treeView: {
    title: 'Tree: who owns what',
    keys: ['1'],
    group: 'Screen',
    works: state => state.view !== 'tree',
  },
  problemsView: {
    title: 'Problems: what was found, worst first',
    keys: ['2'],
    group: 'Screen',
    works: state => state.view !== 'problems',
  },
  podgcView: {
    title: 'PodGC: which pods it takes, and when',
    keys: ['3'],
    group: 'Screen',
    works: state => state.view !== 'podgc',
  },
  play: {
    title: 'Play the recording, or pause',
    keys: ['P'],
    group: 'Time',
    footer: 'play',
    works: isReplay,
  },
  speed: { title: 'Play it at another speed', keys: ['S'], group: 'Time', works: isReplay },
  changeBack: { title: 'A change back', keys: [','], group: 'Time', footer: 'back', works: isReplay },
  changeOn: { title: 'A change on', keys: ['.'], group: 'Time', footer: 'on', works: isReplay },
  minuteBack: { title: 'A minute back', keys: ['<'], group: 'Time', works: isReplay },
  minuteOn: { title: 'A minute on', keys: ['>'], group: 'Time', works: isReplay },
  recordingStart: { title: 'Beginning of the recording', keys: ['('], group: 'Time', works: isReplay },
  recordingEnd: { title: 'End of the recording', keys: [')'], group: 'Time', works: isReplay },
  step: {
    title: 'Step through the scenario in a world of its own, or through the recording',
    keys: ['E'],
    group: 'Time',
    footer: 'step through it',
    views: ['collector'],
    works: state => state.info?.source === 'demo' || isReplay(state),
  },
  activityView: {
    title: 'Activity: what changes ownership and deletion, and why',
    keys: ['4'],
    group: 'Screen',
    works: state => state.view !== 'activity',
  },
  collectorView: {
    title: 'Collector: what it has queued, waits for and remembers',
    keys: ['5'],
    group: 'Screen',
    works: state => state.view !== 'collector',
  },
  managersView: {
    title: 'Managers: which tools manage what, beside its owners',
    keys: ['T'],
    group: 'Screen',
    works: state => state.view !== 'managers',
  },
  managers: {
    title: 'Show or hide which tool manages each object',
    keys: ['t'],
    group: 'Screen',
    footer: 'managed by',
    views: ['tree'],
    works: hasRows,
  },
  down: { title: 'Down', keys: ['down', 'j'], group: 'Move', palette: false },
  up: { title: 'Up', keys: ['up', 'k'], group: 'Move', palette: false },
  pageDown: { title: 'Page down', keys: ['pagedown', 'ctrl-f', 'ctrl-d'], group: 'Move', palette: false },
  pageUp: { title: 'Page up', keys: ['pageup', 'ctrl-b', 'ctrl-u'], group: 'Move', palette: false },
  first: { title: 'First row', keys: ['g', 'home'], group: 'Move', palette: false },
  last: { title: 'Last row', keys: ['G', 'end'], group: 'Move', palette: false },
  unfold: { title: 'Unfold, or down into it', keys: ['right', 'l'], group: 'Fold', palette: false },
  fold: { title: 'Fold, or up to the row above it', keys: ['left', 'h'], group: 'Fold', palette: false },
  unfoldAll: { title: 'Unfold everything', keys: ['*', '+'], group: 'Fold', works: hasRows },
  foldAll: { title: 'Fold everything', keys: ['-'], group: 'Fold', works: hasRows },
  palette: { title: 'Command palette', keys: [':'], group: 'Screen', palette: false },
  help: { title: 'Help', keys: ['?'], group: 'Screen', footer: 'help' },
  redraw: { title: 'Redraw the screen', keys: ['ctrl-l'], group: 'Screen' },
  suspend: { title: 'Suspend; fg returns', keys: ['ctrl-z'], group: 'Screen' },
  quit: { title: 'Quit', keys: ['q'], group: 'Screen', footer: 'quit' },
  interrupt: { title: 'Quit, from anywhere', keys: ['ctrl-c'], group: 'Screen', palette: false },
} satisfies Readonly<Record<string, Binding>>;

export type CommandId = keyof typeof bindings;

export interface ScreenCommand extends Binding {
  readonly id: CommandId;
}

export const commands = Object.entries<Binding>(bindings).map(
  ([id, binding]): ScreenCommand => ({ ...binding, id: id as CommandId }),
);

function isLoadingList(state: State): boolean {
  switch (state.view) {
    case 'tree':
      return false;
    case 'problems':
      return foundIn(state) === undefined;
    case 'podgc':
      return state.cluster?.podGc === undefined;
    case 'managers':
      return state.cluster?.managers?.complete !== true;
    case 'activity':
      return state.cluster?.activity === undefined;
    case 'collector':
      return state.cluster?.collector?.following !== true;
  }
}

function isReplay({ replay }: State): boolean {
  return replay.known;
}

/** Undefined until everything in scope was judged. */
function foundIn({ cluster }: State): Problems | undefined {
  return cluster?.problems?.complete === true ? cluster.problems : undefined;
}

function hasOwners(state: State): boolean {
  const node = currentNode(state);
  return node !== undefined && (state.cluster?.owners(node).length ?? 0) > 0;
}

function canSwitch(state: State): boolean {
  return state.info?.source === 'cluster';
}

export function isIn(command: ScreenCommand, view: ViewId): boolean {
  return command.views?.includes(view) ?? true;
}

/** The command of a key in a view, whether it works now or not. */
export function commandOfKey(key: string, view: ViewId): ScreenCommand | undefined {
  return commands.find(command => command.keys.includes(key) && isIn(command, view));
}

export function isWorking(command: ScreenCommand, state: State, layout: Layout): boolean {
  return isIn(command, state.view) && (command.works === undefined || command.works(state, layout));
}

/** The label of each key. */
type Keys = Readonly<Record<string, string>>;

const dialogKeys: Readonly<Record<Exclude<Dialog, ActionDialog>['kind'], Keys>> = {
  search: { enter: 'jump', tab: 'narrow the tree', escape: 'back' },
  picker: { enter: 'choose', escape: 'back' },
  filter: { enter: 'keep', escape: 'show all' },
  text: { down: 'scroll', w: 'export', escape: 'back' },
  stepping: {
    space: 'item',
    e: 'event',
    b: 'back',
    r: 'run',
    g: 'run to',
    escape: 'close',
    t: 'task',
    down: 'scroll',
  },
};

function acting(id: ActionId): Pick<Binding, 'works' | 'refused'> {
  return { works: state => canAct(id, state), refused: state => disabledReason(id, state) };
}

/** Keys of an open dialog, for its footer. Those of an action depend on how far it is. */
export function keysOf(dialog: Dialog): Keys {
  if (dialog.kind === 'stepping' && dialog.words !== undefined)
    return { enter: 'run to an object (pod/web-0), a kind or a decision (DeleteBackground)', escape: 'back' };
  if (dialog.kind === 'stepping' && dialog.working) return { r: 'pause', escape: 'close' };
  if (dialog.kind !== 'action') return dialogKeys[dialog.kind];
  const { stage } = dialog;
  switch (stage.at) {
    case 'working':
      return { escape: stage.stoppable ? 'cancel' : 'stop watching' };
    case 'choosing':
      return {
        enter: 'choose',
        [stage.as === 'row' ? 'right' : 'down']: 'next',
        pagedown: 'scroll',
        escape: 'cancel',
      };
    case 'asking':
      return { escape: 'cancel', [stage.word === undefined ? 'y' : 'enter']: 'confirm', down: 'scroll' };
    case 'following':
      return { escape: 'stop watching', down: 'scroll' };
    case 'ended':
      return { escape: 'close', down: 'scroll' };
  }
}

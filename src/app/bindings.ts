/**
 * Every command with its keys, as data: the footer, the help and the command palette are made from this table,
 * so none of them can promise a key that does nothing.
 */
import type { Layout } from './layout.ts';
import type { State } from './state.ts';

export type CommandId =
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'first'
  | 'last'
  | 'toggle'
  | 'unfold'
  | 'fold'
  | 'unfoldAll'
  | 'foldAll'
  | 'owner'
  | 'search'
  | 'clear'
  | 'namespace'
  | 'context'
  | 'sort'
  | 'details'
  | 'focus'
  | 'detailsDown'
  | 'detailsUp'
  | 'yaml'
  | 'copy'
  | 'blindSpots'
  | 'palette'
  | 'help'
  | 'redraw'
  | 'suspend'
  | 'quit'
  | 'interrupt';

export interface Command {
  readonly id: CommandId;
  readonly title: string;
  /** The first one is the one that footer and palette name. */
  readonly keys: readonly string[];
  readonly group: 'Move' | 'Fold' | 'Find' | 'Object' | 'Screen';
  /** Short label in the footer; absent where the footer doesn't name the command. */
  readonly footer?: string;
  /** Moves and the like aren't offered in the palette. */
  readonly palette?: false;
  /** Whether the key does something now. Absent: always. */
  readonly works?: (state: State, layout: Layout) => boolean;
}

const hasRows = (state: State): boolean => state.selected !== undefined;
const hasObject = (state: State): boolean => state.selected?.node.object !== undefined;
const hasCluster = (state: State): boolean => state.cluster !== undefined;
const canUnfold = (state: State): boolean =>
  state.selected !== undefined && (state.cluster?.rows.canExpand(state.selected) ?? false);

export const commands: readonly Command[] = [
  {
    id: 'toggle',
    title: 'Unfold or fold',
    keys: ['enter', 'space'],
    group: 'Fold',
    footer: 'fold',
    works: canUnfold,
  },
  {
    id: 'search',
    title: 'Search everything',
    keys: ['/'],
    group: 'Find',
    footer: 'search',
    works: hasCluster,
  },
  {
    id: 'clear',
    title: 'Show everything again',
    keys: ['escape'],
    group: 'Find',
    footer: 'show all',
    works: state => state.filter !== undefined,
  },
  {
    id: 'owner',
    title: 'Jump to the owner',
    keys: ['b'],
    group: 'Object',
    footer: 'owner',
    works: hasOwners,
  },
  {
    id: 'yaml',
    title: 'YAML of the live object',
    keys: ['y'],
    group: 'Object',
    footer: 'yaml',
    works: hasObject,
  },
  {
    id: 'copy',
    title: 'Copy a kubectl command',
    keys: ['c'],
    group: 'Object',
    footer: 'copy kubectl',
    works: hasObject,
  },
  {
    id: 'namespace',
    title: 'Choose the namespace',
    keys: ['n'],
    group: 'Find',
    footer: 'namespace',
    works: hasCluster,
  },
  {
    id: 'context',
    title: 'Choose the context',
    keys: ['x'],
    group: 'Find',
    footer: 'context',
    works: canSwitch,
  },
  { id: 'sort', title: 'Sort differently', keys: ['s'], group: 'Screen', footer: 'sort', works: hasRows },
  {
    id: 'details',
    title: 'Show or hide the details',
    keys: ['i'],
    group: 'Screen',
    footer: 'details',
    works: hasRows,
  },
  {
    id: 'focus',
    title: 'Move between tree and details',
    keys: ['tab'],
    group: 'Screen',
    works: (state, layout) => hasRows(state) && layout.details !== undefined && layout.tree !== undefined,
  },
  {
    id: 'detailsDown',
    title: 'Scroll the details down',
    keys: ['J'],
    group: 'Screen',
    palette: false,
    works: hasRows,
  },
  {
    id: 'detailsUp',
    title: 'Scroll the details up',
    keys: ['K'],
    group: 'Screen',
    palette: false,
    works: hasRows,
  },
  {
    id: 'blindSpots',
    title: 'What can not be seen, and why',
    keys: ['B'],
    group: 'Find',
    footer: 'unseen',
    works: state => (state.cluster?.summary().blindSpots.length ?? 0) > 0,
  },
  { id: 'down', title: 'Down', keys: ['down', 'j'], group: 'Move', palette: false },
  { id: 'up', title: 'Up', keys: ['up', 'k'], group: 'Move', palette: false },
  {
    id: 'pageDown',
    title: 'Page down',
    keys: ['pagedown', 'ctrl-f', 'ctrl-d'],
    group: 'Move',
    palette: false,
  },
  { id: 'pageUp', title: 'Page up', keys: ['pageup', 'ctrl-b', 'ctrl-u'], group: 'Move', palette: false },
  { id: 'first', title: 'First row', keys: ['g', 'home'], group: 'Move', palette: false },
  { id: 'last', title: 'Last row', keys: ['G', 'end'], group: 'Move', palette: false },
  { id: 'unfold', title: 'Unfold, or down into it', keys: ['right', 'l'], group: 'Fold', palette: false },
  {
    id: 'fold',
    title: 'Fold, or up to the row above it',
    keys: ['left', 'h'],
    group: 'Fold',
    palette: false,
  },
  { id: 'unfoldAll', title: 'Unfold everything', keys: ['*', '+'], group: 'Fold', works: hasRows },
  { id: 'foldAll', title: 'Fold everything', keys: ['-'], group: 'Fold', works: hasRows },
  { id: 'palette', title: 'Command palette', keys: [':'], group: 'Screen', palette: false },
  { id: 'help', title: 'Help', keys: ['?'], group: 'Screen', footer: 'help' },
  { id: 'redraw', title: 'Draw the screen anew', keys: ['ctrl-l'], group: 'Screen' },
  { id: 'suspend', title: 'Suspend; fg comes back', keys: ['ctrl-z'], group: 'Screen' },
  { id: 'quit', title: 'Quit', keys: ['q'], group: 'Screen', footer: 'quit' },
  { id: 'interrupt', title: 'Quit, from anywhere', keys: ['ctrl-c'], group: 'Screen', palette: false },
];

function hasOwners(state: State): boolean {
  return state.selected !== undefined && (state.cluster?.owners(state.selected.node).length ?? 0) > 0;
}

function canSwitch(state: State): boolean {
  return state.info?.source === 'cluster';
}

const byKey = new Map(commands.flatMap(command => command.keys.map(key => [key, command] as const)));
const byId = new Map(commands.map(command => [command.id, command]));

/** The command of a key in the main view, whether it works now or not. */
export function commandOfKey(key: string): Command | undefined {
  return byKey.get(key);
}

export function commandById(id: string): Command | undefined {
  return byId.get(id as CommandId);
}

export function isWorking(command: Command, state: State, layout: Layout): boolean {
  return command.works === undefined || command.works(state, layout);
}

/** Keys of the dialogs, for their own footers. */
export const dialogKeys = {
  search: [
    ['enter', 'jump'],
    ['tab', 'narrow the tree'],
    ['escape', 'back'],
  ],
  picker: [
    ['enter', 'choose'],
    ['escape', 'back'],
  ],
  text: [
    ['down', 'scroll'],
    ['escape', 'back'],
  ],
} as const;

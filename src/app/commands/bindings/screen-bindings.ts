/** Keys of the screen: views, order, details, help, leaving. */
import { asking, withNewRevision, withTree } from '../../state/state.ts';
import { focusDetails, leaveDetails, toggleDetails } from '../details-focus.ts';
import { scrollDetails } from '../details-links.ts';
import { HELP_INDENT, helpLines } from '../key-help.ts';
import { lineItems } from '../line/items.ts';
import { toggleGrouping } from '../list-commands.ts';
import { openText } from '../open-dialog.ts';
import { nextSort } from '../tree-rows.ts';
import { type Bindings, needsCluster, needsRows } from './binding.ts';

export const paneBindings = {
  sort: {
    title: 'Change the sort order',
    keys: ['s'],
    group: 'Screen',
    footer: 'sort',
    views: ['tree'],
    idle: needsRows,
    run: nextSort,
  },
  grouping: {
    title: 'Group by code or by cause',
    keys: ['s'],
    group: 'Screen',
    footer: 'by code',
    views: ['problems'],
    idle: needsRows,
    words: ['by-code'],
    run: toggleGrouping,
  },
  details: {
    title: 'Show or hide the details',
    keys: ['i'],
    group: 'Screen',
    footer: 'details',
    idle: needsRows,
    run: toggleDetails,
  },
  export: {
    title: 'Export what is on screen to a text file',
    keys: ['w'],
    group: 'Screen',
    footer: 'export',
    idle: needsCluster,
    words: ['export', 'save'],
    run: state => asking(state, { type: 'export' }),
  },
  focus: {
    title: 'Move between list and details',
    keys: ['tab'],
    group: 'Screen',
    idle: needsRows,
    run: (state, inDetails) => (inDetails ? leaveDetails(state) : focusDetails(state)),
  },
  detailsDown: {
    title: 'Scroll the details down',
    keys: ['J'],
    group: 'Screen',
    palette: false,
    idle: needsRows,
    run: state => scrollDetails(state, 3),
  },
  detailsUp: {
    title: 'Scroll the details up',
    keys: ['K'],
    group: 'Screen',
    palette: false,
    idle: needsRows,
    run: state => scrollDetails(state, -3),
  },
} satisfies Bindings;

export const screenBindings = {
  managers: {
    title: 'Show or hide which tool manages each object',
    keys: ['t'],
    group: 'Screen',
    footer: 'managed by',
    views: ['tree'],
    idle: needsRows,
    words: ['managed-by'],
    run: state => withNewRevision(withTree(state, { showsManagers: !state.tree.showsManagers })),
  },
  palette: {
    title: 'Commands, and kinds such as deploy, by name',
    keys: [':'],
    group: 'Screen',
    palette: false,
    run: (state, _, all) => ({
      ...state,
      dialog: { kind: 'command', query: '', items: lineItems(state, '', all), cursor: -1, recalled: 0 },
    }),
  },
  help: {
    title: 'Help',
    keys: ['?'],
    group: 'Screen',
    footer: 'help',
    words: ['help', 'h', 'keys'],
    run: (state, _, all) => openText(state, 'Help', helpLines(state, all), HELP_INDENT),
  },
  redraw: {
    title: 'Redraw the screen',
    keys: ['ctrl-l'],
    group: 'Screen',
    run: state => asking(state, { type: 'redraw' }),
  },
  suspend: {
    title: 'Suspend; fg returns',
    keys: ['ctrl-z'],
    group: 'Screen',
    run: state => asking(state, { type: 'suspend' }),
  },
  leaveTour: {
    title: 'End the guided tour',
    keys: ['ctrl-t'],
    group: 'Screen',
    idle: state => (state.tour === undefined ? 'No tour is under way: demo --tour begins one.' : undefined),
    run: state => ({ ...state, tour: undefined }),
  },
  quit: {
    title: 'Quit',
    keys: ['q'],
    group: 'Screen',
    footer: 'quit',
    words: ['q', 'quit', 'exit', 'q!'],
    run: state => asking(state, { type: 'quit', code: 0 }),
  },
  interrupt: {
    title: 'Quit, from anywhere',
    keys: ['ctrl-c'],
    group: 'Screen',
    palette: false,
    run: state => asking(state, { type: 'quit', code: 130 }),
  },
} satisfies Bindings;

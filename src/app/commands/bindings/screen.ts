/** Keys of the screen: views, order, details, help, leaving. */
import type { ViewId } from '../../state/views.ts';
import { type Bindings, type Idle, needsCluster, needsRows } from './binding.ts';

function unlessIn(view: ViewId, title: string): Idle {
  return state => (state.view === view ? `${title} is what is shown.` : undefined);
}

export const screenBindings = {
  sort: {
    title: 'Change the sort order',
    keys: ['s'],
    group: 'Screen',
    footer: 'sort',
    views: ['tree'],
    idle: needsRows,
  },
  details: {
    title: 'Show or hide the details',
    keys: ['i'],
    group: 'Screen',
    footer: 'details',
    idle: needsRows,
  },
  export: {
    title: 'Export what is on screen to a text file',
    keys: ['w'],
    group: 'Screen',
    footer: 'export',
    idle: needsCluster,
  },
  focus: {
    title: 'Move between list and details',
    keys: ['tab'],
    group: 'Screen',
    idle: needsRows,
  },
  detailsDown: {
    title: 'Scroll the details down',
    keys: ['J'],
    group: 'Screen',
    palette: false,
    idle: needsRows,
  },
  detailsUp: {
    title: 'Scroll the details up',
    keys: ['K'],
    group: 'Screen',
    palette: false,
    idle: needsRows,
  },
  treeView: {
    title: 'Tree: who owns what',
    keys: ['1'],
    group: 'Screen',
    idle: unlessIn('tree', 'Tree'),
  },
  problemsView: {
    title: 'Problems: what was found, worst first',
    keys: ['2'],
    group: 'Screen',
    idle: unlessIn('problems', 'Problems'),
  },
  podgcView: {
    title: 'PodGC: which pods it takes, and when',
    keys: ['3'],
    group: 'Screen',
    idle: unlessIn('podgc', 'PodGC'),
  },
  activityView: {
    title: 'Activity: what changes ownership and deletion, and why',
    keys: ['4'],
    group: 'Screen',
    idle: unlessIn('activity', 'Activity'),
  },
  collectorView: {
    title: 'Collector: what it has queued, waits for and remembers',
    keys: ['5'],
    group: 'Screen',
    idle: unlessIn('collector', 'Collector'),
  },
  managersView: {
    title: 'Managers: which tools manage what, beside its owners',
    keys: ['T'],
    group: 'Screen',
    idle: unlessIn('managers', 'Managers'),
  },
  managers: {
    title: 'Show or hide which tool manages each object',
    keys: ['t'],
    group: 'Screen',
    footer: 'managed by',
    views: ['tree'],
    idle: needsRows,
  },
  palette: {
    title: 'Commands by name: ns, ctx, a kind such as deploy, sort, why, and all others',
    keys: [':'],
    group: 'Screen',
    palette: false,
  },
  help: { title: 'Help', keys: ['?'], group: 'Screen', footer: 'help' },
  redraw: { title: 'Redraw the screen', keys: ['ctrl-l'], group: 'Screen' },
  suspend: { title: 'Suspend; fg returns', keys: ['ctrl-z'], group: 'Screen' },
  leaveTour: {
    title: 'End the guided tour',
    keys: ['ctrl-t'],
    group: 'Screen',
    idle: state => (state.tour === undefined ? 'No tour is under way: demo --tour begins one.' : undefined),
  },
  quit: { title: 'Quit', keys: ['q'], group: 'Screen', footer: 'quit' },
  interrupt: { title: 'Quit, from anywhere', keys: ['ctrl-c'], group: 'Screen', palette: false },
} satisfies Bindings;

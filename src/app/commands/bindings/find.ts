/** Keys that search, narrow the view or choose a scope. */

import { isInDetails } from '../../state/layout.ts';
import { asking, type Dialog, type State, withListState, withTree } from '../../state/state.ts';
import { kindItems } from '../../views/activity/entry-kinds.ts';
import { isFiltered } from '../../views/lists.ts';
import { ALL_NAMESPACES } from '../../views/scope.ts';
import { unfoldMore } from '../../views/tree/moves.ts';
import { leaveDetails } from '../details-focus.ts';
import { blindSpotLines } from '../key-help.ts';
import { filterList } from '../list-commands.ts';
import { leaveRange } from '../marks.ts';
import { namespaceItems } from '../namespace-items.ts';
import { openPicker, openText } from '../open-dialog.ts';
import { toggleOnlyProblems } from '../tree-rows.ts';
import { type Bindings, needsCluster } from './binding.ts';
import { whyNoProblem } from './go-bindings.ts';

function hasUnfollowed({ cluster }: State): boolean {
  const { blindSpots = [], polled = [] } = cluster?.summary() ?? {};
  return blindSpots.length + polled.length > 0;
}

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

/** Leaves the innermost of an open range, the details and the filter. */
function clear(state: State): State {
  if (state.range !== undefined) return leaveRange(state);
  if (isInDetails(state)) return leaveDetails(state);
  state.cluster?.setFilter(undefined);
  return unfoldMore(withTree(state, { filter: undefined }));
}

export const findBindings = {
  search: {
    title: 'Search everything',
    keys: ['/'],
    group: 'Find',
    footer: 'search',
    idle: needsCluster,
    run: state => ({ ...state, dialog: emptySearch }),
  },
  clear: {
    title: 'Show everything again',
    keys: ['escape'],
    group: 'Find',
    footer: 'show all',
    idle: state =>
      isFiltered(state) || state.range !== undefined || state.focus === 'details' || state.details === 'full'
        ? undefined
        : '',
    words: ['show-all', 'clear'],
    run: clear,
    inList: state => filterList(withListState(state, state.view, { only: undefined }), ''),
  },
  onlyProblems: {
    title: 'Show only objects with problems, or all',
    keys: ['f'],
    group: 'Find',
    footer: 'problems',
    views: ['tree'],
    idle: state => (state.tree.filter?.kind === 'problems' ? undefined : whyNoProblem(state)),
    words: ['only-problems'],
    run: toggleOnlyProblems,
  },
  onlyKinds: {
    title: 'Choose which kinds of entries are shown',
    keys: ['f'],
    group: 'Find',
    footer: 'kinds',
    views: ['activity'],
    idle: ({ cluster }) => (cluster?.activity === undefined ? 'Still loading.' : undefined),
    words: ['kinds'],
    run: state => openPicker(state, 'activity', 'Which entries', kindItems(state)),
  },
  namespace: {
    title: 'Choose the namespace',
    keys: ['n'],
    group: 'Find',
    footer: 'namespace',
    idle: needsCluster,
    words: ['ns', 'namespace'],
    run: state => openPicker(state, 'namespace', 'Namespace', namespaceItems(state, ALL_NAMESPACES)),
  },
  context: {
    title: 'Choose the context',
    keys: ['x'],
    group: 'Find',
    footer: 'context',
    idle: ({ info }) =>
      info?.source === 'cluster' ? undefined : 'Contexts are those of a kubeconfig: this is no live cluster.',
    words: ['ctx', 'context'],
    run: state => asking(openPicker(state, 'context', 'Context', undefined), { type: 'listContexts' }),
  },
  blindSpots: {
    title: 'What cannot be seen or watched, and why',
    keys: ['B'],
    group: 'Find',
    footer: 'unseen',
    idle: state =>
      hasUnfollowed(state) ? undefined : 'Every kind that was listed so far can be seen and watched.',
    words: ['unseen'],
    run: state => openText(state, 'What cannot be seen or watched', blindSpotLines(state)),
  },
} satisfies Bindings;

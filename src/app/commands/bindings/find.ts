/** Keys that search, narrow the view or choose a scope. */

import { formatCount } from '../../../model/index.ts';
import type { Problems } from '../../cluster/problems.ts';
import { isInDetails } from '../../state/layout.ts';
import {
  asking,
  type Dialog,
  type PickerItem,
  type State,
  withListState,
  withTree,
} from '../../state/state.ts';
import { kindItems } from '../../views/activity/entry-kinds.ts';
import { isFiltered } from '../../views/lists.ts';
import { ALL_NAMESPACES } from '../../views/scope.ts';
import { unfoldMore } from '../../views/tree/moves.ts';
import { leaveDetails } from '../details-focus.ts';
import { blindSpotLines } from '../key-help.ts';
import { filterList } from '../list-commands.ts';
import { leaveRange } from '../marks.ts';
import { openPicker, openText } from '../open-dialog.ts';
import { toggleOnlyProblems } from '../tree-rows.ts';
import { type Bindings, needsCluster } from './binding.ts';

/** Returns undefined until everything in scope is judged. */
function foundIn({ cluster }: State): Problems | undefined {
  return cluster?.problems?.complete === true ? cluster.problems : undefined;
}

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

function namespaceItems(state: State): PickerItem[] {
  const namespaces = state.cluster?.namespaces() ?? [];
  const all = namespaces.reduce((sum, { objects }) => sum + objects, 0);
  return [
    { id: ALL_NAMESPACES, label: '(all namespaces)', hint: `${formatCount(all)} objects` },
    ...namespaces.map(({ name, objects }) => ({ id: name, label: name, hint: formatCount(objects) })),
  ];
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
        : 'Nothing to leave: everything is shown.',
    words: ['show-all', 'clear'],
    run: clear,
    inList: state => filterList(withListState(state, state.view, { only: undefined }), ''),
  },
  onlyProblems: {
    title: 'Only objects with problems, or all again',
    keys: ['f'],
    group: 'Find',
    footer: 'problems',
    views: ['tree'],
    idle: state => {
      if (state.tree.filter?.kind === 'problems' || (foundIn(state)?.counts().problems ?? 0) > 0)
        return undefined;
      return foundIn(state) === undefined ? 'Still checking for problems.' : 'No problems were found here.';
    },
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
    run: state => openPicker(state, 'namespace', 'Namespace', namespaceItems(state)),
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

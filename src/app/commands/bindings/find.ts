/** Keys that search, narrow the view or choose a scope. */
import type { Problems } from '../../cluster/problems.ts';
import { isFiltered } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import { type Bindings, needsCluster } from './binding.ts';

/** Returns undefined until everything in scope is judged. */
function foundIn({ cluster }: State): Problems | undefined {
  return cluster?.problems?.complete === true ? cluster.problems : undefined;
}

function hasUnfollowed({ cluster }: State): boolean {
  const { blindSpots = [], polled = [] } = cluster?.summary() ?? {};
  return blindSpots.length + polled.length > 0;
}

export const findBindings = {
  search: {
    title: 'Search everything',
    keys: ['/'],
    group: 'Find',
    footer: 'search',
    idle: needsCluster,
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
  },
  onlyProblems: {
    title: 'Only objects with problems, or all again',
    keys: ['f'],
    group: 'Find',
    footer: 'problems',
    views: ['tree'],
    idle: state => {
      if (state.filter?.kind === 'problems' || (foundIn(state)?.counts().problems ?? 0) > 0) return undefined;
      return foundIn(state) === undefined ? 'Still checking for problems.' : 'No problems were found here.';
    },
  },
  onlyKinds: {
    title: 'Choose which kinds of entries are shown',
    keys: ['f'],
    group: 'Find',
    footer: 'kinds',
    views: ['activity'],
    idle: ({ cluster }) => (cluster?.activity === undefined ? 'Still loading.' : undefined),
  },
  namespace: {
    title: 'Choose the namespace',
    keys: ['n'],
    group: 'Find',
    footer: 'namespace',
    idle: needsCluster,
  },
  context: {
    title: 'Choose the context',
    keys: ['x'],
    group: 'Find',
    footer: 'context',
    idle: ({ info }) =>
      info?.source === 'cluster' ? undefined : 'Contexts are those of a kubeconfig: this is no live cluster.',
  },
  blindSpots: {
    title: 'What cannot be seen or watched, and why',
    keys: ['B'],
    group: 'Find',
    footer: 'unseen',
    idle: state =>
      hasUnfollowed(state) ? undefined : 'Every kind that was listed so far can be seen and watched.',
  },
} satisfies Bindings;

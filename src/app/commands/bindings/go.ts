/** Keys that go to problems, earlier places, namespaces and contexts. */
import type { State } from '../../state/state.ts';
import { NOT_FURTHER_BACK, NOT_FURTHER_ON } from '../go.ts';
import { type Bindings, needsCluster } from './binding.ts';

function whyNoProblem({ cluster }: State): string | undefined {
  const { problems } = cluster ?? {};
  if (problems?.complete !== true) return 'Still checking for problems.';
  return problems.inOrder().length > 0 ? undefined : 'No problems were found here.';
}

export const goBindings = {
  nextProblem: {
    title: 'Next problem',
    keys: [']'],
    group: 'Find',
    footer: 'next problem',
    idle: whyNoProblem,
  },
  previousProblem: { title: 'Previous problem', keys: ['['], group: 'Find', idle: whyNoProblem },
  back: {
    title: 'Back to where you have been',
    keys: ['{', 'backspace', 'alt-left'],
    group: 'Find',
    idle: ({ visited }) => (visited.back.length > 0 ? undefined : NOT_FURTHER_BACK),
  },
  forward: {
    title: 'Forward again',
    keys: ['}', 'alt-right'],
    group: 'Find',
    idle: ({ visited }) => (visited.ahead.length > 0 ? undefined : NOT_FURTHER_ON),
  },
  allNamespaces: {
    title: 'All namespaces, or back to the one before',
    keys: ['0'],
    group: 'Find',
    idle: needsCluster,
  },
} satisfies Bindings;

/** Keys that go to problems, earlier places, namespaces and contexts. */
import type { State } from '../../state/state.ts';
import { troubleElsewhere, unseenNamespace } from '../../views/view.ts';
import {
  goBack,
  goForward,
  NOT_FURTHER_BACK,
  NOT_FURTHER_ON,
  stepProblem,
  toggleAllNamespaces,
} from '../go-to.ts';
import { type Bindings, needsCluster } from './binding.ts';

export function whyNoProblem(state: State): string | undefined {
  const { cluster } = state;
  const { problems } = cluster ?? {};
  if (cluster === undefined || problems?.complete !== true) return 'Still checking for problems.';
  if (problems.inOrder().length > 0) return undefined;
  const unseen = unseenNamespace(cluster);
  if (unseen !== undefined) return unseen;
  const elsewhere = troubleElsewhere(state);
  return `No problems were found here.${elsewhere === undefined ? '' : ` 0 shows ${elsewhere}.`}`;
}

export const goBindings = {
  nextProblem: {
    title: 'Next problem',
    keys: [']'],
    group: 'Find',
    footer: 'next problem',
    idle: whyNoProblem,
    words: ['next'],
    run: state => stepProblem(state, 1),
  },
  previousProblem: {
    title: 'Previous problem',
    keys: ['['],
    group: 'Find',
    idle: whyNoProblem,
    words: ['previous', 'prev'],
    run: state => stepProblem(state, -1),
  },
  back: {
    title: 'Back to the previous place',
    keys: ['{', 'backspace', 'alt-left'],
    group: 'Find',
    idle: ({ visited }) => (visited.back.length > 0 ? undefined : NOT_FURTHER_BACK),
    run: goBack,
  },
  forward: {
    title: 'Forward again',
    keys: ['}', 'alt-right'],
    group: 'Find',
    idle: ({ visited }) => (visited.ahead.length > 0 ? undefined : NOT_FURTHER_ON),
    run: goForward,
  },
  allNamespaces: {
    title: 'All namespaces, or back to the previous one',
    keys: ['0'],
    group: 'Find',
    footer: 'all namespaces',
    idle: needsCluster,
    words: ['all'],
    run: toggleAllNamespaces,
  },
} satisfies Bindings;

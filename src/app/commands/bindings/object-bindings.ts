/** Keys that show or copy parts of the row's object. */

import { objectTitle } from '../../../model/index.ts';
import { type KubectlId, kubectlIdle, kubectlRefusal, runKubectl } from '../../kubectl/kubectl-commands.ts';
import { asking, type Effect, type State, withNotice } from '../../state/state.ts';
import { nodeToShow } from '../../views/current.ts';
import { jumpTo } from '../../views/scope.ts';
import { copyItems } from '../copy.ts';
import { openPicker } from '../open-dialog.ts';
import { type Binding, type Bindings, type Idle, needsObject } from './binding.ts';

const needsOwners: Idle = state => {
  const node = nodeToShow(state);
  if (node === undefined) return 'This row is no object: move to one first.';
  const owners = state.cluster?.owners(node).length ?? 0;
  return owners > 0 ? undefined : `${objectTitle(node.identity)} has no owner.`;
};

/** Users of a kind whose list hasn't arrived would be missed. */
function needsAll({ graphComplete }: State): string | undefined {
  return graphComplete ? undefined : 'Not yet: the cluster is still being read.';
}

const handingOver = (id: KubectlId): Pick<Binding, 'idle' | 'refused'> => ({
  idle: (state, layout) => needsObject(state, layout) ?? kubectlIdle(id, state),
  refused: state => kubectlRefusal(id, state),
});

function goToOwner(state: State): State {
  const node = nodeToShow(state);
  const { cluster } = state;
  if (node === undefined || cluster === undefined) return state;
  const owners = cluster.owners(node);
  const [only] = owners;
  if (only === undefined) return state;
  if (owners.length === 1) return jumpTo(state, only.uid);
  const items = owners.map(owner => ({
    id: owner.uid,
    label: objectTitle(owner.identity),
    hint: owner.virtual ? 'only in references' : '',
  }));
  return openPicker(state, 'owner', `Owners of ${objectTitle(node.identity)}`, items);
}

type Content = Extract<Effect, { type: 'showDocument' }>['content'];

const documentTitles: Readonly<Record<Content, (title: string) => string>> = {
  yaml: title => title,
  managers: title => `Who set what on ${title}`,
  uses: title => `What uses ${title}, and what it uses`,
};

function showDocument(state: State, content: Content): State {
  const node = nodeToShow(state);
  if (node?.object === undefined) return state;
  const title = documentTitles[content](objectTitle(node.identity));
  const begun = { kind: 'text', title, lines: [], top: 0, loading: true } as const;
  const dialog = content === 'yaml' ? { ...begun, yaml: true as const } : begun;
  return asking({ ...state, dialog }, { type: 'showDocument', content, node, title });
}

function copy(state: State): State {
  const items = copyItems(state);
  if (items.length > 0 || nodeToShow(state)?.object === undefined)
    return openPicker(state, 'copy', 'Copy to the clipboard', items);
  return withNotice(state, 'Its name holds characters that cannot be pasted as they are.', 'warning');
}

export const objectBindings = {
  owner: {
    title: 'Jump to the owner',
    keys: ['b'],
    group: 'Object',
    footer: 'owner',
    idle: needsOwners,
    run: goToOwner,
  },
  yaml: {
    title: 'YAML of the live object',
    keys: ['y'],
    group: 'Object',
    footer: 'yaml',
    idle: needsObject,
    run: state => showDocument(state, 'yaml'),
  },
  managed: {
    title: 'Managed fields: who set a finalizer or a reference',
    keys: ['m'],
    group: 'Object',
    footer: 'who set it',
    idle: needsObject,
    words: ['who-set-it', 'managed-fields'],
    run: state => showDocument(state, 'managers'),
  },
  uses: {
    title: 'What uses it, and what it uses',
    keys: ['W'],
    group: 'Object',
    idle: (state, layout) => needsObject(state, layout) ?? needsAll(state),
    words: ['used-by'],
    run: state => showDocument(state, 'uses'),
  },
  copy: {
    title: 'Copy a kubectl command',
    keys: ['c'],
    group: 'Object',
    footer: 'copy kubectl',
    idle: needsObject,
    run: copy,
  },
  describe: {
    title: 'Describe: kubectl describe',
    keys: ['D'],
    group: 'Object',
    ...handingOver('describe'),
    run: state => runKubectl(state, 'describe'),
  },
  events: {
    title: 'Events: kubectl events',
    keys: ['V'],
    group: 'Object',
    ...handingOver('events'),
    run: state => runKubectl(state, 'events'),
  },
  logs: {
    title: 'Logs by container: kubectl logs',
    keys: ['L'],
    group: 'Object',
    ...handingOver('logs'),
    run: state => runKubectl(state, 'logs'),
  },
  edit: {
    title: 'Edit: kubectl edit',
    keys: ['e'],
    group: 'Object',
    ...handingOver('edit'),
    run: state => runKubectl(state, 'edit'),
  },
  shell: {
    title: 'Shell in a container: kubectl exec',
    keys: ['!'],
    group: 'Object',
    ...handingOver('shell'),
    run: state => runKubectl(state, 'shell'),
  },
} satisfies Bindings;

/** Keys that show or copy parts of the row's object. */

import { objectTitle } from '../../../model/text/titles.ts';
import { type KubectlId, kubectlIdle, kubectlRefusal } from '../../kubectl/commands.ts';
import { currentNode } from '../../state/current.ts';
import { type Binding, type Bindings, type Idle, needsObject } from './binding.ts';

const needsOwners: Idle = state => {
  const node = currentNode(state);
  if (node === undefined) return 'This row is no object: move to one first.';
  const owners = state.cluster?.owners(node).length ?? 0;
  return owners > 0 ? undefined : `${objectTitle(node.identity)} has no owner.`;
};

const handingOver = (id: KubectlId): Pick<Binding, 'idle' | 'refused'> => ({
  idle: (state, layout) => needsObject(state, layout) ?? kubectlIdle(id, state),
  refused: state => kubectlRefusal(id, state),
});

export const objectBindings = {
  owner: { title: 'Jump to the owner', keys: ['b'], group: 'Object', footer: 'owner', idle: needsOwners },
  yaml: {
    title: 'YAML of the live object',
    keys: ['y'],
    group: 'Object',
    footer: 'yaml',
    idle: needsObject,
  },
  managed: {
    title: 'Managed fields: who set a finalizer or a reference',
    keys: ['m'],
    group: 'Object',
    footer: 'who set it',
    idle: needsObject,
  },
  copy: {
    title: 'Copy a kubectl command',
    keys: ['c'],
    group: 'Object',
    footer: 'copy kubectl',
    idle: needsObject,
  },
  describe: { title: 'Describe: kubectl describe', keys: ['D'], group: 'Object', ...handingOver('describe') },
  events: { title: 'Events: kubectl events', keys: ['V'], group: 'Object', ...handingOver('events') },
  logs: { title: 'Logs by container: kubectl logs', keys: ['L'], group: 'Object', ...handingOver('logs') },
  edit: { title: 'Edit: kubectl edit', keys: ['e'], group: 'Object', ...handingOver('edit') },
  shell: {
    title: 'Shell in a container: kubectl exec',
    keys: ['!'],
    group: 'Object',
    ...handingOver('shell'),
  },
} satisfies Bindings;

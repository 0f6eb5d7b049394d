/** Runs the user's own kubectl commands on the row's object. */

import { requestWords } from '../../forecast/index.ts';
import { type KubeObject, objectTitle, shellLine, typeNames, type Uid } from '../../model/index.ts';
import type { UserCommand } from '../settings/settings.ts';
import { filled, fits } from '../settings/templates.ts';
import type { KubectlCall } from '../state/kubectl-call.ts';
import { type State, withNotice } from '../state/state.ts';
import { currentNode } from '../views/current.ts';
import { noCluster, READ_ONLY, running } from './kubectl-commands.ts';

export function ownCommands({ options }: Pick<State, 'options'>): readonly UserCommand[] {
  return options.settings?.commands ?? [];
}

export function ownCommandOfKey(key: string, state: State): UserCommand | undefined {
  return ownCommands(state).find(command => command.key === key);
}

export function ownIdle(command: UserCommand, state: State): string | undefined {
  const away = noCluster(command.name, state);
  if (away !== undefined) return away;
  const object = currentNode(state)?.object;
  if (object === undefined) return `${command.name} is for an object, and this row has none.`;
  if (!fits(command, object.type.kind))
    return `${command.name} is for ${command.kinds?.join(', ')}, and this is a ${object.type.kind}.`;
  if (command.changes === true && state.options.readOnly) return `Not here: ${READ_ONLY}.`;
  return callOf(command, object) === undefined
    ? 'It has a name that kubectl would take for something else.'
    : undefined;
}

/** Runs the command, or asks first if it changes anything. */
export function runOwn(state: State, command: UserCommand): State {
  const idle = ownIdle(command, state);
  if (idle !== undefined) return withNotice(state, idle, 'info');
  const object = currentNode(state)?.object;
  const call = object && callOf(command, object);
  if (object === undefined || call === undefined) return state;
  if (command.changes !== true) return running(state, call);
  const line = shellLine([{ words: ['kubectl', ...call.words] }]) ?? command.name;
  const items = [
    { id: command.name, label: `Run ${line}`, hint: '' },
    { id: '', label: 'Leave it', hint: '' },
  ];
  const title = `${command.name}: ${objectTitle(object)}`;
  const dialog = {
    kind: 'picker',
    purpose: 'own',
    title,
    query: '',
    items,
    cursor: 0,
    about: object.uid,
  } as const;
  return { ...state, dialog };
}

/** Runs it on the object in question, wherever the cursor is now. */
export function chooseOwn(state: State, about: Uid | undefined, name: string): State {
  const command = ownCommands(state).find(each => each.name === name);
  if (command === undefined) return state;
  const object = about && state.cluster?.node(about)?.object;
  const call = object && callOf(command, object);
  if (call === undefined) return withNotice(state, 'The object no longer exists.', 'warning');
  return running(state, call);
}

function callOf(command: UserCommand, { type, namespace, name, uid }: KubeObject): KubectlCall | undefined {
  const target = requestWords.target(typeNames.full(type), name);
  if (target === undefined) return undefined;
  const words = filled(command, { name, namespace, kind: type.kind, uid, target });
  if (words === undefined) return undefined;
  return { verb: command.name, words, terminal: command.terminal ?? 'pages' };
}

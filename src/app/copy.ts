/** The kubectl commands that say the same as the row under the cursor, for the clipboard. */

import { isApplicable } from '../diagnosis/finding.ts';
import type { GraphNode } from '../graph/node.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { shownUid } from '../model/synthetic-uid.ts';
import { remedyCommand } from '../text/remedy-command.ts';
import { sanitise } from '../text/sanitise.ts';
import { currentNode } from './current.ts';
import type { PickerItem, State } from './state.ts';

// Kubernetes' names need no quotes in any shell; anything else gets them, so that nothing in a name can act.
const plain = /^[A-Za-z0-9@%+=:,./_-]+$/u;

/** A word as a POSIX shell reads it back. Text that a terminal could misread is taken out first. */
export function shellWord(text: string): string {
  const clean = sanitise(text);
  return plain.test(clean) && !clean.startsWith('-') ? clean : `'${clean.replaceAll("'", String.raw`'\''`)}'`;
}

/** `pods`, `statefulsets.v1.apps`: with the version, because two versions of one resource may be served. */
function fullResourceName(type: ResourceType): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.version}.${type.group}`;
}

export function copyItems(state: State): PickerItem[] {
  const node = currentNode(state);
  const object = node?.object;
  if (node === undefined || object === undefined) return [];
  const name = sanitise(object.name);
  const target = shellWord(`${fullResourceName(object.type)}/${name}`);
  const namespace = object.namespace === '' ? '' : ` -n ${shellWord(object.namespace)}`;
  const context =
    state.info?.source === 'cluster' && state.info.context !== undefined
      ? ` --context ${shellWord(state.info.context)}`
      : '';
  const where = `${namespace}${context}`;
  const uid = sanitise(shownUid(object.uid));
  const command = (text: string): PickerItem => ({ id: text, label: text, hint: '' });
  return [
    command(`kubectl gc-tree why ${target}${where}`),
    ...remedyItems(state, node, context),
    command(`kubectl gc-tree tree ${target}${where}`),
    command(`kubectl get ${target}${where} -o yaml`),
    command(`kubectl describe ${target}${where}`),
    { id: name, label: name, hint: 'name' },
    ...(uid === '' ? [] : [{ id: uid, label: uid, hint: 'uid' }]),
  ];
}

/** Each remedy twice: as this tool applies it, with a forecast and a way back, and as kubectl does the same. */
function remedyItems({ cluster }: State, { object, identity }: GraphNode, context: string): PickerItem[] {
  const { problems } = cluster ?? {};
  if (cluster === undefined || object === undefined || problems?.complete !== true) return [];
  return problems.diagnostics
    .remediesOf(problems.diagnosis, object)
    .filter(isApplicable)
    .flatMap(({ id, kubectl, risk }) => {
      const commands = [`${remedyCommand(cluster.view.catalog, identity, id)}${context}`, kubectl];
      return commands
        .map(sanitise)
        .filter(text => text !== '')
        .map(text => ({ id: text, label: text, hint: risk }));
    });
}

/**
 * An action that takes away a handler together with what it has to clean up: who is left without it, and the order that
 * works, which is to delete those first and to wait until they are gone.
 */
import { compareBytes, type Identity } from '../../graph/node.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ShellCommand, ShellCommands } from '../../model/text/shell-line.ts';
import { groupResource } from '../../model/types/resource-type.ts';
import type { Action, DeleteAction } from '../action.ts';
import { kubectlDelete, kubectlType, namespaceFlag } from '../requests.ts';
import type { Stage } from '../run.ts';
import type { TerminatingObject, Warning } from './plan.ts';

/** So many objects of a namespace are named in a command. */
const NAMED = 20;

/** One for each finalizer whose handler goes too, in their order. `terminating`: of every end, each object once or more. */
export function handlersFirst(
  stage: Stage,
  performed: Action,
  terminating: readonly TerminatingObject[],
): Warning<'handlerGoesToo'>[] {
  if (performed.verb !== 'delete') return [];
  const found = new Map<string, { words: string; finalizer: string; objects: Map<Uid, Identity> }>();
  for (const { object, handlers, anyway } of terminating) {
    for (const { state, finalizer, words } of handlers) {
      if (state !== 'goesToo' || anyway) continue;
      const group = found.get(finalizer) ?? { words, finalizer, objects: new Map() };
      found.set(finalizer, group);
      group.objects.set(object.uid, object);
    }
  }
  const held = [...found.values()].flatMap(({ objects }) => [...objects.values()]);
  const order = orderOf(stage, performed, held);
  return [...found.values()]
    .sort((a, b) => compareBytes(a.finalizer, b.finalizer))
    .map(({ objects, ...each }, index, { length }) => ({
      code: 'handlerGoesToo',
      ...each,
      objects: [...objects.values()],
      // It is one for all of them.
      order: index === length - 1 ? order : [],
    }));
}

/** What is held first, then the rest of the targets; none where that is too much for commands. */
function orderOf({ base, view }: Stage, performed: DeleteAction, held: readonly Identity[]): ShellCommands {
  const objects = [...new Set(held.flatMap(({ uid }) => base.byUid(uid) ?? []))];
  const first: ShellCommand[] = [];
  const named: KubeObject[] = [];
  for (const alike of Map.groupBy(
    objects,
    each => `${groupResource(each.type)} ${each.namespace}`,
  ).values()) {
    const [{ type, namespace } = { type: undefined, namespace: '' }] = alike;
    if (type === undefined) continue;
    // Of a kind that isn't seen there may be others, which nobody asked to delete.
    const isSeen = alike.length > 1 && view.sees(type, namespace);
    const isAll = isSeen && [...base.list(type, namespace)].length === alike.length;
    if (isAll) {
      const words = [
        'kubectl',
        'delete',
        kubectlType(view.catalog, type),
        '--all',
        ...namespaceFlag(namespace),
      ];
      first.push({ words });
    } else if (alike.length > NAMED) return [];
    else named.push(...alike);
  }
  const cleared = new Set(objects.map(({ uid }) => uid));
  const rest = performed.targets.filter(({ uid }) => !cleared.has(uid));
  return [
    ...first,
    ...kubectlDelete(view.catalog, { verb: 'delete', cascade: 'background', targets: named }),
    ...kubectlDelete(view.catalog, { ...performed, targets: rest }),
  ];
}

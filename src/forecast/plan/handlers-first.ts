/** Warns if an action deletes a handler along with the objects it must clean up, and lists a safe order. */
import { compareBytes, type Identity } from '../../graph/index.ts';
import {
  type KubeObject,
  ResourceType,
  type ShellCommand,
  type ShellCommands,
  type Uid,
} from '../../model/index.ts';
import type { Action, DeleteAction } from '../action.ts';
import { kubectlDelete, requestWords } from '../request-paths.ts';
import type { Stage } from '../simulated-run.ts';
import type { TerminatingObject, Warning } from './forecast-result.ts';

const NAMED = 20;

/** Returns one warning per finalizer whose handler is deleted, sorted. `terminating` may repeat objects. */
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
      // One order covers all of them.
      order: index === length - 1 ? order : [],
    }));
}

/** Deletes held objects before the other targets; empty if that takes too many commands. */
function orderOf({ base, view }: Stage, performed: DeleteAction, held: readonly Identity[]): ShellCommands {
  const objects = [...new Set(held.flatMap(({ uid }) => base.byUid(uid) ?? []))];
  const first: ShellCommand[] = [];
  const named: KubeObject[] = [];
  for (const alike of Map.groupBy(
    objects,
    each => `${ResourceType.groupResource(each.type)} ${each.namespace}`,
  ).values()) {
    const [{ type, namespace } = { type: undefined, namespace: '' }] = alike;
    if (type === undefined) continue;
    // An unseen kind may have other objects, which must not be deleted.
    const isSeen = alike.length > 1 && view.sees(type, namespace);
    const isAll = isSeen && [...base.list(type, namespace)].length === alike.length;
    if (isAll) {
      const words = [
        'kubectl',
        'delete',
        requestWords.kubectlType(view.catalog, type),
        '--all',
        ...requestWords.namespaceFlag(namespace),
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

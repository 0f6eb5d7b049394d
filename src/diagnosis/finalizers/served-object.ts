/** Judges the handler of a finalizer whose controller runs for one object, and is gone with it: a topic operator. */
import {
  type KubeObject,
  labelRules,
  objectTitle,
  record,
  type ServedObject,
  shownName,
} from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { workloadKinds } from './controller-signs.ts';
import { type Handler, withWorkloads } from './handler.ts';
import { namesIn, typeNamed, valuesAt } from './naming.ts';

/** Marks a handler as gone if the object that it ran for is gone. */
export function withServedObject(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const { entry, finalizer, evidence } = handler;
  const served = entry?.standsFor;
  // A workload found by its name needs no such object.
  if (served === undefined || (served.workload !== undefined && handler.workloads.length > 0)) return handler;
  const [named] = namesIn(tracked, { object, finalizer }, served.name);
  if (named === undefined) return handler;
  const { name } = named;
  const { kind, called } = served;
  const type = typeNamed(tracked, kind);
  const namespace = type?.namespaced === false ? '' : object.namespace;
  const title = shownName(namespace === '' || type === undefined ? name : `${namespace}/${name}`);
  const whose = served.whose.replace('{name}', () => title);
  const judged = { ...handler, name: whose, workloads: [] };
  const enough = `that ${entry?.controller.name} runs is not enough`;
  const found = type && tracked.find(type, namespace, name);
  if (found !== undefined && isLeftOut(tracked, found, { object, selecting: served.selecting }))
    return {
      ...judged,
      presence: 'absent',
      gone: true,
      evidence: [...evidence, `${objectTitle(found)}: no selector in ${served.selecting} selects it`],
      words: `only ${whose} removes it, and that ${called} doesn't select it any more: ${enough}`,
    };
  if (found !== undefined) {
    const running = { ...handler, name: whose, words: `${whose} removes it, and that ${called} exists` };
    return withOwnWorkload(tracked, running, served, { namespace, name });
  }
  if (type !== undefined && tracked.lacks(type, namespace, name) && !isElsewhere(tracked, kind, name)) {
    return {
      ...judged,
      presence: 'absent',
      gone: true,
      evidence: [...evidence, `no ${kind} ${title}`],
      words: `only ${whose} removes it, and that ${called} no longer exists: ${enough}`,
    };
  }
  return {
    ...judged,
    presence: 'unknown',
    evidence: [...evidence, `${kind} ${title}: cannot be seen`],
    words: `only ${whose} removes it, and whether that ${called} still exists cannot be seen: ${enough}`,
    outside: false,
  };
}

/** Returns true if selectors are known, and none of them selects the object. */
function isLeftOut(
  tracked: TrackedView,
  served: KubeObject,
  { object, selecting }: { readonly object: KubeObject; readonly selecting: string | undefined },
): boolean {
  const selectors = selecting === undefined ? [] : valuesAt(tracked, served, selecting);
  return (
    selectors.length > 0 &&
    !selectors.some(each => labelRules.selects(labelRules.selectorIn(record(each)), object.labels))
  );
}

/** Checks for an object of that name in any namespace: its controller may watch other namespaces than its own. */
function isElsewhere(tracked: TrackedView, kind: string, name: string): boolean {
  const type = typeNamed(tracked, kind);
  if (type === undefined) return true;
  if (!type.namespaced) return false;
  return !tracked.view.seesAll(type) || [...tracked.all(type)].some(each => each.name === name);
}

function withOwnWorkload(
  tracked: TrackedView,
  handler: Handler,
  { workload = '' }: ServedObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Handler {
  if (workload === '') return handler;
  const own = workload.replace('{name}', () => name);
  const types = workloadKinds.map(([apiVersion, kind]) => tracked.type(apiVersion, kind));
  const found = types.flatMap(type => (type && tracked.find(type, namespace, own)) ?? []);
  const [object] = found;
  if (object !== undefined) return withWorkloads(tracked, handler, [{ object, by: 'its name' }]);
  if (!types.every(type => tracked.lacks(type, namespace, own)))
    return { ...handler, presence: 'unknown', outside: false };
  const missing = objectTitle({ kind: 'Deployment', namespace, name: own });
  return {
    ...handler,
    presence: 'unhealthy',
    evidence: [...handler.evidence, `no ${missing}`],
    words: `only ${handler.name} removes it, and ${missing} doesn't exist`,
  };
}

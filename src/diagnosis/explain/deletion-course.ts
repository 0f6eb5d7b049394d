/** Explains why an object is being deleted, from its namespace, owners, time to live and manager. */

import { OwnerStatus } from '../../collector/index.ts';
import { otherDeleters } from '../../forecast/index.ts';
import { type GraphNode, objectDeletion } from '../../graph/index.ts';
import {
  enumerated,
  isoTime,
  type KubeObject,
  type OwnerReference,
  objectTitle,
  workloadFacts,
} from '../../model/index.ts';
import { ownerTitle } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { ManagedBy } from './managed-by.ts';

/** Returns whole sentences, or none: nothing in the cluster records who asked for a deletion. */
export function explainDeletion(
  tracked: TrackedView,
  node: GraphNode,
  managers: readonly ManagedBy[],
): readonly string[] {
  const { object } = node;
  const at = object && objectDeletion.requestedAt(object);
  if (object === undefined || at === undefined) return [];
  const namespace =
    object.namespace === '' ? undefined : tracked.findKind('v1', 'Namespace', '', object.namespace);
  if (namespace !== undefined && wasDeletedBy(namespace, at))
    return [`${objectTitle(namespace)} is being deleted, and with it everything that it contains.`];
  return [
    ...explainByOwners(tracked, node, at),
    ...explainByAge(object, at),
    ...managers.flatMap(each => explainByManager(tracked, each, at)),
  ];
}

function wasDeletedBy(object: KubeObject, at: number): boolean {
  const since = objectDeletion.requestedAt(object);
  return since !== undefined && since <= at;
}

/** Returns nothing if an owner keeps the object. A recreated owner has a finding of its own. */
function explainByOwners(tracked: TrackedView, node: GraphNode, at: number): readonly string[] {
  const gone: OwnerReference[] = [];
  const going: OwnerReference[] = [];
  for (const reference of node.owners) {
    const status = tracked.ownerStatus(node, reference);
    const owner = tracked.node(reference.uid)?.object;
    if (status === 'Absent') gone.push(reference);
    else if (status === 'WaitingForDependents' && owner !== undefined && wasDeletedBy(owner, at))
      going.push(reference);
    else if (!OwnerStatus.isDangling(status)) return [];
  }
  const sentences: string[] = [];
  if (going.length > 0)
    sentences.push(
      `${ownersWords(going)} being deleted in the foreground: the garbage collector deletes what it owns first.`,
    );
  else if (gone.length > 0 && !gone.some(each => wasRecreated(tracked, node, each)))
    sentences.push(`${ownersWords(gone)} gone: the garbage collector deletes what it owned.`);
  return sentences;
}

function ownersWords(owners: readonly OwnerReference[]): string {
  const names = enumerated([...new Set(owners.map(ownerTitle))]);
  return owners.length === 1 ? `Its owner ${names} is` : `Its owners ${names} are`;
}

function wasRecreated(tracked: TrackedView, { identity }: GraphNode, reference: OwnerReference): boolean {
  const type = tracked.type(reference.apiVersion, reference.kind);
  const namespace = type?.namespaced === true ? identity.namespace : '';
  return type !== undefined && tracked.find(type, namespace, reference.name) !== undefined;
}

function explainByAge(object: KubeObject, at: number): readonly string[] {
  const facts = workloadFacts(object);
  const expiry = facts && otherDeleters.expiry(facts);
  return expiry === undefined || expiry.at > at
    ? []
    : [
        `Its ttlSecondsAfterFinished of ${expiry.ttl} was over at ${isoTime(expiry.at)}: the TTL-after-finished controller deletes it then.`,
      ];
}

function explainByManager(
  tracked: TrackedView,
  { tool, called, name, namespace, object }: ManagedBy,
  at: number,
): readonly string[] {
  const manager = object && tracked.node(object.uid)?.object;
  if (manager === undefined || !wasDeletedBy(manager, at)) return [];
  const title = `${tool} ${called} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return [`${title}, which manages it, was deleted before it.`];
}

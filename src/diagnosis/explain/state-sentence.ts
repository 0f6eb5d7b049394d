/** Describes an object without findings: its owners, the collector's next step, or its deletion's progress. */

import type { OwnerStatus } from '../../collector/index.ts';
import { type GraphNode, isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  enumerated,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
  shownName,
} from '../../model/index.ts';
import { namespaceGoing } from '../cluster/namespace-content.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { ownerFaults } from '../waits/chain.ts';

export function stateSentence(tracked: TrackedView, node: GraphNode): string {
  const { object } = node;
  if (object === undefined) return absentSentence(tracked, node);
  return isDeleting(object) ? deletingSentence(tracked, node, object) : liveSentence(tracked, node, object);
}

/** Describes an owner known only from references (a virtual node, docs/kubernetes.md §1.1). */
function absentSentence(tracked: TrackedView, node: GraphNode): string {
  const { identity } = node;
  const type = tracked.type(identity.apiVersion, identity.kind);
  const namespace = type?.namespaced === false ? '' : identity.namespace;
  const name = objectTitle({ ...identity, namespace });
  const dependents = tracked.dependents(node);
  const statuses = new Set<OwnerStatus>();
  for (const { uid } of dependents) {
    const dependent = tracked.node(uid);
    if (dependent === undefined) continue;
    for (const reference of dependent.owners)
      if (reference.uid === identity.uid) statuses.add(tracked.ownerStatus(dependent, reference));
  }
  const named = titles(dependents, identity.namespace);
  const refer = `${named} still ${dependents.length === 1 ? 'refers' : 'refer'} to it as owner`;
  if (statuses.has('Unresolvable'))
    return `${name} is of a kind that the API server doesn't serve (${shownName(identity.apiVersion)} ${shownName(identity.kind)}), so it is unknown whether it exists; ${refer}.`;
  if (statuses.has('Unknown'))
    return `${name} cannot be seen, because its kind cannot be listed, so it may exist; ${refer}.`;
  if (statuses.has('Solid') || statuses.has('WaitingForDependents'))
    return `${name} exists, though no list holds it yet; ${refer}.`;
  return `${name} doesn't exist; ${refer}.`;
}

function deletingSentence(tracked: TrackedView, node: GraphNode, object: KubeObject): string {
  const name = objectTitle(node.identity);
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return `${name} is being deleted and orphans its dependents: it is deleted when the garbage collector has removed the owner reference from each of them.`;
  if (object.facts?.kind === 'Pod' && (object.deletionGracePeriodSeconds ?? 0) > 0)
    return podSentence(tracked, object, name);
  if (objectDeletion.isForeground(object)) return foregroundSentence(tracked, node, object, name);
  const finalizers = objectDeletion.finalizers(object);
  const [first, ...more] = finalizers;
  if (first === undefined) return `${name} is being deleted.`;
  const others = more.length === 0 ? '' : ` and ${more.join(', ')}`;
  return `${name} is being deleted and stays until the ${more.length === 0 ? 'finalizer' : 'finalizers'} ${first}${others} ${more.length === 0 ? 'is' : 'are'} removed.`;
}

/** Describes a pod, which waits for its kubelet until its grace period is over (docs/kubernetes.md §4.5). */
function podSentence(tracked: TrackedView, object: KubeObject, name: string): string {
  const nodeName = object.facts?.kind === 'Pod' ? object.facts.nodeName : '';
  const kubelet = nodeName === '' ? 'its kubelet' : `the kubelet of ${nodeName}`;
  const over = (object.deletionTimestamp ?? 0) <= tracked.now;
  const holders =
    object.finalizers.length === 0 ? '' : `, and then until ${object.finalizers.join(', ')} is removed`;
  return over
    ? `${name} is being deleted: its grace period is over, and it stays until ${kubelet} says that its containers have stopped${holders}.`
    : `${name} is being deleted: its containers are in their grace period, and it stays until ${kubelet} says that they have stopped${holders}.`;
}

function foregroundSentence(tracked: TrackedView, node: GraphNode, object: KubeObject, name: string): string {
  const blocking = tracked.dependents(node).filter(each => objectDeletion.isBlockedBy(each, object.uid));
  if (blocking.length > 0)
    return `${name} is being deleted in the foreground and waits until ${titles(blocking, object.namespace)} ${blocking.length === 1 ? 'is' : 'are'} deleted first.`;
  tracked.reliesOnDependents(node.identity);
  const unseen = tracked.view.completeEverywhere ? '' : ' that can be seen';
  return `${name} is being deleted in the foreground; no dependent${unseen} holds it any more, and the garbage collector removes it next.`;
}

function liveSentence(tracked: TrackedView, node: GraphNode, object: KubeObject): string {
  const name = objectTitle(node.identity);
  const { verdict, certainty } = tracked.verdict(node);
  const doubt = certainty === 'exact' ? '' : ', as far as can be seen';
  const going = namespaceGoing(tracked, object);
  if (going !== '') return `${name} will be deleted: ${going}.`;
  switch (verdict) {
    case 'DeleteBackground':
    case 'DeleteForeground':
    case 'UnblockAndDelete':
    case 'DeleteOrphan':
      return `${name} will be deleted by the garbage collector${doubt}: ${brokenOwners(tracked, node, object)}.`;
    case 'RetryForever':
      return `${name} stays as it is${doubt}: the garbage collector cannot decide about it, because ${brokenOwners(tracked, node, object) || `its own kind ${object.type.kind} isn't served any more`}.`;
    case 'NeverCollected':
      return `${name} is never collected: it is cluster-scoped, and ${brokenOwners(tracked, node, object)}.`;
    case 'PruneReferences':
      return `${name} stays${doubt}: ${holdingOwners(tracked, node, object)}. The garbage collector removes the other references: ${brokenOwners(tracked, node, object)}.`;
    case 'None':
    case 'WaitForDependents':
    case 'RemoveForegroundFinalizer':
    case 'OrphanDependents':
      if (object.owners.length === 0)
        return `${name} is not being deleted, and nothing owns it: the garbage collector leaves it alone.`;
      // The first collector overlooks broken owners.
      if (holdingOwners(tracked, node, object) === '')
        return `${name} is not being deleted${doubt}: ${brokenOwners(tracked, node, object)}, but the garbage collector of Kubernetes 1.5 does not act on that.`;
      return `${name} is not being deleted${doubt}: ${holdingOwners(tracked, node, object)}, and it is deleted when ${object.owners.length === 1 ? 'its owner is' : 'the last of its owners is'}.`;
  }
}

/** Returns `ReplicaSet api-h owns it`, or a phrase that none is seen to hold. */
function holdingOwners(tracked: TrackedView, node: GraphNode, object: KubeObject): string {
  const words: string[] = [];
  for (const reference of object.owners) {
    const status = tracked.ownerStatus(node, reference);
    const owner = ownerName(tracked, object, reference);
    if (status === 'Unknown') words.push(`its owner ${owner} cannot be seen and is taken to exist`);
    if (status !== 'Solid') continue;
    const deleting = tracked.node(reference.uid)?.object?.deletionTimestamp !== undefined;
    const does = reference.controller === true ? 'controls' : 'owns';
    words.push(
      deleting ? `${owner} ${does} it, and is still there while it is being deleted` : `${owner} ${does} it`,
    );
  }
  return words.join(', ');
}

const broken: Readonly<Record<OwnerStatus, string | undefined>> = {
  ...ownerFaults,
  Solid: undefined,
  Unknown: undefined,
  OtherNamespace: 'is in another namespace, where no owner counts',
  ClusterScopeViolation: 'is namespaced',
};

function brokenOwners(tracked: TrackedView, node: GraphNode, object: KubeObject): string {
  const words: string[] = [];
  for (const reference of object.owners) {
    const fault = broken[tracked.ownerStatus(node, reference)];
    if (fault !== undefined) words.push(`its owner ${ownerName(tracked, object, reference)} ${fault}`);
  }
  return words.join(', ');
}

function ownerName(
  tracked: TrackedView,
  object: KubeObject,
  { apiVersion, kind, name }: OwnerReference,
): string {
  const namespaced = tracked.type(apiVersion, kind)?.namespaced ?? true;
  return objectTitleIn({ kind, namespace: namespaced ? object.namespace : '', name }, object.namespace);
}

function titles(objects: readonly KubeObject[], namespace: string): string {
  return enumerated(objects.map(each => objectTitleIn(each, namespace)).sort());
}

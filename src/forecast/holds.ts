/** Lists the holds on a deletion, one step at a time (docs/kubernetes.md §3, §4.5, §8, §10). */

import type { Classified } from '../collector/index.ts';
import { compareBytes, isDeleting, objectDeletion } from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  isMirrorPod,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectState,
  podFacts,
  type ResourceType,
} from '../model/index.ts';
import { specialStores } from '../simulation/index.ts';

export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

export interface HoldWorld {
  type(apiVersion: string, kind: string): ResourceType | undefined;
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined;
  list(type: ResourceType, namespace: string): Iterable<KubeObject>;
  /** Objects with an owner reference to this one's uid. */
  ownedBy(owner: KubeObject): readonly KubeObject[];
  /** Objects the namespace controller would have to delete. */
  contents(namespace: string): readonly KubeObject[];
  /** Returns unseen content that the namespace's conditions report, in words; `''` if none. */
  reported(namespace: KubeObject): string;
  /** Returns why the API server cannot list instances or content, as a clause; `''` if no condition says so. */
  unlisted(object: KubeObject): string;
  instances(definition: KubeObject): readonly KubeObject[];
  /** Classifies references as the collector would (docs/kubernetes.md §2.3). */
  classify(object: KubeObject): Classified;
  readonly undiscoverable: readonly string[];
  /** Returns the request about the object that admission refuses, if known. */
  refusal?(object: KubeObject): Omit<HoldEnds['admission'], 'finalizer'> | undefined;
  reached(at: number): boolean;
}

/** A hold that leads to another object, which may be held in turn. */
export interface HoldByObject {
  /**
   * - `dependent`: blocks the foreground deletion.
   * - `content`: still in the namespace; `instance`: of the definition.
   * - `user`: a pod that mounts the claim; `claim`: bound to the volume.
   */
  readonly by: 'dependent' | 'content' | 'instance' | 'user' | 'claim';
  readonly finalizer: string;
  readonly object: KubeObject;
}

/** Holds that don't lead to an object. `finalizer` is `''` if none is the reason. */
interface HoldEnds {
  finalizer: { finalizer: string };
  itself: { finalizer: string };
  /** The collector must release the dependents (`orphaning`), or notice that none blocks (`unblocked`). */
  collector: { finalizer: string; awaits: 'orphaning' | 'unblocked' };
  unseenClaim: { finalizer: string; namespace: string; name: string };
  /**
   * Unseen instances or content. `reported`: as the namespace's conditions name it, else `''`. `unlisted`: why the API
   * server cannot list it, as a clause, if a condition says so.
   */
  unseen: { finalizer: string; what: 'instances' | 'content'; reported: string; unlisted: string };
  discovery: { finalizer: string; groupVersions: readonly string[] };
  /**
   * A kubelet must confirm the stop. `grace`: not yet due; `notReady`, `missing`: the node can't confirm.
   * `mirror`: it only has to delete the mirror of a static pod.
   */
  kubelet: {
    finalizer: '';
    node: string;
    state: 'grace' | 'ready' | 'notReady' | 'missing';
    mirror: boolean;
  };
  /** Nothing holds it: the API server has to delete it. */
  apiServer: { finalizer: '' };
  /** Not being deleted, because the collector fails on this reference. */
  uncollected: {
    finalizer: '';
    because: 'unresolvable' | 'clusterScope' | 'unknown';
    reference: OwnerReference;
  };
  /** Admission refuses the next request; `words` explain it. */
  admission: { finalizer: string; operation: 'DELETE' | 'UPDATE'; actor: string; words: string };
  alive: { finalizer: '' };
}

export type HoldEnd = { [B in keyof HoldEnds]: Readonly<{ by: B } & HoldEnds[B]> }[keyof HoldEnds];

export type Hold = HoldByObject | HoldEnd;

export function leadsOn(hold: { readonly by: string }): hold is HoldByObject {
  return 'object' in hold;
}

/** Lists all holds on the object, never empty. Earlier steps come first. */
export function holdsOf(world: HoldWorld, object: KubeObject): Hold[] {
  const refusal = world.refusal?.(object);
  if (!isDeleting(object))
    return [
      refusal === undefined ? notDeleting(world, object) : { by: 'admission', finalizer: '', ...refusal },
    ];
  const found = deletingHolds(world, object);
  if (refusal === undefined) return found;
  // Holds by objects must end before the request is sent.
  return found.map(hold =>
    awaitsRequest(hold) ? { by: 'admission', finalizer: hold.finalizer, ...refusal } : hold,
  );
}

/** Checks if the next step is a request about the object itself. */
function awaitsRequest(hold: Hold): boolean {
  const { by } = hold;
  return (
    by === 'finalizer' ||
    by === 'apiServer' ||
    by === 'kubelet' ||
    (by === 'collector' && hold.awaits === 'unblocked')
  );
}

function deletingHolds(world: HoldWorld, object: KubeObject): Hold[] {
  const holds: Hold[] = [];
  if (awaitsKubelet(object)) holds.push(kubelet(world, object));
  for (const finalizer of new Set(objectDeletion.finalizers(object)))
    holds.push(...heldBy(world, object, finalizer));
  if (holds.length > 0) return holds;
  return [podFacts(object)?.nodeName ? kubelet(world, object) : { by: 'apiServer', finalizer: '' }];
}

function heldBy(world: HoldWorld, object: KubeObject, finalizer: string): Hold[] {
  const { facts } = object;
  switch (finalizer) {
    case FOREGROUND_FINALIZER:
      return blockers(world, object);
    case ORPHAN_FINALIZER: {
      const refused = world.ownedBy(object).filter(each => world.refusal?.(each) !== undefined);
      if (refused.length === 0) return [{ by: 'collector', finalizer, awaits: 'orphaning' }];
      return refused.sort(byName).map(each => ({ by: 'dependent', finalizer, object: each }));
    }
    case specialStores.namespaceFinalizer:
      if (facts?.kind === 'Namespace') return content(world, object);
      break;
    case specialStores.crdFinalizer: {
      const left = world.instances(object);
      if (left.length === 0)
        return [
          { by: 'unseen', finalizer, what: 'instances', reported: '', unlisted: world.unlisted(object) },
        ];
      return [...left].sort(byName).map(each => ({ by: 'instance', finalizer, object: each }));
    }
    case CLAIM_PROTECTION: {
      const users = usersOf(world, object);
      if (users.length > 0) return users.map(each => ({ by: 'user', finalizer, object: each }));
      break;
    }
    case VOLUME_PROTECTION:
      if (facts?.kind === 'PersistentVolume' && facts.phase === 'Bound') {
        const { claimNamespace: namespace, claimName: name } = facts;
        const type = world.type('v1', 'PersistentVolumeClaim');
        const claim = type && world.find(type, namespace, name);
        return claim === undefined
          ? [{ by: 'unseenClaim', finalizer, namespace, name }]
          : [{ by: 'claim', finalizer, object: claim }];
      }
      break;
  }
  return [{ by: 'finalizer', finalizer }];
}

/** Lists dependents that block the foreground deletion (docs/kubernetes.md §3.1). */
export function blockingDependents(world: Pick<HoldWorld, 'ownedBy'>, owner: KubeObject): KubeObject[] {
  return world
    .ownedBy(owner)
    .filter(each => objectDeletion.isBlockedBy(each, owner.uid))
    .sort(byName);
}

function blockers(world: HoldWorld, owner: KubeObject): Hold[] {
  const finalizer = FOREGROUND_FINALIZER;
  const blocking = blockingDependents(world, owner);
  if (blocking.length === 0) return [{ by: 'collector', finalizer, awaits: 'unblocked' }];
  return blocking.map(object =>
    object.uid === owner.uid ? { by: 'itself', finalizer } : { by: 'dependent', finalizer, object },
  );
}

/** Explains why an object isn't deleted: the reference the collector fails on, or nothing yet. */
function notDeleting(world: HoldWorld, object: KubeObject): Hold {
  const classified = object.owners.length === 0 ? undefined : world.classify(object);
  if (classified?.failed !== true) return { by: 'alive', finalizer: '' };
  const { because, reference } = classified;
  return { by: 'uncollected', finalizer: '', because, reference };
}

/** Lists pods that protect a claim: scheduled ones that mount it, finished or not. */
function usersOf(world: HoldWorld, claim: KubeObject): KubeObject[] {
  const podType = world.type('v1', 'Pod');
  if (podType === undefined) return [];
  const users: KubeObject[] = [];
  for (const pod of world.list(podType, claim.namespace)) {
    const facts = podFacts(pod);
    if (facts === undefined || facts.nodeName === '') continue;
    const mounts =
      facts.claims.includes(claim.name) ||
      facts.ephemeralVolumes.some(volume => `${pod.name}-${volume}` === claim.name);
    if (mounts) users.push(pod);
  }
  return users.sort(byName);
}

/** Lists the content left. Pods come first: nothing else is deleted before them. */
function content(world: HoldWorld, namespace: KubeObject): Hold[] {
  const finalizer = specialStores.namespaceFinalizer;
  const { undiscoverable: groupVersions } = world;
  const holds: Hold[] = groupVersions.length === 0 ? [] : [{ by: 'discovery', finalizer, groupVersions }];
  const left = world.contents(namespace.name);
  const pods = left.filter(({ type }) => type.kind === 'Pod' && type.group === '');
  const first = pods.length > 0 ? pods : left;
  const going = first.filter(isDeleting);
  for (const object of [...(going.length > 0 ? going : first)].sort(byName)) {
    holds.push({ by: 'content', finalizer, object });
  }
  const reported = world.reported(namespace);
  return holds.length > 0 && reported === ''
    ? holds
    : [...holds, { by: 'unseen', finalizer, what: 'content', reported, unlisted: world.unlisted(namespace) }];
}

/** Checks if the kubelet must still confirm: it sets the grace period to 0 once all containers have stopped. */
function awaitsKubelet(object: KubeObject): boolean {
  const nodeName = podFacts(object)?.nodeName ?? '';
  return nodeName !== '' && (object.deletionGracePeriodSeconds ?? 0) > 0;
}

function kubelet(world: HoldWorld, pod: KubeObject): Hold {
  const name = podFacts(pod)?.nodeName ?? '';
  const nodeType = world.type('v1', 'Node');
  const node = nodeType && world.find(nodeType, '', name);
  const kubelet = { by: 'kubelet', finalizer: '', node: name, mirror: isMirrorPod(pod) } as const;
  if (!world.reached(pod.deletionTimestamp ?? 0)) return { ...kubelet, state: 'grace' };
  if (node === undefined) return { ...kubelet, state: 'missing' };
  return { ...kubelet, state: objectState.isNodeReady(node) ? 'ready' : 'notReady' };
}

function byName(a: KubeObject, b: KubeObject): number {
  return (
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.type.kind, b.type.kind) ||
    compareBytes(a.name, b.name)
  );
}

/**
 * Which pods mount a PersistentVolumeClaim. An index, because a look through all pods of a namespace for each of
 * its claims would cost their product.
 */

import { claimsOfPod, type KubeObject, podFacts, type Uid } from '../../../model/object.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import type { ObjectReader } from '../../api/store.ts';

/**
 * Whether a pod keeps a claim from being let go of (pkg/controller/volume/pvcprotection, v1.36): it is bound to a
 * node, finished or not. A claim of an ephemeral volume must also belong to the pod, and is free once the
 * pod only waits for finalizers.
 */
export function usesClaim(pod: KubeObject, claim: KubeObject): boolean {
  const facts = podFacts(pod);
  if (facts === undefined || facts.nodeName === '') return false;
  if (facts.claims.includes(claim.name)) return true;
  const isShutDown = pod.deletionTimestamp !== undefined && pod.deletionGracePeriodSeconds === 0;
  if (isShutDown || !claim.owners.some(({ uid, controller }) => uid === pod.uid && controller === true)) {
    return false;
  }
  return facts.ephemeralVolumes.some(volume => `${pod.name}-${volume}` === claim.name);
}

type Users = Map<string, Set<Uid>>;

export class ClaimUsers {
  readonly #reader: ObjectReader;
  readonly #podType: ResourceType;
  readonly #namespaces = new Map<string, Users>();

  constructor(reader: ObjectReader, podType: ResourceType) {
    this.#reader = reader;
    this.#podType = podType;
  }

  /** A pod was added. What it mounts never changes. */
  observe(pod: KubeObject): void {
    const users = this.#namespaces.get(pod.namespace);
    if (users !== undefined) enter(users, pod);
  }

  forget(pod: KubeObject): void {
    const users = this.#namespaces.get(pod.namespace);
    for (const claim of claimsOfPod(pod)) users?.get(claim)?.delete(pod.uid);
  }

  /** Pods that name the claim. Whether they use it, `usesClaim` says. */
  of(claim: KubeObject): KubeObject[] {
    let users = this.#namespaces.get(claim.namespace);
    if (users === undefined) {
      users = new Map();
      for (const pod of this.#reader.list(this.#podType, claim.namespace)) enter(users, pod);
      this.#namespaces.set(claim.namespace, users);
    }
    const pods: KubeObject[] = [];
    for (const uid of users.get(claim.name) ?? []) {
      const pod = this.#reader.byUid(uid);
      if (pod !== undefined) pods.push(pod);
    }
    return pods;
  }
}

function enter(users: Users, pod: KubeObject): void {
  for (const claim of claimsOfPod(pod)) {
    const pods = users.get(claim);
    if (pods === undefined) users.set(claim, new Set([pod.uid]));
    else pods.add(pod.uid);
  }
}

/**
 * Protects claims and volumes in use (pkg/controller/volume/pvcprotection and pvprotection, v1.36), and releases
 * volumes of deleted claims (pkg/controller/volume/persistentvolume, v1.36), which stay, because drivers aren't
 * simulated.
 */

import {
  BuiltInKind,
  getOrInsert,
  type KubeObject,
  namespacedName,
  objectState,
  podFacts,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { ObjectReader } from '../api/object-store.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SyncResult } from '../runtime/work-queue.ts';
import { controllerReference } from './claiming.ts';
import { draftClaim } from './workloads/drafts.ts';

const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

/** Removes the finalizer from a deleted object, or adds a missing one otherwise; false if that was refused. */
export function settleFinalizer(context: ControllerContext, object: KubeObject, finalizer: string): boolean {
  const deleting = object.deletionTimestamp !== undefined;
  if (object.finalizers.includes(finalizer) !== deleting) return true;
  const finalizers = deleting
    ? object.finalizers.filter(each => each !== finalizer)
    : [...object.finalizers, finalizer];
  const { uid, resourceVersion } = object;
  const because = deleting ? 'nothing uses it any more' : 'it is to be protected';
  const answer = context.api.because(because).patch(object, { finalizers }, { uid, resourceVersion });
  return answer.ok || answer.status === 404 || answer.status === 422;
}

export class ClaimProtectionController implements Controller {
  readonly name = 'pvc-protection-controller';
  #users: ClaimUsers | undefined;

  start(context: ControllerContext): void {
    const queue = context.queue<string>('queue', key => this.#sync(context, key));
    const enqueueClaims = (pod: KubeObject): void => {
      for (const claim of objectState.claims(pod)) queue.add(`${pod.namespace}/${claim}`);
    };
    const enqueue = (claim: KubeObject): void => queue.add(namespacedName(claim));
    context.informer('PersistentVolumeClaim', { added: enqueue, updated: enqueue });
    context.informer('Pod', {
      added: pod => {
        this.#users?.observe(pod);
        enqueueClaims(pod);
      },
      updated: enqueueClaims,
      deleted: pod => {
        this.#users?.forget(pod);
        enqueueClaims(pod);
      },
    });
  }

  #sync(context: ControllerContext, key: string): SyncResult {
    const [namespace = '', name = ''] = key.split('/');
    const claim = context.find('PersistentVolumeClaim', namespace, name);
    const kept = claim?.deletionTimestamp !== undefined && this.#isUsed(context, claim);
    if (claim === undefined || kept) return 'done';
    return settleFinalizer(context, claim, CLAIM_PROTECTION) ? 'done' : 'retry';
  }

  /** Checks the cache alone; the real controller also lists live pods before it releases a claim. */
  #isUsed(context: ControllerContext, claim: KubeObject): boolean {
    const podType = context.type('Pod');
    if (podType === undefined) return false;
    this.#users ??= new ClaimUsers(context.cache, podType);
    return this.#users.of(claim).some(pod => usesClaim(pod, claim));
  }
}

export class VolumeProtectionController implements Controller {
  readonly name = 'pv-protection-controller';

  start(context: ControllerContext): void {
    const queue = context.queue<string>('queue', name => {
      const volume = context.find('PersistentVolume', '', name);
      const isBound = volume?.facts?.kind === 'PersistentVolume' && volume.facts.phase === 'Bound';
      if (volume === undefined || (volume.deletionTimestamp !== undefined && isBound)) return 'done';
      return settleFinalizer(context, volume, VOLUME_PROTECTION) ? 'done' : 'retry';
    });
    const enqueue = (volume: KubeObject): void => queue.add(volume.name);
    context.informer('PersistentVolume', { added: enqueue, updated: enqueue });
  }
}

export class VolumeBinderController implements Controller {
  readonly name = 'persistent-volume-binder';

  start(context: ControllerContext): void {
    const queue = context.queue<string>('queue', name => {
      const volume = this.#releasable(context, name);
      if (volume?.facts?.kind !== 'PersistentVolume') return 'done';
      const facts = { ...volume.facts, phase: 'Released' };
      const answer = context.api
        .because('its claim is gone')
        .patch(volume, { facts }, { uid: volume.uid, subresource: 'status' });
      return answer.ok || answer.status === 404 ? 'done' : 'retry';
    });
    context.informer('PersistentVolumeClaim', {
      deleted: claim => {
        if (claim.facts?.kind === 'PersistentVolumeClaim' && claim.facts.volumeName !== '') {
          queue.add(claim.facts.volumeName);
        }
      },
    });
    context.informer('PersistentVolume', { added: volume => queue.add(volume.name) });
  }

  #releasable(context: ControllerContext, name: string): KubeObject | undefined {
    const claimType = context.type('PersistentVolumeClaim');
    const volume = context.find('PersistentVolume', '', name);
    if (claimType === undefined || volume?.facts?.kind !== 'PersistentVolume') return undefined;
    const { phase, claimNamespace, claimName, claimUid } = volume.facts;
    if (phase !== 'Bound' || claimUid === '') return undefined;
    const claim = context.api.get({ type: claimType, namespace: claimNamespace, name: claimName });
    if (claim.ok) return claim.object.uid === claimUid ? undefined : volume;
    return claim.status === 404 ? volume : undefined;
  }
}

/**
 * Returns true if the pod holds the claim (pkg/controller/volume/pvcprotection, v1.36): it is bound to a node, even if
 * finished. An ephemeral volume's claim must belong to the pod, and is released once only finalizers hold the pod.
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

/** Pods by claim: searching a namespace's pods for each claim would cost their product. */
class ClaimUsers {
  readonly #reader: ObjectReader;
  readonly #podType: ResourceType;
  readonly #namespaces = new Map<string, Users>();

  constructor(reader: ObjectReader, podType: ResourceType) {
    this.#reader = reader;
    this.#podType = podType;
  }

  observe(pod: KubeObject): void {
    const users = this.#namespaces.get(pod.namespace);
    if (users !== undefined) enter(users, pod);
  }

  forget(pod: KubeObject): void {
    const users = this.#namespaces.get(pod.namespace);
    for (const claim of objectState.claims(pod)) users?.get(claim)?.delete(pod.uid);
  }

  of(claim: KubeObject): KubeObject[] {
    const users = getOrInsert(this.#namespaces, claim.namespace, () => {
      const named: Users = new Map();
      for (const pod of this.#reader.list(this.#podType, claim.namespace)) enter(named, pod);
      return named;
    });
    const uids = [...(users.get(claim.name) ?? [])];
    return uids.map(uid => this.#reader.byUid(uid)).filter(pod => pod !== undefined);
  }
}

function enter(users: Users, pod: KubeObject): void {
  for (const claim of objectState.claims(pod)) getOrInsert(users, claim, () => new Set()).add(pod.uid);
}

/**
 * Creates claims of ephemeral volumes (pkg/controller/volume/ephemeral/controller.go, v1.36), without unknown labels.
 */
export class EphemeralVolumeController implements Controller {
  readonly name = 'ephemeral-volume-controller';

  start(context: ControllerContext): void {
    const queue = context.queue<Uid>('pods', uid => {
      const pod = context.cache.byUid(uid);
      if (pod === undefined || pod.deletionTimestamp !== undefined) return 'done';
      return createClaims(context, pod) ? 'done' : 'retry';
    });
    context.informer('Pod', {
      added: pod => {
        if ((podFacts(pod)?.ephemeralVolumes.length ?? 0) > 0) queue.add(pod.uid);
      },
    });
    context.informer('PersistentVolumeClaim', {
      deleted: claim => {
        const owner = claim.owners.find(each => each.controller === true && BuiltInKind.of(each) === 'Pod');
        const pod = owner && context.cache.byUid(owner.uid);
        if (pod !== undefined) queue.add(pod.uid);
      },
    });
  }
}

function createClaims(context: ControllerContext, pod: KubeObject): boolean {
  const type = context.type('PersistentVolumeClaim');
  if (type === undefined) return true;
  return (podFacts(pod)?.ephemeralVolumes ?? []).every(volume => {
    const name = `${pod.name}-${volume}`;
    const existing = context.cache.find(type, pod.namespace, name);
    if (existing !== undefined) return existing.owners.some(({ uid }) => uid === pod.uid);
    const owners = [controllerReference(pod)];
    const draft = draftClaim({ type, namespace: pod.namespace, name, storageClassName: '', owners });
    const answer = context.api.because(`pod ${pod.name} has an ephemeral volume ${volume}`).create(draft);
    return answer.ok || answer.reason === 'NamespaceTerminating';
  });
}

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
  type VolumeClaimFacts,
  type VolumeFacts,
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
  readonly kinds = ['PersistentVolumeClaim', 'Pod'] as const;
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
  readonly kinds = ['PersistentVolume'] as const;

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

/** Binds a volume that is reserved by name to the claim of that name; other matches aren't simulated. */
export class VolumeBinderController implements Controller {
  readonly name = 'persistent-volume-binder';
  readonly kinds = ['PersistentVolumeClaim', 'PersistentVolume'] as const;

  start(context: ControllerContext): void {
    const volumes = context.queue<string>('queue', name => {
      const volume = context.find('PersistentVolume', '', name);
      const due = volume && this.#phaseDue(context, volume);
      if (volume?.facts?.kind !== 'PersistentVolume' || due === undefined) return 'done';
      const [phase, because] = due;
      return setPhase(context, volume, { ...volume.facts, phase }, because) ? 'done' : 'retry';
    });
    const claims = context.queue<string>('claims', key => bindReserved(context, key));
    context.informer('PersistentVolumeClaim', {
      added: claim => claims.add(namespacedName(claim)),
      deleted: claim => {
        if (claim.facts?.kind === 'PersistentVolumeClaim' && claim.facts.volumeName !== '') {
          volumes.add(claim.facts.volumeName);
        }
      },
    });
    context.informer('PersistentVolume', {
      added: volume => volumes.add(volume.name),
      // Skips bound volumes, whose claims may be unseen and would count as gone.
      updated: ({ name, facts }) => {
        if (facts?.kind !== 'PersistentVolume' || facts.claimName === '' || facts.claimUid !== '') return;
        volumes.add(name);
        claims.add(`${facts.claimNamespace}/${facts.claimName}`);
      },
    });
  }

  #phaseDue(context: ControllerContext, { facts }: KubeObject): readonly [string, string] | undefined {
    const type = context.type('PersistentVolumeClaim');
    if (type === undefined || facts?.kind !== 'PersistentVolume' || facts.phase !== 'Bound') return undefined;
    const { claimNamespace: namespace, claimName: name, claimUid } = facts;
    if (claimUid === '') return name === '' ? undefined : ['Available', 'it is reserved for a claim'];
    const claim = context.api.get({ type, namespace, name });
    const isGone = claim.ok ? claim.object.uid !== claimUid : claim.status === 404;
    return isGone ? ['Released', 'its claim is gone'] : undefined;
  }
}

function setPhase(
  { api }: ControllerContext,
  { type, namespace, name, uid }: KubeObject,
  facts: VolumeFacts | VolumeClaimFacts,
  because: string,
): boolean {
  const answer = api
    .because(because)
    .patch({ type, namespace, name }, { facts }, { uid, subresource: 'status' });
  return answer.ok || answer.status === 404;
}

/** Binds the claim to the volume whose `spec.claimRef` names it without a uid (syncUnboundClaim and bind). */
function bindReserved(context: ControllerContext, key: string): SyncResult {
  const [namespace = '', name = ''] = key.split('/');
  const claim = context.find('PersistentVolumeClaim', namespace, name);
  if (claim?.facts?.kind !== 'PersistentVolumeClaim' || isBound(claim.facts)) return 'done';
  const wanted = claim.facts.volumeName;
  for (const volume of context.list('PersistentVolume')) {
    const { facts } = volume;
    if (facts?.kind !== 'PersistentVolume' || volume.deletionTimestamp !== undefined) continue;
    const isReserved =
      facts.claimNamespace === namespace && facts.claimName === name && facts.claimUid === '';
    if (!isReserved || (wanted !== '' && wanted !== volume.name)) continue;
    const because = `it is reserved for ${name}`;
    const bound = { ...facts, claimUid: claim.uid, phase: 'Bound' };
    const { uid, resourceVersion } = volume;
    const api = context.api.because(because);
    if (!api.patch(volume, { facts: bound }, { uid, resourceVersion }).ok) return 'retry';
    if (!setPhase(context, volume, bound, because)) return 'retry';
    const claimed = { ...claim.facts, volumeName: volume.name, phase: 'Bound' };
    if (!api.patch(claim, { facts: claimed }, { uid: claim.uid }).ok) return 'retry';
    return setPhase(context, claim, claimed, because) ? 'done' : 'retry';
  }
  return 'done';
}

function isBound({ phase }: VolumeClaimFacts): boolean {
  return phase === 'Bound' || phase === 'Lost';
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
  readonly kinds = ['Pod', 'PersistentVolumeClaim'] as const;

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

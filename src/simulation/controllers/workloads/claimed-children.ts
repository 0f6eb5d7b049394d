/** Shared parts of the workload controllers (pkg/controller/replicaset/replica_set.go and its likes, v1.36). */

import {
  type BuiltInKind,
  controllerOf,
  getOrInsert,
  type KubeObject,
  namespacedName,
  type OwnerReference,
  type Uid,
  type WorkloadFacts,
} from '../../../model/index.ts';
import type { ApiAnswer, ApiClient, ObjectDraft } from '../../api/api-client.ts';
import { type ControllerContext, isKind } from '../../runtime/controller.ts';
import type { SimulatedQueue, SyncResult } from '../../runtime/work-queue.ts';
import {
  adoptedFinalizers,
  adoptedOwners,
  claim,
  OrphanIndex,
  releasedFinalizers,
  releasedOwners,
} from '../claiming.ts';

export interface WorkloadsOptions {
  readonly context: ControllerContext;
  readonly owner: BuiltInKind;
  readonly child: BuiltInKind;
  /** Returns true if an ownerless child might be adopted, so its changes wake the owner. */
  readonly matches: (owner: KubeObject, child: KubeObject) => boolean;
  readonly sync: (owner: KubeObject) => SyncResult;
  readonly ownerGone?: (owner: KubeObject) => void;
  /** Called for each seen or deleted child, before its owner is queued. */
  readonly childSeen?: (owner: KubeObject, child: KubeObject) => void;
}

interface ClaimOptions {
  readonly guards?: readonly string[];
  readonly isCandidate?: (child: KubeObject) => boolean;
}

export interface ClaimedChildren {
  readonly children: readonly KubeObject[];
  readonly failed: boolean;
}

export class Workloads {
  readonly expectations = new Expectations();
  readonly #options: WorkloadsOptions;
  readonly #queue: SimulatedQueue<string>;
  readonly #owners = new Map<string, { readonly namespace: string; readonly name: string }>();
  readonly #siblings = new Map<Uid, KubeObject>();
  #orphans: OrphanIndex | undefined;
  readonly #made = new Map<Uid, Uid>();
  /** Owners that would create and release children forever, with the generation for which that is proven. */
  readonly #flapping = new Map<Uid, number>();

  constructor(options: WorkloadsOptions) {
    this.#options = options;
    const { context, owner, child } = options;
    this.#queue = context.queue('queue', key => this.#run(key));
    context.informer(owner, {
      added: object => this.wake(object),
      updated: object => this.wake(object),
      deleted: object => this.#ownerDeleted(object),
    });
    context.informer(child, {
      added: object => this.#childChanged(object, undefined),
      updated: (object, old) => this.#childChanged(object, old),
      deleted: object => this.#childDeleted(object),
    });
  }

  wake(owner: KubeObject): void {
    this.#queue.add(this.#keyOf(owner));
  }

  writeStatus(owner: KubeObject, facts: WorkloadFacts): void {
    this.#options.context.api
      .because(`its ${this.#options.child === 'Pod' ? 'pods' : 'Jobs'} changed`)
      .patch(owner, { facts }, { uid: owner.uid, subresource: 'status' });
  }

  /**
   * Returns cached children whatever their labels. In some versions, pods are also matched by their reference's kind
   * and name (pkg/controller/controller_utils.go PodControllerIndexKey, v1.36).
   */
  controlled(owner: KubeObject): KubeObject[] {
    const { context, child } = this.#options;
    const wholly = owner.type.kind === 'DaemonSet' ? 'daemonPodsByReference' : 'podsByReference';
    const byUid = child !== 'Pod' || !context.behaviour.has(wholly);
    return context.cache.ownedBy(owner.uid).filter(object => {
      if (!isKind(object.type, child) || object.namespace !== owner.namespace) return false;
      const reference = controllerOf(object);
      if (reference?.uid !== owner.uid) return false;
      return byUid || (reference.kind === owner.type.kind && reference.name === owner.name);
    });
  }

  /** Returns the owner's last seen child, from which new ones copy unknown fields. */
  sibling(owner: KubeObject): KubeObject | undefined {
    return this.controlled(owner).at(-1) ?? this.#siblings.get(owner.uid);
  }

  /** Adopts and releases cached children. Adoption adds the finalizers `guards`, release removes them. */
  claim(
    owner: KubeObject,
    matches: (child: KubeObject) => boolean,
    { guards = [], isCandidate = () => true }: ClaimOptions = {},
  ): ClaimedChildren {
    const { api } = this.#options.context;
    const children: KubeObject[] = [];
    let failed = false;
    let mayAdopt: boolean | undefined;
    const candidates = [...this.controlled(owner), ...(this.#orphanIndex()?.in(owner.namespace) ?? [])];
    for (const child of candidates.filter(isCandidate)) {
      const decision = claim(owner, child, matches(child));
      if (decision === 'keep') children.push(child);
      if (decision === 'adopt') {
        mayAdopt ??= this.#isAlive(owner);
        const answer = mayAdopt ? adopt(api, owner, child, guards) : undefined;
        if (answer?.ok) children.push(answer.object);
        else if (answer?.status !== 404) failed = true;
      }
      if (decision === 'release') {
        this.#notePerpetual(owner, child);
        const answer = release(api, owner, child, guards);
        if (!answer.ok && answer.status !== 404 && answer.status !== 422) failed = true;
      }
    }
    return { children, failed };
  }

  /** Creates a child. `terminating`: the namespace is being deleted, so no attempt will succeed. */
  create(
    owner: KubeObject,
    draft: ObjectDraft,
    because: string,
  ): 'created' | 'exists' | 'terminating' | 'failed' {
    const answer = this.#options.context.api.because(because).create(draft);
    if (answer.ok) {
      this.expectations.created(owner.uid, answer.object.uid);
      this.#made.set(answer.object.uid, owner.uid);
      return 'created';
    }
    if (answer.reason === 'NamespaceTerminating') return 'terminating';
    return answer.reason === 'AlreadyExists' ? 'exists' : 'failed';
  }

  /** Deletes a child without a propagation policy; false if the request failed. */
  delete(owner: KubeObject, child: KubeObject, because: string): boolean {
    this.expectations.deleted(owner.uid, child.uid);
    const answer = this.#options.context.api.because(because).delete(child);
    if (!answer.ok) this.expectations.gone(owner.uid, child.uid);
    return answer.ok || answer.status === 404;
  }

  /** Checks, uncached, if this very owner exists and isn't being deleted. */
  #isAlive(owner: KubeObject): boolean {
    const answer = this.#options.context.api.get(owner);
    return answer.ok && answer.object.uid === owner.uid && answer.object.deletionTimestamp === undefined;
  }

  /** Detects an owner that releases its unchanged new children: the real controllers would repeat this forever. */
  #notePerpetual(owner: KubeObject, child: KubeObject): void {
    if (this.#made.get(child.uid) !== owner.uid || this.#isFlapping(owner)) return;
    this.#flapping.set(owner.uid, owner.generation);
    const { child: kind } = this.#options;
    const because = `its selector doesn't match the labels of the ${kind}s that it creates, so it releases each and creates another`;
    this.#options.context.flaps({ owner, child: kind, because });
  }

  #isFlapping(owner: KubeObject): boolean {
    return this.#flapping.get(owner.uid) === owner.generation;
  }

  #run(key: string): SyncResult {
    const place = this.#owners.get(key);
    const { context, owner: kind, sync } = this.#options;
    const owner = place && context.find(kind, place.namespace, place.name);
    if (owner === undefined) {
      this.#owners.delete(key);
      return 'done';
    }
    if (this.#isFlapping(owner)) return 'done';
    const result = sync(owner);
    if (typeof result === 'object') this.#queue.forget(key);
    return result;
  }

  #keyOf(owner: KubeObject): string {
    const key = namespacedName(owner);
    if (!this.#owners.has(key)) this.#owners.set(key, { namespace: owner.namespace, name: owner.name });
    return key;
  }

  #ownerDeleted(owner: KubeObject): void {
    this.expectations.forget(owner.uid);
    this.#siblings.delete(owner.uid);
    this.#flapping.delete(owner.uid);
    this.#options.ownerGone?.(owner);
  }

  #childChanged(child: KubeObject, old: KubeObject | undefined): void {
    this.#orphans?.observe(child);
    const reference = controllerOf(child);
    const before = old === undefined ? undefined : controllerOf(old);
    if (before !== undefined && before.uid !== reference?.uid) {
      const owner = this.#ownerOf(child.namespace, before);
      if (owner !== undefined) this.wake(owner);
    }
    if (reference !== undefined) {
      const owner = this.#ownerOf(child.namespace, reference);
      if (owner !== undefined) this.#notice(owner, child);
      return;
    }
    const news = old === undefined || before !== undefined || old.labels !== child.labels;
    if (!news || child.deletionTimestamp !== undefined) return;
    const { context, owner: kind, matches } = this.#options;
    for (const owner of context.list(kind, child.namespace)) if (matches(owner, child)) this.wake(owner);
  }

  #childDeleted(child: KubeObject): void {
    this.#orphans?.forget(child);
    const reference = controllerOf(child);
    const owner = reference && this.#ownerOf(child.namespace, reference);
    if (owner === undefined) return;
    this.#notice(owner, child);
    this.expectations.gone(owner.uid, child.uid);
  }

  #notice(owner: KubeObject, child: KubeObject): void {
    this.expectations.seen(owner.uid, child);
    this.#siblings.set(owner.uid, child);
    this.#options.childSeen?.(owner, child);
    this.wake(owner);
  }

  #ownerOf(namespace: string, reference: OwnerReference): KubeObject | undefined {
    const { context, owner } = this.#options;
    if (reference.kind !== owner) return undefined;
    const found = context.cache.byUid(reference.uid);
    if (found === undefined || !isKind(found.type, owner) || found.namespace !== namespace) return undefined;
    return found.name === reference.name ? found : undefined;
  }

  #orphanIndex(): OrphanIndex | undefined {
    const { context, child } = this.#options;
    const type = context.type(child);
    if (this.#orphans === undefined && type !== undefined)
      this.#orphans = new OrphanIndex(context.cache, type);
    return this.#orphans;
  }
}

function adopt(api: ApiClient, owner: KubeObject, child: KubeObject, guards: readonly string[]): ApiAnswer {
  return api.because(`${owner.type.kind} ${owner.name} selects it and it has no controller`).patch(
    child,
    current => ({
      owners: adoptedOwners(current, owner),
      finalizers: adoptedFinalizers(current, guards),
    }),
    { uid: child.uid },
  );
}

function release(api: ApiClient, owner: KubeObject, child: KubeObject, guards: readonly string[]): ApiAnswer {
  return api.because(`${owner.type.kind} ${owner.name} doesn't select it any more`).patch(
    child,
    current => ({
      owners: releasedOwners(current, owner),
      finalizers: releasedFinalizers(current, guards),
    }),
    { uid: child.uid },
  );
}

interface Pending {
  readonly created: Set<Uid>;
  readonly deleted: Set<Uid>;
}

/**
 * Actions that the cache doesn't show yet: without them a new child would be created twice
 * (pkg/controller/controller_utils.go UIDTrackingControllerExpectations, v1.36).
 */
class Expectations {
  readonly #pending = new Map<Uid, Pending>();

  created(owner: Uid, child: Uid): void {
    this.#of(owner).created.add(child);
  }

  deleted(owner: Uid, child: Uid): void {
    this.#of(owner).deleted.add(child);
  }

  seen(owner: Uid, child: KubeObject): void {
    const pending = this.#pending.get(owner);
    pending?.created.delete(child.uid);
    if (child.deletionTimestamp !== undefined) pending?.deleted.delete(child.uid);
  }

  gone(owner: Uid, child: Uid): void {
    const pending = this.#pending.get(owner);
    pending?.created.delete(child);
    pending?.deleted.delete(child);
  }

  satisfied(owner: Uid): boolean {
    const pending = this.#pending.get(owner);
    return pending === undefined || (pending.created.size === 0 && pending.deleted.size === 0);
  }

  forget(owner: Uid): void {
    this.#pending.delete(owner);
  }

  #of(owner: Uid): Pending {
    return getOrInsert(this.#pending, owner, () => ({ created: new Set(), deleted: new Set() }));
  }
}

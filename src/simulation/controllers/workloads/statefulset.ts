/**
 * Runs one pod per ordinal with its claims, in order (pkg/controller/statefulset, v1.36; docs/kubernetes.md §9).
 * OrderedReady is assumed, rolling updates aren't simulated, and the first ordinal is inferred.
 */

import {
  controllerOf,
  getOrInsert,
  type KubeObject,
  type Labels,
  labelRules,
  type OwnerReference,
  objectState,
  podFacts,
  statefulNames,
  type Uid,
  type WorkloadFacts,
  workloadFacts,
} from '../../../model/index.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import { controllerReference, plainReference } from '../claiming.ts';
import { Workloads } from './claimed-children.ts';
import { draftClaim, draftPod } from './drafts.ts';
import { isPodReady } from './replicaset.ts';
import { Revisions } from './revisions.ts';

interface Sync {
  readonly set: KubeObject;
  readonly facts: WorkloadFacts;
  readonly start: number;
  readonly pods: readonly KubeObject[];
}

export class StatefulSetController implements Controller {
  readonly name = 'statefulset-controller';
  readonly kinds = ['StatefulSet', 'Pod', 'ControllerRevision'] as const;
  readonly #starts = new Map<Uid, number>();
  #context!: ControllerContext;
  #sets!: Workloads;
  #revisions!: Revisions;

  start(context: ControllerContext): void {
    this.#context = context;
    const sets = new Workloads({
      context,
      owner: 'StatefulSet',
      child: 'Pod',
      matches: (set, pod) =>
        statefulNames.isMember(set, pod) && labelRules.selects(workloadFacts(set)?.selector, pod.labels),
      sync: set => this.#sync(set),
      ownerGone: set => this.#starts.delete(set.uid),
      childSeen: (set, pod) => this.#startOf(set, [...sets.controlled(set), pod]),
    });
    this.#sets = sets;
    this.#revisions = new Revisions({ context, owner: 'StatefulSet' });
    context.informer('Pod', { deleted: pod => this.#nameFreed(pod) });
  }

  /** Wakes a set whose pod name was taken by another pod: the set retries until that pod is deleted. */
  #nameFreed(pod: KubeObject): void {
    if (statefulNames.ordinal(pod) < 0) return;
    const name = pod.name.slice(0, pod.name.lastIndexOf('-'));
    const set = this.#context.find('StatefulSet', pod.namespace, name);
    if (set !== undefined && controllerOf(pod)?.uid !== set.uid) this.#sets.wake(set);
  }

  #sync(set: KubeObject): SyncResult {
    const facts = workloadFacts(set);
    if (facts?.selector === undefined) return 'done';
    const { selector } = facts;
    const sets = this.#sets;
    if (!this.#revisions.adopt(set, selector)) return 'retry';
    const claimed = sets.claim(
      set,
      pod => statefulNames.isMember(set, pod) && labelRules.selects(selector, pod.labels),
    );
    if (claimed.failed) return 'retry';
    const pods = claimed.children;
    if (!this.#revisions.restore(set, facts.templateLabels, pods)) return 'retry';
    const sync = { set, facts, start: this.#startOf(set, pods), pods };
    const acts = set.deletionTimestamp === undefined && sets.expectations.satisfied(set.uid);
    const result = acts ? this.#reconcile(sync) : 'done';
    this.#writeStatus(sync);
    return result;
  }

  /** Processes the ordinals in order, then the pods beyond them from the top; each step waits for the one before. */
  #reconcile(sync: Sync): SyncResult {
    const { set, facts, start, pods } = sync;
    const byOrdinal = new Map(pods.map(pod => [statefulNames.ordinal(pod), pod]));
    for (let ordinal = start; ordinal < start + facts.desired; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) return this.#createPod(sync, ordinal);
      if (objectState.isFinished(pod))
        return this.#deletePod(set, pod, 'it has finished and is to run again');
      if (podFacts(pod)?.phase === 'Pending' && !this.#createClaims(sync, ordinal)) return 'retry';
      if (pod.deletionTimestamp !== undefined || !isPodReady(pod)) return 'done';
      if (!this.#settleClaims(sync, pod)) return 'retry';
    }
    const condemned = pods
      .filter(pod => isCondemned(sync, pod))
      .sort((a, b) => statefulNames.ordinal(b) - statefulNames.ordinal(a));
    for (const pod of condemned) if (!this.#settleClaims(sync, pod)) return 'retry';
    const [last] = condemned;
    if (last === undefined || last.deletionTimestamp !== undefined) return 'done';
    // All pods below must be healthy, except that the lowest unhealthy one may itself be deleted.
    const unhealthy = condemned.filter(pod => pod.deletionTimestamp !== undefined || !isPodReady(pod)).at(-1);
    if (!isPodReady(last) && last !== unhealthy) return 'done';
    return this.#deletePod(set, last, `${set.name} is to run ${facts.desired}`);
  }

  #deletePod(set: KubeObject, pod: KubeObject, because: string): SyncResult {
    if (pod.deletionTimestamp !== undefined) return 'done';
    return this.#sets.delete(set, pod, because) ? 'done' : 'retry';
  }

  #createPod(sync: Sync, ordinal: number): SyncResult {
    const { set, facts } = sync;
    const type = this.#context.type('Pod');
    if (type === undefined) return 'done';
    const name = statefulNames.pod(set, ordinal);
    if (facts.claimsWhenScaled === 'Delete' && this.#hasStaleClaim(sync, name, ordinal)) return 'retry';
    if (!this.#createClaims(sync, ordinal)) return 'retry';
    const sibling = this.#sets.sibling(set);
    const labels = this.#podLabels(sync, name, ordinal, sibling);
    const claims = facts.claimTemplates.map(template => statefulNames.claim(template, set, ordinal));
    const draft = draftPod({ type, owner: set, name, labels, sibling, claims });
    const outcome = this.#sets.create(set, draft, `${set.name} has no pod of ordinal ${ordinal}`);
    if (outcome === 'terminating') return 'done';
    if (outcome !== 'created') return 'retry';
    const answer = this.#context.api.get({ type, namespace: set.namespace, name });
    return answer.ok && !this.#settleClaims(sync, answer.object) ? 'retry' : 'done';
  }

  #podLabels(sync: Sync, name: string, ordinal: number, sibling: KubeObject | undefined): Labels {
    const { facts } = sync;
    let labels = labelRules.withLabel(facts.templateLabels, 'statefulset.kubernetes.io/pod-name', name);
    labels = labelRules.withLabel(labels, 'apps.kubernetes.io/pod-index', String(ordinal));
    const revision = this.#revisions.hashLabel(sync.set, sibling);
    return revision === undefined
      ? labels
      : labelRules.withLabel(labels, 'controller-revision-hash', revision);
  }

  #hasStaleClaim(sync: Sync, podName: string, ordinal: number): boolean {
    return this.#claimsOf(sync, ordinal).some(claim =>
      claim?.owners.some(
        ({ apiVersion, kind, name }) => apiVersion === 'v1' && kind === 'Pod' && name === podName,
      ),
    );
  }

  #claimsOf({ set, facts }: Sync, ordinal: number): readonly (KubeObject | undefined)[] {
    if (this.#context.type('PersistentVolumeClaim') === undefined) return [];
    return facts.claimTemplates.map(template =>
      this.#context.find('PersistentVolumeClaim', set.namespace, statefulNames.claim(template, set, ordinal)),
    );
  }

  /** Creates missing claims; false if one is being deleted or can't be created, so the pod must wait. */
  #createClaims(sync: Sync, ordinal: number): boolean {
    const { set, facts } = sync;
    const type = this.#context.type('PersistentVolumeClaim');
    if (type === undefined) return true;
    const [like] = this.#claimsOf(sync, ordinal === sync.start ? ordinal + 1 : sync.start);
    const storageClassName = like?.facts?.kind === 'PersistentVolumeClaim' ? like.facts.storageClassName : '';
    const { namespace } = set;
    const labels = facts.selector?.matchLabels ?? [];
    return facts.claimTemplates.every((template, index) => {
      const claim = this.#claimsOf(sync, ordinal)[index];
      if (claim !== undefined) return claim.deletionTimestamp === undefined;
      const name = statefulNames.claim(template, set, ordinal);
      const draft = draftClaim({ type, namespace, name, labels, storageClassName });
      const answer = this.#context.api.because(`${set.name} has no claim ${name}`).create(draft);
      return answer.ok || answer.reason === 'AlreadyExists' || answer.reason === 'NamespaceTerminating';
    });
  }

  #settleClaims(sync: Sync, pod: KubeObject): boolean {
    const { behaviour } = this.#context;
    if (!behaviour.has('claimRetention')) return true;
    const asController = behaviour.has('claimRetentionControls');
    const { set, facts } = sync;
    const { claimsWhenDeleted: whenDeleted, claimsWhenScaled: whenScaled } = facts;
    const condemned = isCondemned(sync, pod);
    return this.#claimsOf(sync, statefulNames.ordinal(pod)).every((claim, index) => {
      const found = claim ?? this.#freshClaim(sync, statefulNames.ordinal(pod), index);
      if (found === undefined) return true;
      const owners = retentionOwners({
        claim: found,
        set,
        pod,
        condemned,
        whenDeleted,
        whenScaled,
        asController,
      });
      if (owners === undefined) return true;
      const policy = `whenDeleted ${whenDeleted}, whenScaled ${whenScaled}`;
      const { uid, resourceVersion } = found;
      return this.#context.api.because(policy).patch(found, { owners }, { uid, resourceVersion }).ok;
    });
  }

  /** Reads a claim that was just created and isn't in the cache yet. */
  #freshClaim({ set, facts }: Sync, ordinal: number, index: number): KubeObject | undefined {
    const type = this.#context.type('PersistentVolumeClaim');
    const template = facts.claimTemplates[index];
    if (type === undefined || template === undefined) return undefined;
    const name = statefulNames.claim(template, set, ordinal);
    const answer = this.#context.api.get({ type, namespace: set.namespace, name });
    return answer.ok ? answer.object : undefined;
  }

  #startOf(set: KubeObject, pods: readonly KubeObject[]): number {
    return getOrInsert(this.#starts, set.uid, () =>
      statefulNames.inferStart(pods, workloadFacts(set)?.desired ?? 0),
    );
  }

  #writeStatus({ set, facts, pods }: Sync): void {
    const current = pods.length;
    const ready = pods.filter(isPodReady).length;
    if (facts.current === current && facts.ready === ready) return;
    this.#sets.writeStatus(set, { ...facts, current, ready, available: ready });
  }
}

function isCondemned({ facts, start }: Sync, pod: KubeObject): boolean {
  const ordinal = statefulNames.ordinal(pod);
  return ordinal >= 0 && (ordinal < start || ordinal >= start + facts.desired);
}

export interface ClaimOwnership {
  readonly claim: KubeObject;
  readonly set: KubeObject;
  readonly pod: KubeObject;
  readonly condemned: boolean;
  /** `Delete`; any other value acts as `Retain`. */
  readonly whenDeleted: string;
  readonly whenScaled: string;
  /** True if references control and block, and another controller is respected. */
  readonly asController?: boolean;
}

/**
 * Returns the references to write, or undefined to leave the claim: they are right, a reference naming set or pod has a
 * stale uid, or another controller has the claim and none of ours is on it.
 */
export function retentionOwners(ownership: ClaimOwnership): readonly OwnerReference[] | undefined {
  const { claim, set, pod, asController = true } = ownership;
  if (!asController) return plainRetentionOwners(ownership);
  if (hasStaleReference(claim, set) || hasStaleReference(claim, pod)) return undefined;
  const foreign = hasForeignController(ownership);
  const wanted = foreign ? [] : wantedOwners(ownership);
  const current = claim.owners.filter(({ uid }) => uid === set.uid || uid === pod.uid);
  if (foreign && current.length === 0) return undefined;
  const right =
    current.every(({ controller, uid }) => controller === true && wanted.some(owner => owner.uid === uid)) &&
    wanted.every(owner => current.some(({ uid }) => uid === owner.uid));
  if (right) return undefined;
  const others = claim.owners.filter(reference => !names(reference, set) && !names(reference, pod));
  const added = wanted.filter(owner => !others.some(({ uid }) => uid === owner.uid));
  return [...others, ...added.map(controllerReference)];
}

/** Compares uids only (stateful_set_utils.go updateClaimOwnerRefForSetAndPod, v1.30.0). */
function plainRetentionOwners(ownership: ClaimOwnership): readonly OwnerReference[] | undefined {
  const { claim, set, pod } = ownership;
  const wanted = wantedOwners(ownership);
  const others = claim.owners.filter(
    ({ uid }) => (uid !== set.uid && uid !== pod.uid) || wanted.some(owner => owner.uid === uid),
  );
  const added = wanted.filter(owner => !others.some(({ uid }) => uid === owner.uid));
  if (added.length === 0 && others.length === claim.owners.length) return undefined;
  return [...others, ...added.map(plainReference)];
}

/** Returns the objects that should control the claim: the owner table of docs/kubernetes.md §9. */
function wantedOwners({ set, pod, condemned, whenDeleted, whenScaled }: ClaimOwnership): KubeObject[] {
  if (whenScaled === 'Delete' && condemned) return [pod];
  return whenDeleted === 'Delete' ? [set] : [];
}

/** Ignores other controllers under Retain/Retain, which needs no reference of ours. */
function hasForeignController({ claim, set, pod, whenDeleted, whenScaled }: ClaimOwnership): boolean {
  if (whenDeleted !== 'Delete' && whenScaled !== 'Delete') return false;
  return claim.owners.some(
    reference => reference.controller === true && !names(reference, set) && !names(reference, pod),
  );
}

function hasStaleReference(claim: KubeObject, object: KubeObject): boolean {
  const reference = claim.owners.find(each => names(each, object));
  return reference !== undefined && reference.uid !== object.uid;
}

function names(reference: OwnerReference, object: KubeObject): boolean {
  return (
    reference.apiVersion === object.type.apiVersion &&
    reference.kind === object.type.kind &&
    reference.name === object.name
  );
}

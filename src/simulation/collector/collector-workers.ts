/** The collector's two workers, one item at a time (docs/kubernetes.md §2, §3; garbagecollector.go, v1.36). */

import {
  Classified,
  type CollectorOnlooker,
  Decision,
  type OwnerAnswer,
  type OwnerLookup,
  type StepLookUp,
} from '../../collector/index.ts';
import {
  type AbsentOwners,
  type GraphNode,
  Identity,
  OwnerChanges,
  objectDeletion,
} from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  namespacedName,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type ResourceType,
  shownName,
  type Uid,
} from '../../model/index.ts';
import type { ApiAnswer, ObjectChange, PropagationPolicy } from '../api/api-client.ts';
import type { ObjectKey, ObjectReader } from '../api/object-store.ts';
import { deleteOwners, mergeOwners } from '../api/strategic-merge.ts';
import type { ControllerContext } from '../runtime/controller.ts';

/**
 * `giveUp`: a cluster-scoped object with a namespaced owner is forgotten. `virtualDelete`: the item is proven absent,
 * for the graph to process. `retry`: the item returns after its back-off.
 */
export type ItemOutcome = 'done' | 'giveUp' | 'virtualDelete' | 'retry';

/** A worker's next step, before which others run: more owner look-ups, or its requests. */
export interface Pending {
  readonly stage: 'decision' | 'requests';
  readonly go: () => ItemOutcome | Pending;
}

interface WorkersOptions {
  readonly requests: CollectorRequests;
  readonly absent: AbsentOwners;
  /** Queues a dependent that blocks its owner, each time the owner is processed. */
  readonly queueDelete: (node: GraphNode) => void;
  readonly onlooker?: CollectorOnlooker | undefined;
}

export class CollectorWorkers implements OwnerLookup {
  readonly #requests: CollectorRequests;
  readonly #absent: AbsentOwners;
  readonly #queueDelete: (node: GraphNode) => void;
  readonly #onlooker: CollectorOnlooker | undefined;

  constructor(options: WorkersOptions) {
    this.#onlooker = options.onlooker;
    this.#requests = options.requests;
    this.#absent = options.absent;
    this.#queueDelete = options.queueDelete;
  }

  /** Runs up to the decision (docs/kubernetes.md §2.2); the caller sends the requests after other workers ran. */
  attemptToDelete(item: GraphNode): ItemOutcome | Pending {
    const onlooker = this.#onlooker;
    if (Decision.isSkipped(item)) {
      onlooker?.takes('AlreadyDeleting');
      return 'done';
    }
    const key = this.#requests.keyOf(item.identity);
    if (key === undefined) {
      onlooker?.takes('KindUnresolvable');
      return 'retry';
    }
    if (key.type.namespaced && key.namespace === '') {
      onlooker?.takes('NamespaceMissing');
      return 'giveUp';
    }
    const answer = this.#requests.get(key, item.identity, 'item');
    if (!answer.ok) {
      onlooker?.takes(answer.status === 404 ? 'ObjectAbsent' : 'LookUpFailed');
      return answer.status === 404 ? 'virtualDelete' : 'retry';
    }
    const live = answer.object;
    if (live.uid !== item.identity.uid) {
      onlooker?.takes('OtherUid');
      return 'virtualDelete';
    }
    if (item.deletingDependents) {
      this.#tellOfBlocking(item);
      return this.#act(item, live, Decision.foreground(item), '');
    }
    if (live.owners.length === 0) {
      onlooker?.takes('NoOwners');
      return 'done';
    }
    const { namespace } = item.identity;
    const split = firstRepeated(live.owners);
    const owners = Classified.of(live.owners.slice(0, split), namespace, this);
    if (owners.failed || split === live.owners.length) return this.#decide(item, live, owners);
    // An owner that is read twice can be found in two states, and then loses both references.
    onlooker?.takes('MoreOwnersToLookUp');
    const lookFurther = (): ItemOutcome | Pending => {
      const others = Classified.of(live.owners.slice(split), namespace, this);
      return this.#decide(item, live, joined(owners, others));
    };
    return { stage: 'decision', go: lookFurther };
  }

  #decide(item: GraphNode, live: KubeObject, owners: Classified): ItemOutcome | Pending {
    const because = owners.failed ? '' : reason(owners.dangling, owners.waiting);
    if (this.#onlooker !== undefined) this.#tellOfOwners(item, owners, this.#onlooker);
    return this.#act(item, live, Decision.byOwners(item, live, owners), because);
  }

  #tellOfBlocking({ identity, dependents }: GraphNode): void {
    if (this.#onlooker === undefined) return;
    for (const dependent of dependents) {
      const result = objectDeletion.isBlockedBy(dependent, identity.uid) ? 'blocking' : 'notBlocking';
      this.#onlooker.looksUp({ object: dependent.identity, of: 'dependent', from: 'graph', result });
    }
  }

  /** Reports facts that decide without a look-up: the kind that stopped it, and the dependents. */
  #tellOfOwners({ identity, dependents }: GraphNode, owners: Classified, onlooker: CollectorOnlooker): void {
    if (owners.failed) {
      if (owners.because === 'unknown') return;
      const object = Identity.claimed(owners.reference, identity.namespace);
      const result = owners.because === 'unresolvable' ? 'unresolvable' : 'namespaced';
      onlooker.looksUp({ object, of: 'owner', from: 'kinds', result });
    } else if (owners.solid.length === 0 && owners.waiting.length > 0) {
      for (const dependent of dependents) {
        const result = dependent.deletingDependents ? 'waiting' : 'found';
        onlooker.looksUp({ object: dependent.identity, of: 'dependent', from: 'graph', result });
      }
    }
  }

  /** Every known dependent loses its reference, then the owner its finalizer (docs/kubernetes.md §3.2). */
  attemptToOrphan(owner: GraphNode): ItemOutcome {
    const { identity } = owner;
    const because = `${identity.kind} ${namespacedName(identity)} leaves its dependents behind`;
    const uids = new Set([identity.uid]);
    let failed = false;
    this.#onlooker?.takes('OrphanDependents');
    for (const dependent of owner.dependents) {
      this.#onlooker?.looksUp({
        object: dependent.identity,
        of: 'dependent',
        from: 'graph',
        result: 'found',
      });
      if (this.#requests.dropOwners(dependent.identity, uids, because) === 'failed') failed = true;
    }
    if (failed) return this.#retried('failed');
    return this.#retried(
      this.#requests.removeFinalizer(identity, ORPHAN_FINALIZER, 'every dependent was let go'),
    );
  }

  scopeOf(apiVersion: string, kind: string): ReturnType<OwnerLookup['scopeOf']> {
    const key = this.#requests.keyOf({ apiVersion, kind, namespace: '', name: '', uid: noUid });
    if (key === undefined) return 'unresolvable';
    return key.type.namespaced ? 'namespaced' : 'cluster';
  }

  getOwner(identity: Identity): OwnerAnswer {
    const key = this.#requests.keyOf(identity);
    if (key === undefined) return { state: 'unknown' };
    const answer = this.#requests.get(key, identity, 'owner');
    if (!answer.ok) return { state: answer.status === 404 ? 'absent' : 'unknown' };
    return { state: 'found', uid: answer.object.uid, foreground: objectDeletion.isForeground(answer.object) };
  }

  remembersAbsent(identity: Identity): boolean {
    const isAbsent = this.#absent.size > 0 && this.#absent.has(identity);
    if (isAbsent)
      this.#onlooker?.looksUp({ object: identity, of: 'owner', from: 'absentOwners', result: 'absent' });
    return isAbsent;
  }

  rememberAbsent(identity: Identity): void {
    this.#absent.add(identity);
  }

  #act(item: GraphNode, live: KubeObject, decision: Decision, because: string): ItemOutcome | Pending {
    const { identity } = item;
    this.#onlooker?.takes(decision.verdict);
    switch (decision.verdict) {
      case 'None':
        return 'done';
      case 'NeverCollected':
        return 'giveUp';
      case 'RetryForever':
        return 'retry';
      case 'WaitForDependents':
        for (const dependent of decision.blocking) {
          if (!dependent.deletingDependents) this.#queueDelete(dependent);
        }
        return 'done';
      case 'RemoveForegroundFinalizer':
        return requests(() =>
          this.#retried(this.#requests.removeFinalizer(identity, FOREGROUND_FINALIZER, waitedFor(item))),
        );
      case 'PruneReferences':
        return requests(() => this.#retried(this.#requests.dropOwners(identity, decision.uids, because)));
      case 'UnblockAndDelete':
        return requests(() => {
          const breaking = `${because}; it waits for this one, which breaks the cycle`;
          const unblocked = this.#requests.unblock(item, breaking);
          if (unblocked !== 'done') return this.#retried('failed');
          return this.#deleted(this.#requests.delete(identity, live, 'Foreground', because));
        });
      case 'DeleteForeground':
        return requests(() => this.#deleted(this.#requests.delete(identity, live, 'Foreground', because)));
      case 'DeleteOrphan':
        return requests(() => this.#deleted(this.#requests.delete(identity, live, 'Orphan', because)));
      case 'DeleteBackground':
        return requests(() => this.#deleted(this.#requests.delete(identity, live, 'Background', because)));
    }
  }

  #retried(outcome: RequestOutcome): ItemOutcome {
    this.#onlooker?.takes(outcome === 'done' ? 'RequestsDone' : 'RequestsFailed');
    return outcome === 'done' ? 'done' : 'retry';
  }

  #deleted(outcome: RequestOutcome): ItemOutcome {
    if (outcome !== 'gone') return this.#retried(outcome);
    this.#onlooker?.takes('RequestsFoundNothing');
    return 'virtualDelete';
  }
}

function requests(go: Pending['go']): Pending {
  return { stage: 'requests', go };
}

const noUid = '' as Identity['uid'];

/** Returns the index of the first reference that repeats a uid; the number of references if none does. */
export function firstRepeated(owners: readonly OwnerReference[]): number {
  if (owners.length < 2) return owners.length;
  const uids = new Set<string>();
  const index = owners.findIndex(({ uid }) => uids.size === uids.add(uid).size);
  return index < 0 ? owners.length : index;
}

function joined(a: Classified, b: Classified): Classified {
  if (a.failed) return a;
  if (b.failed) return b;
  return {
    failed: false,
    solid: [...a.solid, ...b.solid],
    waiting: [...a.waiting, ...b.waiting],
    dangling: [...a.dangling, ...b.dangling],
  };
}

function reason(dangling: readonly OwnerReference[], waiting: readonly OwnerReference[]): string {
  return [
    ...dangling.map(owner => `owner ${shownName(owner.kind)} ${shownName(owner.name)} is absent`),
    ...waiting.map(
      owner => `owner ${shownName(owner.kind)} ${shownName(owner.name)} waits for its dependents`,
    ),
  ].join(', ');
}

function waitedFor(item: GraphNode): string {
  return item.dependents.size === 0 ? 'it has no dependents any more' : 'no dependent blocks it any more';
}

export type RequestOutcome = 'done' | 'gone' | 'failed';

interface CollectorRequestsOptions
  extends Pick<ControllerContext, 'api' | 'behaviour'>,
    Partial<Pick<ControllerContext, 'onlooker'>> {
  readonly cache: ObjectReader;
  readonly resolve: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly watches: (type: ResourceType) => boolean;
}

const FINALIZER_TRIES = 4;

export class CollectorRequests {
  readonly #options: CollectorRequestsOptions;

  constructor(options: CollectorRequestsOptions) {
    this.#options = options;
  }

  keyOf(identity: Identity): ObjectKey | undefined {
    const type = this.#options.resolve(identity.apiVersion, identity.kind);
    if (type === undefined) return undefined;
    return { type, namespace: type.namespaced ? identity.namespace : '', name: identity.name };
  }

  get(key: ObjectKey, identity: Identity, of: StepLookUp['of']): ApiAnswer {
    const { api, onlooker } = this.#options;
    const answer = api.get(key);
    onlooker?.looksUp({
      object: identity,
      of,
      from: 'live',
      result: lookUpResult(answer, identity),
      status: answer.status,
    });
    return answer;
  }

  delete(item: Identity, live: KubeObject, policy: PropagationPolicy, because: string): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const { behaviour } = this.#options;
    const api = this.#options.api.because(because);
    const { uid } = item;
    const believes = behaviour.has('believesNotFound');
    const concluded = (answer: ApiAnswer): RequestOutcome =>
      outcome(answer) === 'gone' && !believes ? 'failed' : outcome(answer);
    if (!behaviour.has('deletesByResourceVersion'))
      return concluded(api.delete(key, { propagationPolicy: policy, preconditions: { uid } }));
    const { resourceVersion } = live;
    const answer = api.delete(key, { propagationPolicy: policy, preconditions: { uid, resourceVersion } });
    if (answer.ok || answer.status !== 409) return concluded(answer);
    // A change that left the owners alone must not starve the collector.
    const again = this.get(key, item, 'item');
    if (!again.ok && again.status === 404) return believes ? 'gone' : 'done';
    if (!again.ok) return 'failed';
    const { object } = again;
    if (
      object.uid !== uid ||
      object.resourceVersion === resourceVersion ||
      !OwnerChanges.equalOwners(object.owners, live.owners)
    ) {
      return 'failed';
    }
    return concluded(api.delete(key, { propagationPolicy: policy, preconditions: { uid } }));
  }

  dropOwners(item: Identity, uids: ReadonlySet<Uid>, because: string): RequestOutcome {
    return this.#patch(item, {
      strategic: object => ({ owners: deleteOwners(object.owners, uid => uids.has(uid)) }),
      merge: object => ({ owners: object.owners.filter(owner => !uids.has(owner.uid)) }),
      sent: () => [...uids].map(uid => ({ $patch: 'delete', uid })),
      because,
    });
  }

  /** Makes every reference non-blocking, as the graph knows them. */
  unblock(item: GraphNode, because: string): RequestOutcome {
    const unblocked = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: false });
    const blocking = item.owners.filter(owner => owner.blockOwnerDeletion === true).map(unblocked);
    return this.#patch(item.identity, {
      strategic: object => ({ owners: mergeOwners(object.owners, blocking) }),
      merge: () => ({ owners: item.owners.map(unblocked) }),
      sent: () => blocking,
      because,
    });
  }

  removeFinalizer(item: Identity, finalizer: string, because: string): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const api = this.#options.api.because(because);
    for (let tries = 0; tries < FINALIZER_TRIES; tries++) {
      const found = this.get(key, item, 'item');
      if (!found.ok) return found.status === 404 ? 'done' : 'failed';
      const { finalizers, resourceVersion } = found.object;
      if (!finalizers.includes(finalizer)) return 'done';
      const change = { finalizers: finalizers.filter(each => each !== finalizer) };
      this.#options.onlooker?.sends({
        metadata: { resourceVersion, finalizers: orNull(change.finalizers) },
      });
      const answer = api.patch(key, change, { resourceVersion });
      if (answer.ok) return 'done';
      if (answer.status !== 409) return 'failed';
    }
    return 'failed';
  }

  #patch(item: Identity, patch: Patch): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const api = this.#options.api.because(patch.because);
    const { onlooker } = this.#options;
    onlooker?.sends({ metadata: { uid: item.uid, ownerReferences: patch.sent() } });
    const strategic = api.patch(key, patch.strategic, { uid: item.uid, strategic: true });
    if (strategic.ok || strategic.status !== 415) return outcome(strategic);
    // The merge patch is made from the collector's cache, and conflicts if that is behind.
    const cached = this.#options.watches(key.type)
      ? this.#options.cache.find(key.type, key.namespace, key.name)
      : undefined;
    const known = cached === undefined ? this.get(key, item, 'item') : undefined;
    const object = cached ?? (known?.ok ? known.object : undefined);
    if (object === undefined) return known?.ok === false && known.status === 404 ? 'gone' : 'failed';
    const { resourceVersion } = object;
    const change = patch.merge(object);
    onlooker?.sends({ metadata: { resourceVersion, ownerReferences: orNull(change.owners ?? []) } });
    return outcome(api.patch(key, change, { resourceVersion }));
  }
}

interface Patch {
  /** Merged by the server with the stored object. */
  readonly strategic: (stored: KubeObject) => ObjectChange;
  readonly merge: (known: KubeObject) => ObjectChange;
  /** `ownerReferences` of the strategic merge patch, as it is sent (docs/kubernetes.md §2.6). */
  readonly sent: () => unknown;
  readonly because: string;
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

function lookUpResult(answer: ApiAnswer, { uid }: Identity): StepLookUp['result'] {
  if (!answer.ok) return answer.status === 404 ? 'absent' : 'failed';
  if (answer.object.uid !== uid) return 'otherUid';
  return objectDeletion.isForeground(answer.object) ? 'waiting' : 'found';
}

function outcome(answer: ApiAnswer): RequestOutcome {
  if (answer.ok) return 'done';
  return answer.status === 404 ? 'gone' : 'failed';
}

/**
 * The collector's two workers, one item at a time: what they ask, decide and request (docs/kubernetes.md §2, §3;
 * garbagecollector.go, v1.36). What comes of an item is told, so that the caller requeues it.
 */
import {
  type Classified,
  classifyReferences,
  type Decision,
  decideByOwners,
  decideForeground,
  type OwnerAnswer,
  type OwnerLookup,
  skipsItem,
} from '../../collector/decide.ts';
import { isForeground } from '../../graph/deletion.ts';
import type { AbsentOwners } from '../../graph/index/absent-owners.ts';
import type { GraphNode, Identity } from '../../graph/node.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  namespacedName,
  ORPHAN_FINALIZER,
} from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import type { CollectorRequests, RequestOutcome } from './requests.ts';

/**
 * - `done`, `giveUp`: forgotten (`giveUp` for a cluster-scoped object with a namespaced owner).
 * - `virtualDelete`: the item is proven absent, which is for the graph to take in.
 * - `retry`: comes back after its back-off.
 */
export type ItemOutcome = 'done' | 'giveUp' | 'virtualDelete' | 'retry';

/** What a worker is about to ask or request next, while others work on their items. */
export type PendingRequests = () => ItemOutcome | PendingRequests;

export interface WorkersOptions {
  readonly requests: CollectorRequests;
  readonly absent: AbsentOwners;
  /** Queues a dependent whose owner waits for it, as often as the owner is looked at. */
  readonly queueDelete: (node: GraphNode) => void;
}

export class CollectorWorkers implements OwnerLookup {
  readonly #requests: CollectorRequests;
  readonly #absent: AbsentOwners;
  readonly #queueDelete: (node: GraphNode) => void;

  constructor(options: WorkersOptions) {
    this.#requests = options.requests;
    this.#absent = options.absent;
    this.#queueDelete = options.queueDelete;
  }

  /**
   * The delete worker's steps (docs/kubernetes.md §2.2), up to the decision. The requests that change something are
   * left to the caller, because other workers look at their items while this one's are under way.
   */
  attemptToDelete(item: GraphNode): ItemOutcome | PendingRequests {
    if (skipsItem(item)) return 'done';
    const key = this.#requests.keyOf(item.identity);
    if (key === undefined) return 'retry';
    if (key.type.namespaced && key.namespace === '') return 'giveUp';
    const answer = this.#requests.get(key);
    if (!answer.ok) return answer.status === 404 ? 'virtualDelete' : 'retry';
    const live = answer.object;
    if (live.uid !== item.identity.uid) return 'virtualDelete';
    if (item.deletingDependents) return this.#act(item, live, decideForeground(item), '');
    if (live.owners.length === 0) return 'done';
    const { namespace } = item.identity;
    const split = firstRepeated(live.owners);
    const owners = classifyReferences(live.owners.slice(0, split), namespace, this);
    if (owners.failed || split === live.owners.length) return this.#decide(item, live, owners);
    // An owner that is asked for twice can be found in two states, and then loses both references.
    return () => {
      const others = classifyReferences(live.owners.slice(split), namespace, this);
      return this.#decide(item, live, joined(owners, others));
    };
  }

  #decide(item: GraphNode, live: KubeObject, owners: Classified): ItemOutcome | PendingRequests {
    const because = owners.failed ? '' : reason(owners.dangling, owners.waiting);
    return this.#act(item, live, decideByOwners(item, live, owners), because);
  }

  /**
   * The orphan worker: every dependent known now loses its reference, then the owner its finalizer
   * (docs/kubernetes.md §3.2).
   */
  attemptToOrphan(owner: GraphNode): ItemOutcome {
    const { identity } = owner;
    const because = `${identity.kind} ${namespacedName(identity)} leaves its dependents behind`;
    const uids = new Set([identity.uid]);
    let failed = false;
    for (const dependent of owner.dependents) {
      if (this.#requests.dropOwners(dependent.identity, uids, because) === 'failed') failed = true;
    }
    if (failed) return 'retry';
    const removed = this.#requests.removeFinalizer(identity, ORPHAN_FINALIZER, 'every dependent was let go');
    return removed === 'done' ? 'done' : 'retry';
  }

  scopeOf(apiVersion: string, kind: string): ReturnType<OwnerLookup['scopeOf']> {
    const key = this.#requests.keyOf({ apiVersion, kind, namespace: '', name: '', uid: noUid });
    if (key === undefined) return 'unresolvable';
    return key.type.namespaced ? 'namespaced' : 'cluster';
  }

  getOwner(identity: Identity): OwnerAnswer {
    const key = this.#requests.keyOf(identity);
    if (key === undefined) return { state: 'unknown' };
    const answer = this.#requests.get(key);
    if (!answer.ok) return { state: answer.status === 404 ? 'absent' : 'unknown' };
    return { state: 'found', uid: answer.object.uid, foreground: isForeground(answer.object) };
  }

  remembersAbsent(identity: Identity): boolean {
    return this.#absent.size > 0 && this.#absent.has(identity);
  }

  rememberAbsent(identity: Identity): void {
    this.#absent.add(identity);
  }

  #act(
    item: GraphNode,
    live: KubeObject,
    decision: Decision,
    because: string,
  ): ItemOutcome | PendingRequests {
    const { identity } = item;
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
        return () => retried(this.#requests.removeFinalizer(identity, FOREGROUND_FINALIZER, waitedFor(item)));
      case 'PruneReferences':
        return () => retried(this.#requests.dropOwners(identity, decision.uids, because));
      case 'UnblockAndDelete':
        return () => {
          const breaking = `${because}; it waits for this one, which breaks the cycle`;
          if (this.#requests.unblock(item, breaking) !== 'done') return 'retry';
          return deleted(this.#requests.delete(identity, live, 'Foreground', because));
        };
      case 'DeleteForeground':
        return () => deleted(this.#requests.delete(identity, live, 'Foreground', because));
      case 'DeleteOrphan':
        return () => deleted(this.#requests.delete(identity, live, 'Orphan', because));
      case 'DeleteBackground':
        return () => deleted(this.#requests.delete(identity, live, 'Background', because));
    }
  }
}

// Only the kind is looked up by it.
const noUid = '' as Identity['uid'];

function retried(outcome: RequestOutcome): ItemOutcome {
  return outcome === 'done' ? 'done' : 'retry';
}

function deleted(outcome: RequestOutcome): ItemOutcome {
  if (outcome === 'gone') return 'virtualDelete';
  return outcome === 'done' ? 'done' : 'retry';
}

type Owner = KubeObject['owners'][number];

/** Index of the first reference to a uid that an earlier one has, too; the number of references if none has. */
function firstRepeated(owners: readonly Owner[]): number {
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

/** Why the item's references don't hold it. */
function reason(dangling: readonly Owner[], waiting: readonly Owner[]): string {
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

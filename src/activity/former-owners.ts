/** Owners as they were when a dependent changed, and the collector's decision at that moment. */
import {
  Classified,
  Decision,
  type KindScope,
  LiveLookup,
  type OwnerAnswer,
  type OwnerLookup,
  OwnerStanding,
  OwnerStatus,
} from '../collector/index.ts';
import type { ClusterView, GraphNode, Identity } from '../graph/index.ts';
import { type KubeObject, type OwnerReference, ResourceType, type Uid } from '../model/index.ts';
import type { OwnerFate } from './activity-entry.ts';
import type { Departure, Memory } from './memory.ts';
import { isBefore, isOrderUnknown } from './order-of-moments.ts';
import type { Transition } from './transition.ts';

export interface Seen {
  readonly view: ClusterView;
  readonly memory: Memory;
}

export interface Judged {
  readonly classified: Classified;
  /** `None` without owners. */
  readonly decision: Decision;
}

/** Returns the collector's decision before the change. With `late`, it rests on the moment of its look-up of owners. */
export function judgeBefore(seen: Seen, transition: Transition, before: KubeObject, late = false): Judged {
  const lookup = new MomentLookup(seen, transition, late);
  const classified = Classified.of(before.owners, before.namespace, lookup);
  if (before.owners.length === 0) return { classified, decision: { verdict: 'None' } };
  return { classified, decision: Decision.byOwners(transition.node ?? nodeOf(before), before, classified) };
}

export function fatesOf(
  seen: Seen,
  transition: Transition,
  dependent: KubeObject,
  references: readonly OwnerReference[] = dependent.owners,
  late = false,
): readonly OwnerFate[] {
  const { view, memory } = seen;
  return references.map((reference): OwnerFate => {
    const { apiVersion, kind, name, uid } = reference;
    const gone = memory.departure(uid);
    const namespace = claimedNamespace(view, reference, dependent);
    const owner: Identity = { apiVersion, kind, namespace, name, uid };
    if (gone !== undefined && isSamePlace(owner, gone.identity)) {
      const { at } = gone.moment;
      const isUnknown = isOrderUnknown(gone.moment, transition);
      if (!isUnknown && isBefore(gone.moment, transition)) return { owner, state: 'Deleted', at };
      if (wasWaiting(memory, uid, transition, late))
        return { owner, state: 'WaitingForDependents', at: memory.markedAt(uid) };
      return isUnknown
        ? { owner, state: 'GoneByNow', at }
        : { owner, state: 'Solid', at: memory.markedAt(uid) };
    }
    const status = OwnerStatus.of(view, nodeOf(dependent), reference);
    if (status === 'Absent' && gone !== undefined)
      return { owner, state: OwnerStanding.elsewhere(gone.identity, dependent.namespace) };
    if (status === 'Absent' && transition.past === true) return { owner, state: 'GoneByNow' };
    const isThere = status === 'Solid' || status === 'WaitingForDependents';
    const isWaiting = wasWaiting(memory, uid, transition, late);
    const state = !isThere ? status : isWaiting ? 'WaitingForDependents' : 'Solid';
    return { owner, state, at: memory.markedAt(uid) };
  });
}

/** Returns true if an owner waited for its dependents then. One that owns itself didn't before it was deleted. */
function wasWaiting(memory: Memory, uid: Uid, transition: Transition, late: boolean): boolean {
  return transition.before?.uid !== uid && memory.proceeded(uid, 'foreground', transition, late);
}

function claimedNamespace(
  view: ClusterView,
  { apiVersion, kind }: OwnerReference,
  { namespace }: KubeObject,
): string {
  return view.catalog.resolveKind(apiVersion, kind)?.namespaced === false ? '' : namespace;
}

/** Builds a node for an object that may have left the graph. */
function nodeOf(object: KubeObject): GraphNode {
  const { type, namespace, name, uid, owners } = object;
  return {
    uid,
    identity: { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid },
    object,
    owners,
    dependents: new Set(),
    virtual: false,
    beingDeleted: false,
    deletingDependents: false,
  };
}

class MomentLookup implements OwnerLookup {
  readonly #live: LiveLookup;
  readonly #seen: Seen;
  readonly #transition: Transition;
  readonly #late: boolean;

  constructor(seen: Seen, transition: Transition, late: boolean) {
    this.#live = new LiveLookup(seen.view);
    this.#seen = seen;
    this.#transition = transition;
    this.#late = late;
  }

  scopeOf(apiVersion: string, kind: string): KindScope {
    return this.#live.scopeOf(apiVersion, kind);
  }

  getOwner(identity: Identity): OwnerAnswer {
    const { view, memory } = this.#seen;
    const { uid } = identity;
    const gone = memory.departure(uid);
    if (gone !== undefined) return this.#formerOwner(gone, identity);
    const answer = this.#live.getOwner(identity);
    if (answer.state !== 'found' || view.graph.get(uid)?.object === undefined) return answer;
    return { ...answer, foreground: wasWaiting(memory, uid, this.#transition, this.#late) };
  }

  #formerOwner({ identity: former, moment }: Departure, identity: Identity): OwnerAnswer {
    const { uid } = former;
    if (!isSamePlace(former, identity)) return { state: 'absent' };
    const isUnknown = isOrderUnknown(moment, this.#transition);
    if (!isUnknown && isBefore(moment, this.#transition)) return { state: 'absent' };
    const foreground = wasWaiting(this.#seen.memory, uid, this.#transition, this.#late);
    return isUnknown && !foreground ? { state: 'absent' } : { state: 'found', uid, foreground };
  }

  remembersAbsent(identity: Identity): boolean {
    return this.#live.remembersAbsent(identity);
  }

  rememberAbsent(): void {
    // An absence at one moment doesn't hold for the next.
  }
}

/** Compares the place, ignoring the version of the kind. */
function isSamePlace(a: Identity, b: Identity): boolean {
  return a.name === b.name && a.namespace === b.namespace && ResourceType.isSameKind(a, b);
}

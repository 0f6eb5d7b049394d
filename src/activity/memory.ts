/** Remembers when objects were marked and deleted, and the entries for it. The oldest is forgotten first. */
import { type Identity, identityOfObject, isDeleting } from '../graph/index.ts';
import {
  type KubeObject,
  type LabelSelector,
  ResourceType,
  type Uid,
  workloadFacts,
} from '../model/index.ts';
import { type ActivityEntry, policyOf, type SeenPolicy } from './activity-entry.ts';
import { isBefore, isNear, type Moment, mayBeBefore } from './order-of-moments.ts';

/** Maximum per object; only the latest moments matter. */
const MOST_LOSSES = 4;

export interface Departure {
  readonly identity: Identity;
  readonly moment: Moment;
  readonly selector: LabelSelector | undefined;
}

interface Span {
  readonly from: Moment;
  readonly until?: Moment;
}

interface Known {
  /** When its deletion was seen or, if it began earlier, when it was requested. */
  marked?: Moment;
  mark?: ActivityEntry;
  foreground?: Span;
  orphan?: Span;
  gone?: Departure;
  end?: ActivityEntry;
  orphans: number;
  /** The latest times it lost references, newest last. */
  losses?: readonly Moment[];
  lastDependent?: Moment;
  lastBlocking?: { readonly identity: Identity; readonly at: number };
}

export class Memory {
  readonly #most: number;
  readonly #known = new Map<Uid, Known>();
  readonly #names = new Map<string, Departure>();

  constructor(most: number) {
    this.#most = most;
  }

  depart(object: KubeObject, moment: Moment): void {
    const selector = workloadFacts(object)?.selector;
    const gone: Departure = { identity: identityOfObject(object), moment, selector };
    this.#of(object.uid).gone = gone;
    this.proceeds(object.uid, moment, 'background');
    const name = nameOf(object);
    this.#names.delete(name);
    this.#names.set(name, gone);
    shrink(this.#names, this.#most);
    for (const { uid, blockOwnerDeletion } of object.owners) {
      const owner = this.#of(uid);
      owner.lastDependent = moment;
      if (blockOwnerDeletion === true && uid !== object.uid)
        owner.lastBlocking = { identity: gone.identity, at: moment.at };
    }
  }

  /** Records an object that exists again, as after a relist of a restored cluster. */
  appear(object: KubeObject, moment: Moment): void {
    const known = this.#known.get(object.uid);
    if (known !== undefined) delete known.gone;
    if (isDeleting(object)) this.proceeds(object.uid, moment, policyOf(object));
  }

  departure(uid: Uid): Departure | undefined {
    return this.#known.get(uid)?.gone;
  }

  /** Returns the object last deleted under the same name, if its uid differs. */
  predecessor(object: KubeObject): Departure | undefined {
    const gone = this.#names.get(nameOf(object));
    return gone?.identity.uid === object.uid ? undefined : gone;
  }

  /** Returns the last cluster-scoped object deleted under that name; `resource` as in `ResourceType.groupResource`. */
  departureAt(resource: string, name: string): Departure | undefined {
    return this.#names.get(`${resource}//${name}`);
  }

  mark(uid: Uid, moment: Moment, entry: ActivityEntry): void {
    const known = this.#of(uid);
    known.marked = momentOf(moment);
    known.mark = entry;
  }

  end(uid: Uid, entry: ActivityEntry): void {
    this.#of(uid).end = entry;
  }

  markedAt(uid: Uid): number | undefined {
    return this.#known.get(uid)?.marked?.at;
  }

  /** Returns true if it was marked so recently that the collector may have looked before. */
  wasJustMarked(uid: Uid, moment: Moment): boolean {
    const marked = this.#known.get(uid)?.marked;
    return marked !== undefined && isBefore(marked, moment) && isNear(marked, moment);
  }

  markOf(uid: Uid): ActivityEntry | undefined {
    return this.#known.get(uid)?.mark;
  }

  /** Returns the entry for an object's deletion: its mark, or its end if it was never marked. */
  deletionOf(uid: Uid): ActivityEntry | undefined {
    const known = this.#known.get(uid);
    return known?.mark ?? known?.end;
  }

  proceeds(uid: Uid, moment: Moment, policy: SeenPolicy): void {
    const known = this.#of(uid);
    for (const each of ['foreground', 'orphan'] as const) {
      const span = known[each];
      if (each === policy) known[each] = { from: span?.from ?? momentOf(moment) };
      else if (span !== undefined && span.until === undefined)
        known[each] = { ...span, until: momentOf(moment) };
    }
  }

  /**
   * Checks if an owner was being deleted with this policy then, or until its end if the order is unknown; with `late`, or
   * until shortly before.
   */
  proceeded(uid: Uid, policy: 'foreground' | 'orphan', moment: Moment, late = false): boolean {
    const span = this.#known.get(uid)?.[policy];
    if (span === undefined || !mayBeBefore(span.from, moment)) return false;
    if (span.until === undefined || mayBeBefore(moment, span.until)) return true;
    return late && isNear(moment, span.until);
  }

  loseOwners(uid: Uid, owners: readonly Uid[], moment: Moment): void {
    const known = this.#of(uid);
    const lost = momentOf(moment);
    known.losses = [...(known.losses ?? []).slice(1 - MOST_LOSSES), lost];
    for (const uid of owners) {
      const owner = this.#of(uid);
      owner.orphans += 1;
      owner.lastDependent = lost;
    }
  }

  hadDependent(uid: Uid, moment: Moment): boolean {
    const last = this.#known.get(uid)?.lastDependent;
    return last !== undefined && isNear(last, moment);
  }

  /** Returns true if it lost another reference so recently that the collector may have looked before. */
  hadJustLost(uid: Uid, moment: Moment): boolean {
    const losses = this.#known.get(uid)?.losses ?? [];
    return losses.some(each => isBefore(each, moment) && isNear(each, moment));
  }

  orphansOf(owner: Uid): number {
    return this.#known.get(owner)?.orphans ?? 0;
  }

  lastBlocking(owner: Uid): { readonly identity: Identity; readonly at: number } | undefined {
    return this.#known.get(owner)?.lastBlocking;
  }

  #of(uid: Uid): Known {
    const known = this.#known.get(uid) ?? { orphans: 0 };
    // Reinserting puts the most recently used last, so it is forgotten last.
    this.#known.delete(uid);
    this.#known.set(uid, known);
    shrink(this.#known, this.#most);
    return known;
  }
}

/** Copies the moment alone: a transition would keep its objects and nodes alive. */
function momentOf({ at, order, version }: Moment): Moment {
  return { at, order, version };
}

function shrink(map: Map<unknown, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function nameOf({ type, namespace, name }: KubeObject): string {
  return `${ResourceType.groupResource(type)}/${namespace}/${name}`;
}

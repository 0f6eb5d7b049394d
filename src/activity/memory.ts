/**
 * What Activity remembers of objects: when they were marked and when they were gone, and which entry told it. Bounded:
 * the oldest is forgotten first.
 */
import { isDeleting } from '../graph/deletion.ts';
import type { Identity } from '../graph/node.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { LabelSelector } from '../model/facts/facts.ts';
import { type KubeObject, type Uid, workloadFacts } from '../model/object.ts';
import { groupResource } from '../model/types/resource-type.ts';
import { type ActivityEntry, policyOf, type SeenPolicy } from './entry.ts';
import { isBefore, isNear, isOrderUnknown, type Moment } from './moment.ts';

/** Of each object; it is about the last moment alone. */
const MOST_LOSSES = 4;

export interface Departure {
  readonly identity: Identity;
  readonly moment: Moment;
  /** Of a controller with a selector. */
  readonly selector: LabelSelector | undefined;
}

interface Span {
  readonly from: Moment;
  readonly until?: Moment;
}

interface Known {
  /** When its deletion was seen; of one that was under way before, when it was asked for. */
  marked?: Moment;
  mark?: ActivityEntry;
  /** While its deletion waited for its dependents. */
  foreground?: Span;
  /** While its deletion orphaned its dependents. */
  orphan?: Span;
  gone?: Departure;
  end?: ActivityEntry;
  /** Dependents that were seen to lose their reference to it. */
  orphans: number;
  /** When it was last seen to lose references; the newest last. */
  losses?: readonly Moment[];
  /** When the last of those was lost that it lost, or that were seen to go. */
  lastDependent?: Moment;
  /** The dependent that held it up, and that was seen to go last. */
  lastBlocking?: { readonly identity: Identity; readonly at: number };
}

export class Memory {
  readonly #most: number;
  readonly #known = new Map<Uid, Known>();
  readonly #names = new Map<string, Departure>();

  /** `most`: objects of which something is remembered. */
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

  /** It is there again, as after a relist of a restored cluster. */
  appear(object: KubeObject, moment: Moment): void {
    const known = this.#known.get(object.uid);
    if (known !== undefined) delete known.gone;
    if (isDeleting(object)) this.proceeds(object.uid, moment, policyOf(object));
  }

  departure(uid: Uid): Departure | undefined {
    return this.#known.get(uid)?.gone;
  }

  /** The object that was last seen to go from the name of this one, if that was another one. */
  predecessor(object: KubeObject): Departure | undefined {
    const gone = this.#names.get(nameOf(object));
    return gone?.identity.uid === object.uid ? undefined : gone;
  }

  /** What was last seen to go from a place outside of namespaces; `resource` as `groupResource` has it. */
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

  /** In milliseconds since the epoch. */
  markedAt(uid: Uid): number | undefined {
    return this.#known.get(uid)?.marked?.at;
  }

  /** Whether it was marked so shortly before that the collector may have looked at it earlier still. */
  wasJustMarked(uid: Uid, moment: Moment): boolean {
    const marked = this.#known.get(uid)?.marked;
    return marked !== undefined && isBefore(marked, moment) && isNear(marked, moment);
  }

  markOf(uid: Uid): ActivityEntry | undefined {
    return this.#known.get(uid)?.mark;
  }

  /** What is told of an object's deletion: that it was marked or, where it never was, that it is gone. */
  deletionOf(uid: Uid): ActivityEntry | undefined {
    const known = this.#known.get(uid);
    return known?.mark ?? known?.end;
  }

  /** The policy of its deletion from that moment on. */
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
   * Whether an owner was being deleted with this policy at a moment, or until its end where nothing shows which came
   * first; `late`: or until shortly before that.
   */
  proceeded(uid: Uid, policy: 'foreground' | 'orphan', moment: Moment, late = false): boolean {
    const span = this.#known.get(uid)?.[policy];
    if (span === undefined || !isBefore(span.from, moment)) return false;
    if (span.until === undefined || isBefore(moment, span.until)) return true;
    if (isOrderUnknown(moment, span.until)) return true;
    return late && isNear(moment, span.until);
  }

  /** The object lost its references to these owners. */
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

  /** Whether it lost a dependent at about that moment. */
  hadDependent(uid: Uid, moment: Moment): boolean {
    const last = this.#known.get(uid)?.lastDependent;
    return last !== undefined && isNear(last, moment);
  }

  /** Whether it lost another reference so shortly before that the collector may have looked at it earlier still. */
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
    // The one that was heard of last is forgotten last.
    this.#known.delete(uid);
    this.#known.set(uid, known);
    shrink(this.#known, this.#most);
    return known;
  }
}

/** Without what else a transition tells: objects and their nodes would be kept as long as this is. */
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
  return `${groupResource(type)}/${namespace}/${name}`;
}

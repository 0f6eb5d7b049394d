/**
 * What Activity remembers of objects: when they were marked and when they were gone, and which entry told it. Bounded:
 * the oldest is forgotten first.
 */
import { isDeleting } from '../graph/deletion.ts';
import type { Identity } from '../graph/node.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { groupResource } from '../model/types/resource-type.ts';
import { type ActivityEntry, policyOf, type SeenPolicy } from './entry.ts';
import { isBefore, LAG_MILLISECONDS, type Moment } from './moment.ts';

export interface Departure {
  readonly identity: Identity;
  readonly moment: Moment;
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
    const gone: Departure = { identity: identityOfObject(object), moment };
    this.#of(object.uid).gone = gone;
    this.proceeds(object.uid, moment, 'background');
    const name = nameOf(object);
    this.#names.delete(name);
    this.#names.set(name, gone);
    shrink(this.#names, this.#most);
    for (const { uid, blockOwnerDeletion } of object.owners)
      if (blockOwnerDeletion === true)
        this.#of(uid).lastBlocking = { identity: gone.identity, at: moment.at };
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
    known.marked = moment;
    known.mark = entry;
  }

  end(uid: Uid, entry: ActivityEntry): void {
    this.#of(uid).end = entry;
  }

  /** In milliseconds since the epoch. */
  markedAt(uid: Uid): number | undefined {
    return this.#known.get(uid)?.marked?.at;
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
      if (each === policy) known[each] = { from: span?.from ?? moment };
      else if (span !== undefined && span.until === undefined) known[each] = { ...span, until: moment };
    }
  }

  /** Whether an owner was being deleted with this policy at a moment; `late`: or until shortly before that. */
  proceeded(uid: Uid, policy: 'foreground' | 'orphan', moment: Moment, late = false): boolean {
    const span = this.#known.get(uid)?.[policy];
    if (span === undefined || !isBefore(span.from, moment)) return false;
    if (span.until === undefined || isBefore(moment, span.until)) return true;
    return late && Math.abs(moment.at - span.until.at) < LAG_MILLISECONDS;
  }

  loseDependent(owner: Uid): void {
    this.#of(owner).orphans += 1;
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

function shrink(map: Map<unknown, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function nameOf({ type, namespace, name }: KubeObject): string {
  return `${groupResource(type)}/${namespace}/${name}`;
}

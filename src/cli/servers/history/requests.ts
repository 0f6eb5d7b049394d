/** Requests for objects, as the guard is asked about them. One counts once a change of the object follows. */
import type { ActivityEntry, ActivityKind } from '../../../activity/index.ts';
import type { Change, Uid } from '../../../model/index.ts';

/** Milliseconds in which a change follows a request. */
const FOLLOWS_MS = 10_000;
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 256;

export interface ServedRequest {
  readonly uid: Uid;
  readonly user: string;
  readonly verb: 'delete' | 'evict' | 'update';
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** Changes that an update leads to; `Deleted` only if finalizers were removed. */
const byUpdate: ReadonlySet<ActivityKind> = new Set([
  'FinalizerRemoved',
  'Released',
  'ReferenceRemoved',
  'Unblocked',
]);

export class Requests {
  readonly #most: number;
  readonly #waiting = new Map<Uid, readonly ServedRequest[]>();
  readonly #followed = new Map<Uid, readonly ServedRequest[]>();

  constructor(most: number) {
    this.#most = most;
  }

  wait(request: ServedRequest): void {
    put(this.#waiting, { ...request, user: request.user.slice(0, MOST_CHARACTERS) }, MOST_WAITING);
  }

  keep(request: ServedRequest): void {
    put(this.#followed, request, this.#most);
  }

  /** Keeps the requests that changes follow, and returns them. */
  follow(changes: readonly Change[], at: number): readonly ServedRequest[] {
    if (this.#waiting.size === 0) return [];
    const found: ServedRequest[] = [];
    for (const change of changes) {
      const uid = change.op === 'upsert' ? change.object.uid : change.uid;
      for (const request of this.#waiting.get(uid) ?? [])
        if (at - request.at <= FOLLOWS_MS) found.push(request);
      this.#waiting.delete(uid);
    }
    for (const each of found) this.keep(each);
    return found;
  }

  /** Returns those that may have led to an entry, oldest first. */
  of({ object, what, because, at }: ActivityEntry): readonly ServedRequest[] {
    const isEnd = what === 'Deleted' && because.code === 'Ended';
    const isUpdate = isEnd || byUpdate.has(what);
    const isDeletion = !isEnd && (what === 'Marked' || what === 'Deleted' || what === 'PolicyChanged');
    return (this.#followed.get(object.uid) ?? []).filter(
      ({ verb, at: asked }) =>
        (verb === 'update' ? isUpdate : isDeletion) && asked <= at && at - asked <= FOLLOWS_MS,
    );
  }
}

/** Forgets the object with the oldest requests first. */
function put(map: Map<Uid, readonly ServedRequest[]>, request: ServedRequest, most: number): void {
  const known = map.get(request.uid) ?? [];
  map.delete(request.uid);
  map.set(request.uid, [...known.slice(-3), request]);
  for (const uid of map.keys()) {
    if (map.size <= most) break;
    map.delete(uid);
  }
}

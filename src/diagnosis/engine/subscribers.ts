/**
 * Maps changes to the objects to judge again. Uid and namespace alone rule out nearly every change: building all keys
 * for each took half the time of reading a cluster.
 */
import type { GraphNode } from '../../graph/index.ts';
import { LookUp, ResourceType, type Uid } from '../../model/index.ts';

export interface Dependency {
  readonly key: string;
  /** The index slot: a uid, a namespace, or `EVERYWHERE`. The key distinguishes entries that share a slot. */
  readonly place: string;
}

/** Can't be a namespace's name. */
const EVERYWHERE = '*';

export const dependencyOn = {
  object: (uid: Uid): Dependency => ({ place: uid, key: `u:${uid}` }),
  dependents: (owner: Uid): Dependency => ({ place: owner, key: `d:${owner}` }),
  name: (type: ResourceType, namespace: string, name: string): Dependency => ({
    place: namespace,
    key: `n:${ResourceType.groupResource(type)}/${namespace}/${name}`,
  }),
  type: (type: ResourceType, namespace: string): Dependency => ({
    place: namespace,
    key: `t:${ResourceType.groupResource(type)}/${namespace}`,
  }),
  typeEverywhere: (type: ResourceType): Dependency => dependencyOn.type(type, EVERYWHERE),
  contents: (namespace: string): Dependency => ({ place: namespace, key: `c:${namespace}` }),
  answer: (lookUp: LookUp): Dependency => ({ place: '', key: `l:${LookUp.key(lookUp)}` }),
};

/** A set in insertion order. */
export class Dependencies {
  readonly #byKey = new Map<string, Dependency>();

  add(dependency: Dependency): void {
    if (!this.#byKey.has(dependency.key)) this.#byKey.set(dependency.key, dependency);
  }

  [Symbol.iterator](): IterableIterator<Dependency> {
    return this.#byKey.values();
  }
}

export class Subscribers {
  readonly #places = new Map<string, Map<string, Set<Uid>>>();

  add(uid: Uid, { key, place }: Dependency): void {
    let keys = this.#places.get(place);
    if (keys === undefined) this.#places.set(place, (keys = new Map()));
    const uids = keys.get(key);
    if (uids === undefined) keys.set(key, new Set([uid]));
    else uids.add(uid);
  }

  remove(uid: Uid, { key, place }: Dependency): void {
    const keys = this.#places.get(place);
    const uids = keys?.get(key);
    if (keys === undefined || uids?.delete(uid) !== true || uids.size > 0) return;
    keys.delete(key);
    if (keys.size === 0) this.#places.delete(place);
  }

  clear(): void {
    this.#places.clear();
  }

  of({ key, place }: Dependency): ReadonlySet<Uid> | undefined {
    return this.#places.get(place)?.get(key);
  }

  /** Returns the objects affected by a change of this node, one set per reason. */
  ofNode({ uid, owners, object }: GraphNode): readonly ReadonlySet<Uid>[] {
    const found: ReadonlySet<Uid>[] = [];
    const look = (dependency: Dependency): void => {
      const uids = this.of(dependency);
      if (uids !== undefined) found.push(uids);
    };
    const places = this.#places;
    if (places.has(uid)) look(dependencyOn.object(uid));
    for (const owner of owners) if (places.has(owner.uid)) look(dependencyOn.dependents(owner.uid));
    if (object === undefined) return found;
    const { type, namespace, name } = object;
    if (places.has(EVERYWHERE)) look(dependencyOn.typeEverywhere(type));
    if (!places.has(namespace)) return found;
    look(dependencyOn.name(type, namespace, name));
    look(dependencyOn.type(type, namespace));
    look(dependencyOn.contents(namespace));
    return found;
  }
}

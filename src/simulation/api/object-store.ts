/** Objects by uid and by name, as a layer over an unchanged base. Memory grows with the writes, not with the base. */
import { getOrInsert, type KubeObject, ResourceType, type Uid } from '../../model/index.ts';

/** The coordinates of an object. A `KubeObject` is a valid key. */
export interface ObjectKey {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectReader {
  byUid(uid: Uid): KubeObject | undefined;
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined;
  /** Lists one namespace, or all, in a stable but arbitrary order. */
  list(type: ResourceType, namespace?: string): KubeObject[];
  /** Lists objects with an owner reference to this uid, whatever its other fields. */
  ownedBy(uid: Uid): KubeObject[];
  all(): Iterable<KubeObject>;
}

const keys = new WeakMap<ResourceType, string>();

/** Returns the storage key of all versions of a resource; both event groups share one. */
export function storageKey(type: ResourceType): string {
  let key = keys.get(type);
  if (key === undefined) {
    key = ResourceType.stored(type);
    keys.set(type, key);
  }
  return key;
}

type Names = Map<string, KubeObject>;

export class ApiStore implements ObjectReader {
  readonly #base: ObjectReader | undefined;
  /** Null marks an object of the base that was deleted. */
  readonly #written = new Map<Uid, KubeObject | null>();
  readonly #places = new Map<string, Map<string, Names>>();
  /** Dependents whose owners differ from those in the base. */
  readonly #dependents = new Map<Uid, Set<Uid>>();
  readonly #indexed = new Set<Uid>();
  readonly #created = new Set<Uid>();

  constructor(base?: ObjectReader) {
    this.#base = base;
  }

  /** Copies the store over the same base; the cost grows with the writes. */
  fork(): ApiStore {
    const copy = new ApiStore(this.#base);
    for (const [uid, object] of this.#written) {
      if (object === null) copy.#written.set(uid, null);
      else copy.put(object);
    }
    return copy;
  }

  byUid(uid: Uid): KubeObject | undefined {
    const object = this.#written.get(uid);
    return object === undefined ? this.#base?.byUid(uid) : (object ?? undefined);
  }

  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const object = this.#places.get(storageKey(type))?.get(namespace)?.get(name);
    return object ?? this.#unwritten(this.#base?.find(type, namespace, name));
  }

  list(type: ResourceType, namespace?: string): KubeObject[] {
    const found = this.#base?.list(type, namespace).filter(object => !this.#written.has(object.uid)) ?? [];
    const place = this.#places.get(storageKey(type));
    if (place === undefined) return found;
    if (namespace === undefined) for (const names of place.values()) found.push(...names.values());
    else for (const object of place.get(namespace)?.values() ?? []) found.push(object);
    return found;
  }

  ownedBy(uid: Uid): KubeObject[] {
    const found: KubeObject[] = [];
    for (const object of this.#base?.ownedBy(uid) ?? []) {
      const written = this.#written.get(object.uid);
      if (written === undefined) found.push(object);
      else if (written !== null && written.owners === object.owners) found.push(written);
    }
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const object = this.#written.get(dependent);
      if (object !== undefined && object !== null) found.push(object);
    }
    return found;
  }

  *all(): IterableIterator<KubeObject> {
    for (const object of this.#base?.all() ?? []) if (!this.#written.has(object.uid)) yield object;
    for (const object of this.#written.values()) if (object !== null) yield object;
  }

  /** Lists written uids with their objects; null if deleted. */
  changes(): IterableIterator<[Uid, KubeObject | null]> {
    return this.#written.entries();
  }

  /** `known` is the object as currently stored, for callers that have looked it up. */
  put(object: KubeObject, known = this.byUid(object.uid)): void {
    const { uid, owners } = object;
    const previous = this.#written.get(uid);
    if (known === undefined && previous === undefined) this.#created.add(uid);
    this.#written.set(uid, object);
    this.#namesAt(object).set(object.name, object);
    // Most writes keep the owners, so the indexes needn't change.
    if (known?.owners === owners) return;
    if (previous !== undefined && previous !== null) this.#unindexOwners(previous);
    if (this.#base?.byUid(uid)?.owners !== owners) this.#indexOwners(object);
  }

  remove(object: KubeObject): void {
    const { uid } = object;
    const previous = this.#written.get(uid);
    if (previous !== undefined && previous !== null) {
      this.#unindexOwners(previous);
      const names = this.#namesAt(object);
      if (names.get(object.name)?.uid === uid) names.delete(object.name);
    }
    if (this.#created.delete(uid)) this.#written.delete(uid);
    else this.#written.set(uid, null);
  }

  #unwritten(object: KubeObject | undefined): KubeObject | undefined {
    return object === undefined || this.#written.has(object.uid) ? undefined : object;
  }

  #namesAt(object: KubeObject): Names {
    const place = getOrInsert(this.#places, storageKey(object.type), () => new Map<string, Names>());
    return getOrInsert(place, object.namespace, () => new Map());
  }

  #indexOwners({ uid, owners }: KubeObject): void {
    this.#indexed.add(uid);
    for (const owner of owners) getOrInsert(this.#dependents, owner.uid, () => new Set()).add(uid);
  }

  #unindexOwners({ uid, owners }: KubeObject): void {
    if (!this.#indexed.delete(uid)) return;
    for (const owner of owners) this.#dependents.get(owner.uid)?.delete(uid);
  }
}

/**
 * The objects of one type by uid. Turns lists into changes; a first full list doesn't undo newer ones of a namespace.
 */
import {
  type Change,
  counted,
  type KubeObject,
  ResourceVersion,
  type Uid,
  UidMap,
} from '../../model/index.ts';
import { WireError } from '../wire/cursor.ts';

export type Going = Omit<Extract<Change, { op: 'delete' }>, 'op' | 'uid' | 'type'>;

export interface ObjectSink {
  upsert(object: KubeObject): void;
  remove(object: KubeObject, going: Going): void;
}

export class ObjectStore {
  readonly #objects = new UidMap<KubeObject>();
  /** Objects whose resourceVersion proves nothing, because it may come from another history. */
  readonly #doubted = new Set<Uid>();
  /** The version up to which each separately read namespace is known. */
  readonly #reached = new Map<string, string>();
  readonly #sink: ObjectSink;

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  get count(): number {
    return this.#objects.size;
  }

  /** Does nothing if the object is known at this version, as after a repeated event or a list without news. */
  upsert(object: KubeObject): void {
    const known = this.#objects.get(object.uid);
    if (
      !this.#doubted.delete(object.uid) &&
      known !== undefined &&
      known.resourceVersion === object.resourceVersion &&
      known.resourceVersion !== '' &&
      known.type === object.type &&
      (known.facts !== undefined || object.facts === undefined)
    )
      return;
    this.#objects.set(object.uid, object);
    this.#sink.upsert(object);
  }

  remove(uid: Uid, going: Going = {}): void {
    const known = this.#objects.get(uid);
    if (known === undefined) return;
    this.#objects.delete(uid);
    this.#doubted.delete(uid);
    this.#sink.remove(known, going);
  }

  /** Marks all objects as doubtful: the same resourceVersion may mean another state in a new history. */
  doubt(): void {
    this.#reached.clear();
    for (const uid of this.#objects.keys()) this.#doubted.add(uid);
  }

  uids(): Iterable<Uid> {
    return this.#objects.keys();
  }

  has(uid: Uid): boolean {
    return this.#objects.has(uid);
  }

  get(uid: Uid): KubeObject | undefined {
    return this.#objects.get(uid);
  }

  reached(namespace: string, version: string): void {
    this.#reached.set(namespace, version);
  }

  isPast(namespace: string, version: string): boolean {
    const reached = this.#reached.get(namespace);
    return reached !== undefined && (ResourceVersion.compare(reached, version) ?? 0) > 0;
  }

  find(namespace: string, name: string): KubeObject | undefined {
    for (const object of this.#objects.values())
      if (object.name === name && object.namespace === namespace) return object;
    return undefined;
  }

  beginList(namespace: string | undefined, defer: boolean): StoreList {
    const unseen = new Set<Uid>();
    for (const object of this.#objects.values())
      if (namespace === undefined || object.namespace === namespace) unseen.add(object.uid);
    return new StoreList(this, { unseen, defer, isFirstOfAll: namespace === undefined && !defer });
  }
}

/** About 2 GB in memory; etcd with its largest quota, 8 GiB, would hold this many of less than 3 KB. */
const MOST_LISTED = 3_000_000;

/** A list has more objects than any kind may have. */
export class EndlessList extends WireError {}

interface StoreListOptions {
  readonly unseen: Set<Uid>;
  readonly defer: boolean;
  readonly isFirstOfAll: boolean;
}

/**
 * With `defer`, new objects come last, after the deletion of objects of equal names; a first list shows them at once.
 */
export class StoreList {
  readonly #store: ObjectStore;
  readonly #unseen: Set<Uid>;
  readonly #fresh: Map<Uid, KubeObject> | undefined;
  readonly #isFirstOfAll: boolean;
  #version = '';
  #added = 0;

  constructor(store: ObjectStore, { unseen, defer, isFirstOfAll }: StoreListOptions) {
    this.#store = store;
    this.#unseen = unseen;
    this.#fresh = defer ? new Map() : undefined;
    this.#isFirstOfAll = isFirstOfAll;
  }

  begin(version: string): void {
    this.#version = version;
  }

  /** Throws an `EndlessList`. */
  add(object: KubeObject): void {
    this.#added += 1;
    if (this.#added > MOST_LISTED)
      throw new EndlessList(`its list goes on after ${counted(MOST_LISTED, 'object')}`);
    this.#unseen.delete(object.uid);
    if (this.#isOvertaken(object)) return;
    if (this.#fresh !== undefined && !this.#store.has(object.uid)) this.#fresh.set(object.uid, object);
    else this.#store.upsert(object);
  }

  /** Removes an object that was deleted while the list was arriving (WatchList). */
  remove(uid: Uid): void {
    this.#unseen.delete(uid);
    if (this.#fresh?.delete(uid) !== true) this.#store.remove(uid);
  }

  /** Completes the list: objects that it did not hold are deleted. An incomplete list is dropped instead. */
  end(): void {
    for (const uid of this.#unseen) {
      const known = this.#store.get(uid);
      if (known !== undefined && !this.#isOvertaken(known)) this.#store.remove(uid);
    }
    if (this.#fresh !== undefined) for (const object of this.#fresh.values()) this.#store.upsert(object);
  }

  #isOvertaken({ namespace }: KubeObject): boolean {
    return this.#isFirstOfAll && this.#store.isPast(namespace, this.#version);
  }
}

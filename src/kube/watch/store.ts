/**
 * What one type's reflectors have seen, by uid. Turns lists into changes: what a new list no longer holds is
 * deleted, what it holds unchanged is silent. A first list of everything takes back nothing of what is known of a
 * namespace by a newer list of its own.
 */
import type { Change } from '../../model/exchange/changes.ts';
import { compareResourceVersions, type KubeObject, type Uid } from '../../model/object.ts';
import { counted } from '../../model/text/titles.ts';
import { UidMap } from '../../model/uid-map.ts';
import { WireError } from '../wire/cursor.ts';

/** What is known of how an object went. */
export type Going = Omit<Extract<Change, { op: 'delete' }>, 'op' | 'uid' | 'type'>;

/** Where changes go. */
export interface ObjectSink {
  upsert(object: KubeObject): void;
  remove(object: KubeObject, going: Going): void;
}

export class ObjectStore {
  readonly #objects = new UidMap<KubeObject>();
  /** Objects whose version says nothing: it may be that of another history. */
  readonly #doubted = new Set<Uid>();
  /** Of namespaces that were read by themselves, the version up to which they are known. */
  readonly #reached = new Map<string, string>();
  readonly #sink: ObjectSink;

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  get count(): number {
    return this.#objects.size;
  }

  /** Does nothing where the object is known at this very version: a repeated event, or a list without news. */
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

  /** What is known may be of a history that the server no longer has, in which a version stood for something else. */
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

  /** All of the namespace is known as of this version. */
  reached(namespace: string, version: string): void {
    this.#reached.set(namespace, version);
  }

  /** Whether all of the namespace is known as of a later version. */
  isPast(namespace: string, version: string): boolean {
    const reached = this.#reached.get(namespace);
    return reached !== undefined && (compareResourceVersions(reached, version) ?? 0) > 0;
  }

  find(namespace: string, name: string): KubeObject | undefined {
    for (const object of this.#objects.values())
      if (object.name === name && object.namespace === namespace) return object;
    return undefined;
  }

  /** Begins a new list of everything, or of one namespace. */
  beginList(namespace: string | undefined, defer: boolean): StoreList {
    const unseen = new Set<Uid>();
    for (const object of this.#objects.values())
      if (namespace === undefined || object.namespace === namespace) unseen.add(object.uid);
    return new StoreList(this, { unseen, defer, isFirstOfAll: namespace === undefined && !defer });
  }
}

/** About 2 GB in memory; etcd with its largest quota, 8 GiB, would hold so many of less than 3 KB. */
const MOST_LISTED = 3_000_000;

/** A list went on beyond what is read of any kind. */
export class EndlessList extends WireError {}

interface StoreListOptions {
  /** What is known of it. */
  readonly unseen: Set<Uid>;
  readonly defer: boolean;
  readonly isFirstOfAll: boolean;
}

/**
 * One list under way. With `defer`, objects that were not known before wait for the end, so that an object
 * which took over another's name arrives after the other's deletion. A first list doesn't defer: the tree
 * grows while it arrives.
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

  /** The version of it all, as soon as it is known. */
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

  /** Deleted while the list was still arriving (WatchList). */
  remove(uid: Uid): void {
    this.#unseen.delete(uid);
    if (this.#fresh?.delete(uid) !== true) this.#store.remove(uid);
  }

  /** The list is complete: what it did not hold is deleted. A list that broke off is dropped. */
  end(): void {
    for (const uid of this.#unseen) {
      const known = this.#store.get(uid);
      if (known !== undefined && !this.#isOvertaken(known)) this.#store.remove(uid);
    }
    if (this.#fresh !== undefined) for (const object of this.#fresh.values()) this.#store.upsert(object);
  }

  /** What is known of its namespace is newer than this first list of all of them. */
  #isOvertaken({ namespace }: KubeObject): boolean {
    return this.#isFirstOfAll && this.#store.isPast(namespace, this.#version);
  }
}

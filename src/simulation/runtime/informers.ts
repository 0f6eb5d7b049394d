/** A process's informers: a cache that follows the API server's writes with a delay, and the controllers' handlers. */
import { getOrInsert, type KubeObject, type ResourceType, type Uid } from '../../model/index.ts';
import type { StoreEvent } from '../api/api-client.ts';
import type { SimulatedApiServer } from '../api/api-server.ts';
import { type ApiStore, type ObjectReader, storageKey } from '../api/object-store.ts';

/** Handlers only take notes and queue keys, within the delivery of one event. */
export interface InformerHandler {
  /** `initial`: an existing object, first seen by a process that just started. */
  added?(object: KubeObject, initial: boolean): void;
  updated?(object: KubeObject, old: KubeObject): void;
  deleted?(object: KubeObject): void;
}

export interface InformerCache extends ObjectReader {
  /** Differences from the base snapshot; null for deleted objects. */
  changes(): Iterable<[Uid, KubeObject | null]>;
}

/** Returns a controller's handlers for a type. Must always return the same. */
type Subscription = (type: ResourceType) => readonly InformerHandler[];

interface Delivery {
  readonly lane: string;
  readonly handlers: readonly InformerHandler[];
}

export class SharedInformers {
  readonly #api: SimulatedApiServer;
  readonly #process: string;
  readonly #store: ApiStore;
  readonly #subscriptions: Subscription[] = [];
  readonly #deliveries = new Map<ResourceType, Delivery>();
  #stopped = false;

  constructor(api: SimulatedApiServer, process: string) {
    this.#api = api;
    this.#process = process;
    this.#store = api.store.fork();
    api.onWrite(event => this.#enqueue(event));
    api.discovery.onChange((type, state) => {
      if (state === 'served' && !this.#stopped) this.#relist(type);
    });
  }

  get cache(): InformerCache {
    return this.#store;
  }

  subscribe(subscription: Subscription): void {
    this.#deliveries.clear();
    this.#subscriptions.push(subscription);
  }

  wake(objects: Iterable<KubeObject>): void {
    for (const object of objects) {
      this.#api.clock.schedule(this.#deliveryOf(object.type).lane, () => {
        if (this.#stopped) return;
        const current = this.#store.byUid(object.uid);
        if (current === undefined) return;
        for (const handler of this.#deliveryOf(current.type).handlers) handler.added?.(current, true);
      });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#subscriptions.length = 0;
    this.#deliveries.clear();
  }

  #enqueue(event: StoreEvent): void {
    if (this.#stopped) return;
    this.#api.clock.schedule(this.#deliveryOf(event.object.type).lane, () => this.#deliver(event));
  }

  #deliver(event: StoreEvent): void {
    if (this.#stopped) return;
    const { object } = event;
    const old = this.#store.byUid(object.uid);
    if (event.op === 'deleted') {
      if (old === undefined) return;
      this.#store.remove(object);
    } else {
      this.#store.put(object, old);
    }
    for (const handler of this.#deliveryOf(object.type).handlers) {
      if (event.op === 'deleted') handler.deleted?.(object);
      else if (old === undefined) handler.added?.(object, false);
      else handler.updated?.(object, old);
    }
  }

  #relist(type: ResourceType): void {
    this.#api.clock.schedule(this.#deliveryOf(type).lane, () => {
      if (this.#stopped) return;
      const stored = new Set<string>();
      for (const object of this.#api.store.list(type)) {
        stored.add(object.uid);
        const known = this.#store.byUid(object.uid);
        if (known === undefined) this.#deliver({ op: 'added', object });
        else if (known !== object) this.#deliver({ op: 'modified', object, old: known });
      }
      for (const object of this.#store.list(type)) {
        if (!stored.has(object.uid)) this.#deliver({ op: 'deleted', object });
      }
    });
  }

  #deliveryOf(type: ResourceType): Delivery {
    return getOrInsert(this.#deliveries, type, () => ({
      lane: `watch ${this.#process} ${storageKey(type)}`,
      handlers: this.#subscriptions.flatMap(subscription => subscription(type)),
    }));
  }
}

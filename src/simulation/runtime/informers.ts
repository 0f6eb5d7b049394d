/**
 * What one process of the control plane sees: a cache that follows the API server's writes through the event
 * queue, shared by the process's controllers, and their handlers. It lags behind, and it ends with the process.
 */
import { getOrInsert } from '../../model/maps.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { SimulatedApiServer } from '../api/server.ts';
import { type ApiStore, type ObjectReader, storageKey } from '../api/store.ts';
import type { StoreEvent } from '../api/types.ts';

/** Handlers only take note and queue; they are called within the delivery of one event. */
export interface InformerHandler {
  /** `initial`: not new, but seen for the first time by a process that just started. */
  added?(object: KubeObject, initial: boolean): void;
  updated?(object: KubeObject, old: KubeObject): void;
  /** With the last state. */
  deleted?(object: KubeObject): void;
}

export interface InformerCache extends ObjectReader {
  /** What is different from the snapshot beneath; null where an object is gone. */
  changes(): Iterable<[Uid, KubeObject | null]>;
}

interface Subscription {
  readonly watches: (type: ResourceType) => boolean;
  readonly handler: InformerHandler;
}

/** What concerns one type. */
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

  /** As last seen by this process. */
  get cache(): InformerCache {
    return this.#store;
  }

  /** The predicate must say the same of a type at all times. */
  subscribe(watches: (type: ResourceType) => boolean, handler: InformerHandler): void {
    this.#deliveries.clear();
    this.#subscriptions.push({ watches, handler });
  }

  /** Shows objects to the handlers as a first list does. */
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

  /** A type can be listed again: what changed meanwhile arrives as the difference. */
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
      handlers: this.#subscriptions.filter(({ watches }) => watches(type)).map(({ handler }) => handler),
    }));
  }
}

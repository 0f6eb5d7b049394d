/** The types being read: a monitor for each, and the objects seen. */
import {
  type Change,
  getOrInsert,
  type KubeObject,
  type ReadScope,
  ResourceType,
  type TypeStatus,
  type Uid,
  type Want,
} from '../../model/index.ts';
import type { Catalogue } from '../discovery/type-catalogue.ts';
import { type ObjectSink, ObjectStore } from './object-store.ts';
import { type Extent, type MonitorContext, TypeMonitor } from './type-monitor.ts';

export interface FollowedTypesOptions {
  readonly context: MonitorContext;
  /** The part to read; undefined for everything. Called once the served types are known. */
  readonly scope: () => ReadScope | undefined;
  readonly objectChanged: (change: Change) => void;
  readonly statusChanged: () => void;
  /** Called when a CRD or APIService changed. */
  readonly definitionChanged: () => void;
}

interface KeptObjects {
  readonly store: ObjectStore;
  type: ResourceType;
  monitor: TypeMonitor | undefined;
}

interface GoneDefinition {
  readonly uids: readonly Uid[];
  readonly seen: number;
}

const CUSTOM_DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const definitions = new Set([CUSTOM_DEFINITIONS, 'apiregistration.k8s.io/apiservices']);

/** Discovery drops a kind some time after its definition; one still served this late has another definition. */
const LATE_DISCOVERY_MS = 30_000;

/** More than the largest difference between ranks. */
const MORE_URGENT = 100;

export class FollowedTypes {
  readonly #options: FollowedTypesOptions;
  readonly #monitors = new Map<string, TypeMonitor>();
  /** Objects by group and resource, kept when their type vanishes: if it returns, its list is compared with them. */
  readonly #kept = new Map<string, KeptObjects>();
  /** Kinds, by group and resource, whose definition was deleted, which happens after the last instance. */
  readonly #goneDefinitions = new Map<string, GoneDefinition>();
  readonly #dirty = new Set<TypeMonitor>();
  /** Namespaces outside the scope by group and resource; `''` for all. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #stopping = new Set<Promise<void>>();
  #gone: TypeStatus[] = [];
  #urgency = 0;

  constructor(options: FollowedTypesOptions) {
    this.#options = options;
  }

  get statuses(): TypeStatus[] {
    return [...this.#monitors.values()].map(monitor => monitor.status);
  }

  get areListing(): boolean {
    return this.#monitors.values().some(monitor => monitor.isListing);
  }

  takeChanged(): TypeStatus[] {
    const changed = [...this.#gone, ...[...this.#dirty].map(monitor => monitor.status)];
    this.#gone = [];
    this.#dirty.clear();
    return changed;
  }

  countOf(type: ResourceType): number {
    return this.#kept.get(homeOf(type))?.store.count ?? 0;
  }

  /** Reads all of a type, in a namespace if one is given. Has no effect on an unmonitored type. */
  want({ type, namespace = '' }: Pick<Want, 'type' | 'namespace'>): void {
    const where = type.namespaced ? namespace : '';
    getOrInsert(this.#wanted, homeOf(type), () => new Set<string>()).add(where);
    const monitor = this.#monitorOf(type);
    if (monitor !== undefined) read(monitor, where);
  }

  prefer(namespace: string): void {
    this.#urgency += MORE_URGENT;
    for (const monitor of this.#monitors.values()) monitor.prefer(namespace, this.#urgency);
  }

  /** Resolves once it is known for each namespaced type if the namespace can be listed. */
  async seen(namespace: string): Promise<void> {
    const monitors = [...this.#monitors.values()].filter(({ type }) => type.namespaced);
    await Promise.all(monitors.map(monitor => monitor.sees(namespace)));
  }

  extentOf(type: ResourceType, namespace: string): Extent {
    return this.#monitorOf(type)?.extent(namespace) ?? 'none';
  }

  async sees(type: ResourceType, namespace: string): Promise<boolean> {
    return (await this.#monitorOf(type)?.sees(namespace)) === true;
  }

  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    return this.#kept.get(homeOf(type))?.store.find(namespace, name);
  }

  /** Adds an object of a monitored type that was read by itself. */
  keep(object: KubeObject): void {
    if (this.#monitorOf(object.type) !== undefined) this.#kept.get(homeOf(object.type))?.store.upsert(object);
  }

  wake(): void {
    for (const monitor of this.#monitors.values()) monitor.wake();
  }

  beginAnew(): void {
    // A vanished type has no monitor, but may return with other objects of equal versions.
    for (const { store } of this.#kept.values()) store.doubt();
    for (const monitor of this.#monitors.values()) monitor.beginAnew();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stopping, ...[...this.#monitors.values()].map(monitor => monitor.stop())]);
  }

  forget(): void {
    for (const monitor of this.#monitors.values()) this.#end(monitor);
    this.#monitors.clear();
    this.#kept.clear();
    this.#goneDefinitions.clear();
    this.#dirty.clear();
    this.#gone = [];
  }

  adopt({ types, failedVersions }: Catalogue): void {
    const wanted = new Map(types.filter(ResourceType.isMonitored).map(type => [keyOf(type), type]));
    const homes = new Set([...wanted.values()].map(homeOf));
    for (const [key, monitor] of this.#monitors) {
      const type = wanted.get(key);
      // Monitors of a group whose discovery fails continue (docs/kubernetes.md §5).
      if (type === monitor.type || (type === undefined && failedVersions.has(monitor.type.apiVersion)))
        continue;
      // Another version may be preferred now.
      this.#drop(key, monitor, !homes.has(homeOf(monitor.type)));
    }
    const fresh = [...wanted].filter(([key]) => !this.#monitors.has(key));
    // Lists start in this order while places are free.
    for (const [key, type] of fresh) if (type.namespaced) this.#pickUp(key, type);
    for (const [key, type] of fresh) if (!type.namespaced) this.#pickUp(key, type);
    for (const [home, went] of this.#goneDefinitions) this.#settle(home, went);
  }

  #pickUp(key: string, type: ResourceType): void {
    const kept = this.#kept.get(homeOf(type)) ?? this.#keep(type);
    kept.type = type;
    const monitor = new TypeMonitor({
      type,
      store: kept.store,
      context: this.#options.context,
      scope: this.#options.scope(),
      changed: () => {
        this.#dirty.add(monitor);
        this.#options.statusChanged();
      },
    });
    for (const where of this.#wanted.get(homeOf(type)) ?? []) read(monitor, where);
    kept.monitor = monitor;
    this.#monitors.set(key, monitor);
    this.#dirty.add(monitor);
  }

  #monitorOf(type: ResourceType): TypeMonitor | undefined {
    return this.#kept.get(homeOf(type))?.monitor;
  }

  #keep(type: ResourceType): KeptObjects {
    const home = homeOf(type);
    const definesTypes = definitions.has(home);
    const { objectChanged, definitionChanged } = this.#options;
    const changed = (change: Change): void => {
      if (this.#kept.get(home) !== kept) return;
      if (kept.monitor !== undefined) this.#dirty.add(kept.monitor);
      objectChanged(change);
      if (definesTypes) definitionChanged();
    };
    const sink: ObjectSink = {
      upsert: object => {
        if (home === CUSTOM_DEFINITIONS) this.#goneDefinitions.delete(homeDefinedBy(object));
        changed({ op: 'upsert', object });
      },
      remove: (object, going) => {
        changed({ op: 'delete', uid: object.uid, type: object.type, ...going });
        // A new definition of that name may exist already.
        if (home === CUSTOM_DEFINITIONS && kept.store.find('', object.name) === undefined)
          this.#definitionWent(homeDefinedBy(object));
      },
    };
    const kept: KeptObjects = { store: new ObjectStore(sink), type, monitor: undefined };
    this.#kept.set(home, kept);
    return kept;
  }

  #definitionWent(home: string): void {
    const kept = this.#kept.get(home);
    const seen = this.#options.context.timing.now();
    if (kept !== undefined) this.#goneDefinitions.set(home, { uids: [...kept.store.uids()], seen });
  }

  /** Deletes a kind's objects once it vanished with its definition. If it is served, its list decides. */
  #settle(home: string, { uids, seen }: GoneDefinition): void {
    const kept = this.#kept.get(home);
    const isServed = kept?.monitor !== undefined;
    if (isServed && this.#options.context.timing.now() - seen < LATE_DISCOVERY_MS) return;
    this.#goneDefinitions.delete(home);
    if (isServed || kept === undefined) return;
    for (const uid of uids) kept.store.remove(uid, { unseen: true });
    const { type, store } = kept;
    if (store.count === 0) this.#kept.delete(home);
    this.#gone.push({ type, state: 'gone', count: store.count, facts: false });
  }

  #drop(key: string, monitor: TypeMonitor, gone: boolean): void {
    this.#monitors.delete(key);
    const kept = this.#kept.get(homeOf(monitor.type));
    if (kept?.monitor === monitor) kept.monitor = undefined;
    this.#dirty.delete(monitor);
    this.#end(monitor);
    if (!gone) return;
    const { count } = monitor.store;
    if (count === 0) this.#kept.delete(homeOf(monitor.type));
    this.#gone.push({ type: monitor.type, state: 'gone', count, facts: false });
  }

  #end(monitor: TypeMonitor): void {
    const ended = monitor.stop();
    this.#stopping.add(ended);
    void ended.finally(() => this.#stopping.delete(ended));
  }
}

function read(monitor: TypeMonitor, where: string): void {
  if (where === '') monitor.readAll();
  else monitor.readNamespace(where);
}

function keyOf(type: ResourceType): string {
  return `${type.group}/${type.version}/${type.resource}`;
}

function homeOf(type: ResourceType): string {
  return `${type.group}/${type.resource}`;
}

/** Reads the name of a definition, `RESOURCE.GROUP`. */
function homeDefinedBy({ name }: KubeObject): string {
  const dot = name.indexOf('.');
  return `${name.slice(dot + 1)}/${name.slice(0, dot)}`;
}

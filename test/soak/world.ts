/**
 * The true model of the objects that a soak invents: who owns what, and what happens to it. Owners come and go in every
 * way that the garbage collector knows, and what they leave behind is collected some events later, as it would be.
 */
import {
  CONFIG_MAP,
  DEPLOYMENT,
  type InventedKind,
  type InventedObject,
  POD,
  REPLICA_SET,
  WIDGET,
} from './objects.ts';

export interface InventedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: InventedObject;
}

const NAMESPACES = 10;
const phases = ['Running', 'Running', 'Running', 'Pending', 'Succeeded', 'Failed'] as const;

export interface WorldSize {
  readonly deployments: number;
  readonly podsEach: number;
  readonly configMaps: number;
  readonly widgets: number;
}

export class World {
  readonly #objects = new Map<string, InventedObject>();
  readonly #byKind = new Map<InventedKind, Bag>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Uids of owners that are gone or wait for their dependents. */
  readonly #toCollect = new Set<string>();
  readonly #size: WorldSize;
  readonly #random: () => number;
  readonly #emit: (event: InventedEvent) => void;
  readonly #started = Math.floor(Date.now() / 1000);
  #created = 0;
  /** The version of the server, which each change carries, and each object at most once. */
  #version = 0;
  readonly counts = { ADDED: 0, MODIFIED: 0, DELETED: 0 };

  constructor(options: {
    readonly size: WorldSize;
    readonly random: () => number;
    readonly emit: (event: InventedEvent) => void;
  }) {
    this.#size = options.size;
    this.#random = options.random;
    this.#emit = options.emit;
  }

  static namespaces(): string[] {
    return Array.from({ length: NAMESPACES }, (_, index) => `soak-${index}`);
  }

  get version(): number {
    return this.#version;
  }

  get events(): number {
    return this.counts.ADDED + this.counts.MODIFIED + this.counts.DELETED;
  }

  /** The server has reached this version. */
  reached(version: number): void {
    this.#version = Math.max(this.#version, version);
  }

  objectsOf(kind: InventedKind): InventedObject[] {
    return (this.#byKind.get(kind)?.all ?? []).flatMap(uid => this.#objects.get(uid) ?? []);
  }

  find(kind: InventedKind, namespace: string, name: string): InventedObject | undefined {
    return this.objectsOf(kind).find(each => each.namespace === namespace && each.name === name);
  }

  get uids(): string[] {
    return [...this.#objects.keys()];
  }

  /** Everything that there is at the beginning. */
  populate(): void {
    for (let index = 0; index < this.#size.deployments; index++) this.#createDeployment();
    while (this.#count(CONFIG_MAP) < this.#size.configMaps) this.#createConfigMap();
    while (this.#count(WIDGET) < this.#size.widgets) this.#createWidget();
  }

  /** One thing that happens, with one event or a few; none where nothing that was chosen may change at this version. */
  step(): void {
    const { podsEach, deployments, configMaps, widgets } = this.#size;
    const what = this.#random();
    if (what < 0.1) this.#collect();
    else if (what < 0.6) this.#changePod();
    else if (what < 0.7) {
      if (this.#count(POD) < deployments * podsEach) this.#createPod();
      else this.#remove(this.#pick(POD));
    } else if (what < 0.78) this.#scale();
    else if (what < 0.785) {
      if (this.#count(DEPLOYMENT) < deployments) this.#createDeployment();
      else this.#deleteOwner(this.#pick(DEPLOYMENT));
    } else if (what < 0.79) this.#deleteOwner(this.#pick(REPLICA_SET));
    else if (what < 0.86) {
      if (this.#count(CONFIG_MAP) < configMaps) this.#createConfigMap();
      else this.#remove(this.#pick(CONFIG_MAP));
    } else if (what < 0.91) {
      if (this.#count(WIDGET) < widgets) this.#createWidget();
      else this.#deleteOwner(this.#pick(WIDGET));
    } else this.#changeMetadata(this.#pick(this.#random() < 0.5 ? WIDGET : CONFIG_MAP));
  }

  /** Whether nothing is left to collect, after one thing that the collector does; it may have to wait for a new version. */
  settle(): boolean {
    this.#collect();
    return this.#toCollect.size === 0;
  }

  #count(kind: InventedKind): number {
    return this.#byKind.get(kind)?.all.length ?? 0;
  }

  /** One that may change now; undefined where chance finds none. */
  #pick(kind: InventedKind): InventedObject | undefined {
    const uids = this.#byKind.get(kind)?.all ?? [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const object = this.#objects.get(uids[Math.floor(this.#random() * uids.length)] ?? '');
      if (object !== undefined && this.#mayChange(object)) return object;
    }
    return undefined;
  }

  #mayChange(object: InventedObject): boolean {
    return Number(object.resourceVersion) < this.#version;
  }

  #create(type: InventedKind, prefix: string, fields: Partial<InventedObject>): InventedObject {
    const number = this.#created++;
    const object: InventedObject = {
      namespace: `soak-${number % NAMESPACES}`,
      name: `${prefix}-${number}`,
      // Of the same form as those of the server.
      uid: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
      creationTimestamp: this.#started,
      ...fields,
      type,
      resourceVersion: String(this.#version),
    };
    this.#put(object);
    this.#tell('ADDED', object);
    return object;
  }

  #put(object: InventedObject): void {
    const before = this.#objects.get(object.uid);
    for (const { uid } of before?.owners ?? []) this.#dependents.get(uid)?.delete(object.uid);
    this.#objects.set(object.uid, object);
    const bag = this.#byKind.get(object.type) ?? new Bag();
    this.#byKind.set(object.type, bag);
    bag.add(object.uid);
    for (const { uid } of object.owners ?? []) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, dependents);
      dependents.add(object.uid);
    }
  }

  #tell(type: InventedEvent['type'], object: InventedObject): void {
    this.counts[type] += 1;
    this.#emit({ type, object });
  }

  #change(object: InventedObject, fields: Partial<InventedObject>): void {
    const next = { ...object, ...fields, resourceVersion: String(this.#version) };
    this.#put(next);
    this.#tell('MODIFIED', next);
  }

  /** Deletes it, whatever it owns. */
  #remove(object: InventedObject | undefined): void {
    if (object === undefined) return;
    this.#objects.delete(object.uid);
    this.#byKind.get(object.type)?.delete(object.uid);
    for (const { uid } of object.owners ?? []) this.#dependents.get(uid)?.delete(object.uid);
    this.#tell('DELETED', { ...object, resourceVersion: String(this.#version) });
    if (this.#dependentsOf(object).length > 0) this.#toCollect.add(object.uid);
    else this.#dependents.delete(object.uid);
  }

  #dependentsOf(owner: Pick<InventedObject, 'uid'>): InventedObject[] {
    return [...(this.#dependents.get(owner.uid) ?? [])].flatMap(uid => this.#objects.get(uid) ?? []);
  }

  /** In background, in foreground, or with its dependents orphaned. */
  #deleteOwner(object: InventedObject | undefined): void {
    if (object === undefined || object.deletionTimestamp !== undefined) return;
    const how = this.#random();
    if (how < 0.4) this.#remove(object);
    else if (how < 0.8) {
      const finalizers = [...(object.finalizers ?? []), 'foregroundDeletion'];
      this.#change(object, { finalizers, deletionTimestamp: Math.floor(Date.now() / 1000) });
      this.#toCollect.add(object.uid);
    } else {
      const dependents = this.#dependentsOf(object);
      if (!dependents.every(each => this.#mayChange(each))) return;
      for (const each of dependents)
        this.#change(each, { owners: (each.owners ?? []).filter(({ uid }) => uid !== object.uid) });
      this.#remove(object);
    }
  }

  /** A dependent of an owner that is gone, or that waits for it; the owner itself once it waits for nobody. */
  #collect(): void {
    for (const uid of this.#toCollect) {
      const owner = this.#objects.get(uid);
      const dependents = this.#dependentsOf({ uid });
      const next = dependents.find(each => this.#mayChange(each));
      if (next !== undefined) {
        const others = (next.owners ?? []).filter(each => each.uid !== uid);
        if (others.length > 0) this.#change(next, { owners: others });
        else this.#remove(next);
        return;
      }
      if (dependents.length > 0) continue;
      if (owner !== undefined && !this.#mayChange(owner)) continue;
      this.#toCollect.delete(uid);
      if (owner === undefined) this.#dependents.delete(uid);
      else {
        this.#remove(owner);
        return;
      }
    }
  }

  #changePod(): void {
    const pod = this.#pick(POD);
    if (pod === undefined) return;
    const phase = phases[Math.floor(this.#random() * phases.length)] ?? 'Running';
    this.#change(pod, { phase });
  }

  #scale(): void {
    const workload = this.#pick(this.#random() < 0.5 ? REPLICA_SET : DEPLOYMENT);
    if (workload === undefined) return;
    const ready = Math.floor(this.#random() * ((workload.replicas ?? 0) + 1));
    this.#change(workload, { ready });
  }

  #changeMetadata(object: InventedObject | undefined): void {
    if (object === undefined) return;
    const isHeld = object.finalizers?.includes('soak.example.com/hold') === true;
    if (object.type === WIDGET && object.deletionTimestamp === undefined && this.#random() < 0.5)
      this.#change(object, { finalizers: isHeld ? [] : ['soak.example.com/hold'] });
    else this.#change(object, { labels: { app: `app-${Math.floor(this.#random() * 50)}` } });
  }

  #createDeployment(): void {
    const { podsEach } = this.#size;
    const deployment = this.#create(DEPLOYMENT, 'deployment', { replicas: podsEach, ready: podsEach });
    const replicaSet = this.#createReplicaSet(deployment);
    for (let index = 0; index < podsEach; index++) this.#createPod(replicaSet);
  }

  #createReplicaSet(owner: InventedObject): InventedObject {
    return this.#create(REPLICA_SET, 'replicaset', {
      ...ownedBy(owner),
      replicas: owner.replicas ?? 0,
      ready: owner.ready ?? 0,
    });
  }

  #createPod(owner = this.#pick(REPLICA_SET)): void {
    if (owner === undefined || owner.deletionTimestamp !== undefined) return;
    const nodeName = `node-${1 + Math.floor(this.#random() * 3)}`;
    this.#create(POD, 'pod', { ...ownedBy(owner), phase: 'Running', nodeName });
  }

  #createConfigMap(): void {
    const kind = [DEPLOYMENT, WIDGET, POD][Math.floor(this.#random() * 4)];
    const owner = kind === undefined ? undefined : this.#pick(kind);
    this.#create(CONFIG_MAP, 'config', owner === undefined ? {} : ownedBy(owner, false));
  }

  #createWidget(): void {
    const owner = this.#random() < 0.7 ? this.#pick(WIDGET) : undefined;
    this.#create(WIDGET, 'widget', owner === undefined ? {} : ownedBy(owner));
  }
}

function ownedBy(owner: InventedObject, controller = true): Pick<InventedObject, 'namespace' | 'owners'> {
  const { namespace, name, uid, type } = owner;
  const { kind, apiVersion } = type;
  return {
    namespace,
    owners: [{ kind, name, uid, apiVersion, ...(controller && { controller, blockOwnerDeletion: true }) }],
  };
}

/** A set that chance can draw from. */
class Bag {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  add(uid: string): void {
    if (this.#places.has(uid)) return;
    this.#places.set(uid, this.all.length);
    this.all.push(uid);
  }

  delete(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    const last = this.all.pop();
    if (last === undefined || last === uid) return;
    this.all[place] = last;
    this.#places.set(last, place);
  }
}

/**
 * A snapshot's ownership graph as the base of a simulated cluster's store. Apart from the store, because its
 * look-ups by name are made cheap for the namespaces that a simulation touches, and for no others.
 */
import type { OwnershipGraph } from '../graph/graph.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { type ObjectReader, storageKey } from './store.ts';

type Names = Map<string, KubeObject>;
type NamespaceIndex = Map<string, Names>;

/** From so many namespaces on all are sorted at once, where each was found by a pass over all objects. */
const SINGLE_PASSES = 3;

/** The graph must not change while the reader is in use. */
export class GraphBase implements ObjectReader {
  readonly graph: OwnershipGraph;
  private readonly namespaces = new Map<string, NamespaceIndex>();
  private sorted: Map<string, KubeObject[]> | undefined;

  /** Of one uid there may be several, by each name that somebody has for it. */
  private readonly assumed: readonly KubeObject[];
  private readonly assumedByUid: ReadonlyMap<Uid, KubeObject>;

  /** `assumed`: objects that the graph doesn't hold and that are taken to exist. They have no owners. */
  constructor(graph: OwnershipGraph, assumed: readonly KubeObject[] = []) {
    this.graph = graph;
    this.assumed = assumed;
    this.assumedByUid = new Map(assumed.map(object => [object.uid, object]));
  }

  byUid(uid: Uid): KubeObject | undefined {
    const object = this.graph.get(uid)?.object;
    return object ?? (this.assumed.length === 0 ? undefined : this.assumedByUid.get(uid));
  }

  isAssumed(uid: Uid): boolean {
    return this.assumedByUid.has(uid);
  }

  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    return this.indexOf(namespace).get(storageKey(type))?.get(name);
  }

  list(type: ResourceType, namespace?: string): KubeObject[] {
    if (namespace !== undefined) {
      const names = this.indexOf(namespace).get(storageKey(type));
      return names === undefined ? [] : [...names.values()];
    }
    const found: KubeObject[] = [];
    for (const { object } of this.graph.ofType(type)) if (object !== undefined) found.push(object);
    const key = storageKey(type);
    for (const object of this.assumed) if (storageKey(object.type) === key) found.push(object);
    return found;
  }

  ownedBy(uid: Uid): KubeObject[] {
    const found: KubeObject[] = [];
    for (const { object } of this.graph.get(uid)?.dependents ?? []) {
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  *all(): IterableIterator<KubeObject> {
    for (const { object } of this.graph.nodes()) if (object !== undefined) yield object;
    yield* this.assumed;
  }

  /** Several namespaces (`''` for what is in none) by one pass over all objects. */
  prepare(namespaces: readonly string[]): void {
    for (const namespace of namespaces) this.namespaces.set(namespace, new Map());
    for (const { object } of this.graph.nodes()) {
      const index = object === undefined ? undefined : this.namespaces.get(object.namespace);
      if (object !== undefined && index !== undefined) enter(index, object);
    }
    for (const object of this.assumed) {
      const index = this.namespaces.get(object.namespace);
      if (index !== undefined) enter(index, object);
    }
  }

  private indexOf(namespace: string): NamespaceIndex {
    let index = this.namespaces.get(namespace);
    if (index !== undefined) return index;
    index = new Map();
    for (const object of this.objectsIn(namespace)) enter(index, object);
    this.namespaces.set(namespace, index);
    return index;
  }

  private objectsIn(namespace: string): readonly KubeObject[] {
    if (this.sorted !== undefined) return this.sorted.get(namespace) ?? [];
    if (this.namespaces.size >= SINGLE_PASSES) {
      this.sorted = new Map();
      for (const object of this.all()) {
        const objects = this.sorted.get(object.namespace);
        if (objects === undefined) this.sorted.set(object.namespace, [object]);
        else objects.push(object);
      }
      return this.sorted.get(namespace) ?? [];
    }
    const found: KubeObject[] = [];
    for (const { object } of this.graph.nodes()) if (object?.namespace === namespace) found.push(object);
    for (const object of this.assumed) if (object.namespace === namespace) found.push(object);
    return found;
  }
}

function enter(index: NamespaceIndex, object: KubeObject): void {
  const key = storageKey(object.type);
  const names = index.get(key);
  if (names === undefined) index.set(key, new Map([[object.name, object]]));
  else names.set(object.name, object);
}

/** A snapshot's ownership graph as the base of a cluster's store, with objects that are only assumed to exist. */

import type { OwnershipGraph } from '../../graph/index.ts';
import { getOrInsert, type KubeObject, type ResourceType, type Uid } from '../../model/index.ts';
import { type ObjectReader, storageKey } from '../api/object-store.ts';

const nothing: ReadonlyMap<string, KubeObject> = new Map();

export class GraphBase implements ObjectReader {
  readonly graph: OwnershipGraph;

  /** One uid may have several objects, one for each name used for it. */
  readonly #assumed: readonly KubeObject[];
  readonly #assumedByUid: ReadonlyMap<Uid, KubeObject>;
  readonly #assumedAt = new Map<string, Map<string, KubeObject>>();

  readonly #missed: ((type: ResourceType, namespace: string, name: string) => void) | undefined;

  /** `assumed`: existing objects outside the graph, without owners. `missed` is called for each object not found. */
  constructor(
    graph: OwnershipGraph,
    assumed: readonly KubeObject[] = [],
    missed?: (type: ResourceType, namespace: string, name: string) => void,
  ) {
    this.graph = graph;
    this.#missed = missed;
    this.#assumed = assumed;
    this.#assumedByUid = new Map(assumed.map(object => [object.uid, object]));
    for (const object of assumed) {
      const place = placeOf(object.type, object.namespace);
      getOrInsert(this.#assumedAt, place, () => new Map()).set(object.name, object);
    }
  }

  byUid(uid: Uid): KubeObject | undefined {
    const object = this.graph.get(uid)?.object;
    return object ?? (this.#assumed.length === 0 ? undefined : this.#assumedByUid.get(uid));
  }

  isAssumed(uid: Uid): boolean {
    return this.#assumedByUid.has(uid);
  }

  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const assumed = this.#assumedIn(type, namespace).get(name);
    if (assumed !== undefined) return assumed;
    const found = this.graph.find(type, namespace, name)?.object;
    if (found === undefined) this.#missed?.(type, namespace, name);
    return found;
  }

  list(type: ResourceType, namespace?: string): KubeObject[] {
    const found: KubeObject[] = [];
    if (namespace === undefined) {
      for (const { object } of this.graph.ofType(type)) if (object !== undefined) found.push(object);
      const key = storageKey(type);
      for (const object of this.#assumed) if (storageKey(object.type) === key) found.push(object);
      return found;
    }
    const assumed = this.#assumedIn(type, namespace);
    for (const { object } of this.graph.inNamespace(type, namespace))
      if (object !== undefined && !assumed.has(object.name)) found.push(object);
    found.push(...assumed.values());
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
    yield* this.#assumed;
  }

  #assumedIn(type: ResourceType, namespace: string): ReadonlyMap<string, KubeObject> {
    if (this.#assumed.length === 0) return nothing;
    return this.#assumedAt.get(placeOf(type, namespace)) ?? nothing;
  }
}

function placeOf(type: ResourceType, namespace: string): string {
  return `${storageKey(type)}/${namespace}`;
}

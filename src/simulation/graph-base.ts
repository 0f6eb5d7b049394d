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

/** From here on the graph's own tables, one per type, are cheaper than another pass over all objects. */
const INDEXED_NAMESPACES = 8;

/** The graph must not change while the reader is in use. */
export class GraphBase implements ObjectReader {
  readonly graph: OwnershipGraph;
  private readonly namespaces = new Map<string, NamespaceIndex>();

  constructor(graph: OwnershipGraph) {
    this.graph = graph;
  }

  byUid(uid: Uid): KubeObject | undefined {
    return this.graph.get(uid)?.object;
  }

  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const index = this.indexOf(namespace);
    return index === undefined
      ? this.graph.find(type, namespace, name)?.object
      : index.get(storageKey(type))?.get(name);
  }

  list(type: ResourceType, namespace?: string): KubeObject[] {
    const index = namespace === undefined ? undefined : this.indexOf(namespace);
    if (index !== undefined) return [...(index.get(storageKey(type))?.values() ?? [])];
    const found: KubeObject[] = [];
    for (const { object } of this.graph.ofType(type)) {
      if (object !== undefined && (namespace === undefined || object.namespace === namespace)) {
        found.push(object);
      }
    }
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
  }

  private indexOf(namespace: string): NamespaceIndex | undefined {
    let index = this.namespaces.get(namespace);
    if (index !== undefined || this.namespaces.size >= INDEXED_NAMESPACES) return index;
    index = new Map();
    for (const { object } of this.graph.nodes()) {
      if (object === undefined || object.namespace !== namespace) continue;
      const key = storageKey(object.type);
      const names = index.get(key);
      if (names === undefined) index.set(key, new Map([[object.name, object]]));
      else names.set(object.name, object);
    }
    this.namespaces.set(namespace, index);
    return index;
  }
}

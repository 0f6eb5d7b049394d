/**
 * Objects by type and namespace, which the graph knows, and by namespace alone, built for what is asked for and kept
 * current from then on: most namespaces of a healthy cluster are never asked for.
 */
import type { OwnershipGraph } from '../../../graph/graph.ts';
import type { GraphChanges } from '../../../graph/node.ts';
import type { KubeObject, Uid } from '../../../model/object.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';

type Table = Map<Uid, KubeObject>;

export class NamespaceIndex {
  readonly #graph: OwnershipGraph;
  readonly #namespaces = new Map<string, Table>();

  constructor(graph: OwnershipGraph) {
    this.#graph = graph;
  }

  *list(type: ResourceType, namespace: string): IterableIterator<KubeObject> {
    for (const { object } of this.#graph.inNamespace(type, namespace)) if (object !== undefined) yield object;
  }

  contents(namespace: string): Iterable<KubeObject> {
    let table = this.#namespaces.get(namespace);
    if (table === undefined) {
      table = new Map();
      this.#namespaces.set(namespace, table);
      for (const { object } of this.#graph.nodes()) {
        if (object?.namespace === namespace) table.set(object.uid, object);
      }
    }
    return table.values();
  }

  apply({ touched, removed }: GraphChanges): void {
    if (this.#namespaces.size === 0) return;
    for (const { object } of removed) {
      if (object !== undefined) this.#namespaces.get(object.namespace)?.delete(object.uid);
    }
    for (const { object } of touched) {
      if (object !== undefined) this.#namespaces.get(object.namespace)?.set(object.uid, object);
    }
  }
}

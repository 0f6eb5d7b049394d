/**
 * Objects by type and namespace, and by namespace, built for what is asked for and kept current from then on:
 * most types and namespaces of a healthy cluster are never asked for.
 */
import type { GraphChanges } from '../graph/changes.ts';
import type { OwnershipGraph } from '../graph/graph.ts';
import type { GraphNode } from '../graph/node.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { groupResource, type ResourceType } from '../model/resource-type.ts';

type Table = Map<Uid, KubeObject>;

const nothing: Table = new Map();

export class NamespaceIndex {
  private readonly graph: OwnershipGraph;
  private readonly types = new Map<string, Map<string, Table>>();
  private readonly namespaces = new Map<string, Table>();

  constructor(graph: OwnershipGraph) {
    this.graph = graph;
  }

  list(type: ResourceType, namespace: string): Iterable<KubeObject> {
    const key = groupResource(type);
    let tables = this.types.get(key);
    if (tables === undefined) {
      tables = new Map();
      this.types.set(key, tables);
      for (const { object } of this.graph.ofType(type)) {
        if (object !== undefined) put(tables, object);
      }
    }
    return (tables.get(namespace) ?? nothing).values();
  }

  contents(namespace: string): Iterable<KubeObject> {
    let table = this.namespaces.get(namespace);
    if (table === undefined) {
      table = new Map();
      this.namespaces.set(namespace, table);
      for (const { object } of this.graph.nodes()) {
        if (object?.namespace === namespace) table.set(object.uid, object);
      }
    }
    return table.values();
  }

  apply({ touched, removed }: GraphChanges): void {
    if (this.types.size === 0 && this.namespaces.size === 0) return;
    for (const node of removed) this.remove(node);
    for (const { object } of touched) if (object !== undefined) this.add(object);
  }

  private add(object: KubeObject): void {
    const tables = this.types.get(groupResource(object.type));
    if (tables !== undefined) put(tables, object);
    this.namespaces.get(object.namespace)?.set(object.uid, object);
  }

  private remove({ object }: GraphNode): void {
    if (object === undefined) return;
    this.types.get(groupResource(object.type))?.get(object.namespace)?.delete(object.uid);
    this.namespaces.get(object.namespace)?.delete(object.uid);
  }
}

function put(tables: Map<string, Table>, object: KubeObject): void {
  const table = tables.get(object.namespace);
  if (table === undefined) tables.set(object.namespace, new Map([[object.uid, object]]));
  else table.set(object.uid, object);
}

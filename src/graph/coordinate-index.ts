/**
 * Observed nodes by type and by name. Most types are never asked for, so each type's table is built at its
 * first use and kept current from then on. Whoever lists types in a graph that stands still gets lists that are
 * all made at one look: names are most of the cost of a table.
 */
import { groupResource, type ResourceType } from '../model/resource-type.ts';
import type { OwnershipNode } from './ownership-node.ts';

type Table = Map<string, OwnershipNode>;

export class CoordinateIndex {
  private readonly tables = new Map<string, Table>();
  private readonly allNodes: () => Iterable<OwnershipNode>;
  /** Observed nodes by type, until one comes or goes. */
  private lists: ReadonlyMap<string, readonly OwnershipNode[]> | undefined;
  private changedSince = false;

  constructor(allNodes: () => Iterable<OwnershipNode>) {
    this.allNodes = allNodes;
  }

  /** The observed nodes of a resource, in all its versions. */
  ofType(type: ResourceType): Iterable<OwnershipNode> {
    const key = groupResource(type);
    const table = this.tables.get(key);
    if (table !== undefined) return table.values();
    // In a graph that goes on changing, a table that is kept costs less than new lists after every change.
    return this.changedSince ? this.table(key).values() : (this.nodesByType().get(key) ?? []);
  }

  private table(key: string): Table {
    let table = this.tables.get(key);
    if (table === undefined) {
      table = new Map();
      for (const node of this.nodesByType().get(key) ?? []) {
        const { object } = node;
        if (object !== undefined) table.set(coordinateKey(object.namespace, object.name), node);
      }
      this.tables.set(key, table);
    }
    return table;
  }

  private nodesByType(): ReadonlyMap<string, readonly OwnershipNode[]> {
    if (this.lists !== undefined) return this.lists;
    const byKey = new Map<string, OwnershipNode[]>();
    // Types are few, and each is put into words once.
    const byType = new Map<ResourceType, OwnershipNode[]>();
    for (const node of this.allNodes()) {
      const type = node.object?.type;
      if (type === undefined) continue;
      let list = byType.get(type);
      if (list === undefined) {
        const key = groupResource(type);
        list = byKey.get(key) ?? [];
        byKey.set(key, list);
        byType.set(type, list);
      }
      list.push(node);
    }
    this.lists = byKey;
    return byKey;
  }

  private forgetLists(): void {
    if (this.lists === undefined) return;
    this.lists = undefined;
    this.changedSince = true;
  }

  find(type: ResourceType, namespace: string, name: string): OwnershipNode | undefined {
    return this.table(groupResource(type)).get(coordinateKey(namespace, name));
  }

  add(node: OwnershipNode): void {
    this.forgetLists();
    if (this.tables.size === 0 || node.object === undefined) return;
    const { type, namespace, name } = node.object;
    this.tables.get(groupResource(type))?.set(coordinateKey(namespace, name), node);
  }

  /** Leaves a younger object of the same name alone. */
  remove(node: OwnershipNode): void {
    this.forgetLists();
    if (this.tables.size === 0 || node.object === undefined) return;
    const { type, namespace, name } = node.object;
    const table = this.tables.get(groupResource(type));
    const key = coordinateKey(namespace, name);
    if (table?.get(key) === node) table.delete(key);
  }
}

function coordinateKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

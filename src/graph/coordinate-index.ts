/**
 * Observed nodes by type and by name. Most types are never asked for, so each type's table is built at its
 * first use and kept current from then on.
 */
import { groupResource, type ResourceType } from '../model/resource-type.ts';
import type { OwnershipNode } from './ownership-node.ts';

type Table = Map<string, OwnershipNode>;

export class CoordinateIndex {
  private readonly tables = new Map<string, Table>();
  private readonly allNodes: () => Iterable<OwnershipNode>;

  constructor(allNodes: () => Iterable<OwnershipNode>) {
    this.allNodes = allNodes;
  }

  /** All versions of a resource share one table. */
  table(type: ResourceType): ReadonlyMap<string, OwnershipNode> {
    const key = groupResource(type);
    let table = this.tables.get(key);
    if (table === undefined) {
      table = new Map();
      for (const node of this.allNodes()) {
        const { object } = node;
        if (object === undefined || object.type.resource !== type.resource) continue;
        if (object.type.group === type.group) table.set(coordinateKey(object.namespace, object.name), node);
      }
      this.tables.set(key, table);
    }
    return table;
  }

  find(type: ResourceType, namespace: string, name: string): OwnershipNode | undefined {
    return this.table(type).get(coordinateKey(namespace, name));
  }

  add(node: OwnershipNode): void {
    if (this.tables.size === 0 || node.object === undefined) return;
    const { type, namespace, name } = node.object;
    this.tables.get(groupResource(type))?.set(coordinateKey(namespace, name), node);
  }

  /** Leaves a younger object of the same name alone. */
  remove(node: OwnershipNode): void {
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

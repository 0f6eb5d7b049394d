/** Observed nodes by type, namespace and name: tables are built on first use, because names cost most. */
import { getOrInsert, ResourceType } from '../../model/index.ts';
import type { OwnershipNode } from '../ownership-node.ts';

type Resource = Pick<ResourceType, 'group' | 'resource'>;

type Table = Map<string, Place>;

export class CoordinateIndex {
  readonly #tables = new Map<string, Table>();
  readonly #allNodes: () => Iterable<OwnershipNode>;
  /** Nodes by type, valid until a node is added or removed. */
  #lists: ReadonlyMap<string, readonly OwnershipNode[]> | undefined;
  #changedSince = false;
  #keepsAll = false;

  constructor(allNodes: () => Iterable<OwnershipNode>) {
    this.#allNodes = allNodes;
  }

  ofType(type: Resource): Iterable<OwnershipNode> {
    const key = keyOf(type);
    const table = this.#tables.get(key);
    if (table !== undefined) return everywhere(table);
    // In a changing graph, keeping a table costs less than new lists after every change.
    return this.#changedSince || this.#keepsAll
      ? everywhere(this.#table(key))
      : (this.#nodesByType().get(key) ?? []);
  }

  inNamespace(type: Resource, namespace: string): Iterable<OwnershipNode> {
    return this.#table(keyOf(type)).get(namespace)?.nodes() ?? [];
  }

  find(type: Resource, namespace: string, name: string): OwnershipNode | undefined {
    return this.#table(keyOf(type)).get(namespace)?.find(name);
  }

  /** Indexes nodes as they arrive, so that no first use walks all of them; call it before there are any. */
  keepAll(): void {
    this.#keepsAll = true;
  }

  add(node: OwnershipNode): void {
    this.#forgetLists();
    if (node.object === undefined || (this.#tables.size === 0 && !this.#keepsAll)) return;
    const { type, namespace } = node.object;
    const key = keyOf(type);
    const table = this.#keepsAll ? getOrInsert(this.#tables, key, newTable) : this.#tables.get(key);
    if (table !== undefined) placeIn(table, namespace).add(node);
  }

  /** Leaves a younger object of the same name alone. */
  remove(node: OwnershipNode): void {
    this.#forgetLists();
    if (this.#tables.size === 0 || node.object === undefined) return;
    const { type, namespace, name } = node.object;
    const table = this.#tables.get(keyOf(type));
    const place = table?.get(namespace);
    place?.remove(name, node);
    if (place?.isEmpty === true) table?.delete(namespace);
  }

  #table(key: string): Table {
    return getOrInsert(this.#tables, key, () => {
      const table = newTable();
      if (this.#keepsAll) return table;
      for (const node of this.#nodesByType().get(key) ?? []) {
        if (node.object !== undefined) placeIn(table, node.object.namespace).add(node);
      }
      return table;
    });
  }

  #nodesByType(): ReadonlyMap<string, readonly OwnershipNode[]> {
    if (this.#lists !== undefined) return this.#lists;
    const byKey = new Map<string, OwnershipNode[]>();
    const byType = new Map<ResourceType, OwnershipNode[]>();
    for (const node of this.#allNodes()) {
      const type = node.object?.type;
      if (type === undefined) continue;
      let list = byType.get(type);
      if (list === undefined) {
        const key = keyOf(type);
        list = byKey.get(key) ?? [];
        byKey.set(key, list);
        byType.set(type, list);
      }
      list.push(node);
    }
    this.#lists = byKey;
    return byKey;
  }

  #forgetLists(): void {
    if (this.#lists === undefined) return;
    this.#lists = undefined;
    this.#changedSince = true;
  }
}

/** One type's nodes in one namespace: a list until a name is wanted or a node is removed. */
class Place {
  #listed: OwnershipNode[] = [];
  #names: Map<string, OwnershipNode> | undefined;

  get isEmpty(): boolean {
    return this.#byName().size === 0;
  }

  /** Defers names, which are most of the cost. */
  add(node: OwnershipNode): void {
    if (this.#names === undefined) this.#listed.push(node);
    else if (node.object !== undefined) this.#names.set(node.object.name, node);
  }

  remove(name: string, node: OwnershipNode): void {
    const names = this.#byName();
    if (names.get(name) === node) names.delete(name);
  }

  find(name: string): OwnershipNode | undefined {
    return this.#byName().get(name);
  }

  nodes(): Iterable<OwnershipNode> {
    return this.#names?.values() ?? this.#listed;
  }

  #byName(): Map<string, OwnershipNode> {
    if (this.#names === undefined) {
      this.#names = new Map();
      for (const node of this.#listed) if (node.object !== undefined) this.#names.set(node.object.name, node);
      this.#listed = [];
    }
    return this.#names;
  }
}

const newTable = (): Table => new Map();

function placeIn(table: Table, namespace: string): Place {
  return getOrInsert(table, namespace, () => new Place());
}

function* everywhere(table: Table): IterableIterator<OwnershipNode> {
  for (const place of table.values()) yield* place.nodes();
}

const keys = new WeakMap<Resource, string>();

/** Caches keys, because types are few and every look-up needs one. */
function keyOf(type: Resource): string {
  let key = keys.get(type);
  if (key === undefined) {
    key = ResourceType.stored(type);
    keys.set(type, key);
  }
  return key;
}

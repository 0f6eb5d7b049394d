/** One row of the tree, an object or a heading, with the arithmetic of its place. `TreeRows` decides what is shown. */
import type { GraphNode } from '../../../graph/index.ts';
import type { Uid } from '../../../model/index.ts';

/** A group of roots that isn't an object itself. */
export interface TreeGroup {
  readonly key: string;
  readonly of: 'namespace' | 'kind';
  readonly namespace: string;
  /** `''` for roots of several kinds. */
  readonly objectKind: string;
}

export interface Generation {
  shown: boolean;
}

abstract class TreeRow {
  readonly #generation: Generation;
  #removed = false;
  readonly parent: TreeItem | undefined;
  readonly depth: number;
  children: ItemList | undefined = undefined;
  /** Rows of this item and everything shown below it. */
  size = 1;

  constructor(parent: TreeItem | undefined, generation: Generation) {
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#generation = generation;
  }

  /** False once removed; the object may still be shown elsewhere. */
  get shown(): boolean {
    return this.#generation.shown && !this.#removed;
  }

  remove(): void {
    this.#removed = true;
  }
}

/** One occurrence of a node, which has one per owner. */
export class ObjectItem extends TreeRow {
  readonly kind = 'object';
  node: GraphNode;
  /** The node is its own ancestor: the row ends a cycle and can't be expanded. */
  readonly cycle: boolean;

  constructor(node: GraphNode, parent: TreeItem | undefined, generation: Generation) {
    super(parent, generation);
    this.node = node;
    this.cycle = isAncestor(node.uid, parent);
  }

  get uid(): Uid {
    return this.node.uid;
  }
}

export class GroupItem extends TreeRow {
  readonly kind = 'group';
  readonly cycle = false;
  readonly group: TreeGroup;

  constructor(group: TreeGroup, parent: GroupItem | undefined, generation: Generation) {
    super(parent, generation);
    this.group = group;
  }
}

export type TreeItem = ObjectItem | GroupItem;

function isAncestor(uid: Uid, item: TreeItem | undefined): boolean {
  for (let at = item; at?.kind === 'object'; at = at.parent) if (at.uid === uid) return true;
  return false;
}

/** Siblings in order, with each first row counted on demand. */
export class ItemList {
  items: TreeItem[];
  #starts: Int32Array | undefined;

  constructor(items: TreeItem[]) {
    this.items = items;
  }

  invalidate(): void {
    this.#starts = undefined;
  }

  #offsets(): Int32Array {
    if (this.#starts !== undefined) return this.#starts;
    const starts = new Int32Array(this.items.length + 1);
    let sum = 0;
    for (let i = 0; i < this.items.length; i++) {
      starts[i] = sum;
      sum += this.items[i]?.size ?? 0;
    }
    starts[this.items.length] = sum;
    this.#starts = starts;
    return starts;
  }

  get rows(): number {
    return this.#offsets()[this.items.length] ?? 0;
  }

  startOf(item: TreeItem): number {
    const position = this.items.indexOf(item);
    return position < 0 ? -1 : (this.#offsets()[position] ?? -1);
  }

  positionAt(row: number): number {
    const starts = this.#offsets();
    let low = 0;
    let high = this.items.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  startAt(position: number): number {
    return this.#offsets()[position] ?? 0;
  }
}

export function collect(list: ItemList, start: number, count: number, out: TreeItem[]): void {
  let position = list.positionAt(start);
  let skip = start - list.startAt(position);
  for (; position < list.items.length && out.length < count; position++) {
    const item = list.items[position];
    if (item === undefined) return;
    if (skip === 0) out.push(item);
    if (item.children !== undefined && out.length < count)
      collect(item.children, Math.max(0, skip - 1), count, out);
    skip = 0;
  }
}

/**
 * One row of the tree, and siblings with the rows that they take. `TreeRows` decides what is shown,
 * this is the arithmetic of where it stands.
 */
import type { GraphNode } from '../../../graph/node.ts';
import type { Uid } from '../../../model/object.ts';

/** One row: a node in one place. A node with several owners has several. */
export class TreeItem {
  node: GraphNode;
  readonly parent: TreeItem | undefined;
  readonly depth: number;
  /** The node stands among its own ancestors: the row ends a cycle and cannot be expanded. */
  readonly cycle: boolean;
  /** Undefined while folded. */
  children: ItemList | undefined = undefined;
  /** Rows of this item and everything shown below it. */
  size = 1;
  /** False once the row was removed; the object may still be shown elsewhere. */
  shown = true;

  constructor(node: GraphNode, parent: TreeItem | undefined) {
    this.node = node;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.cycle = isAncestor(node.uid, parent);
  }

  get uid(): Uid {
    return this.node.uid;
  }
}

function isAncestor(uid: Uid, item: TreeItem | undefined): boolean {
  for (let at = item; at !== undefined; at = at.parent) if (at.uid === uid) return true;
  return false;
}

/** Siblings in order, with the row at which each begins, counted on demand. */
export class ItemList {
  items: TreeItem[];
  #starts: Int32Array | undefined;

  constructor(items: TreeItem[]) {
    this.items = items;
  }

  /** To be called after a size or the membership changed. */
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

  /** Position of the sibling whose block contains `row`. */
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

/** Adds rows from `start` on to `out`, until it holds `count`. */
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

/**
 * What the user folded and unfolded, by the path of each row: it outlives the rows, and an object that is shown twice is
 * folded in each place by itself.
 */
interface Choice {
  expanded: boolean | undefined;
  readonly below: Map<Uid, Choice>;
}

function newChoice(): Choice {
  return { expanded: undefined, below: new Map() };
}

export class FoldChoices {
  readonly #top = newChoice();

  /** Undefined where nobody chose. */
  get(item: TreeItem): boolean | undefined {
    return this.#find(item)?.expanded;
  }

  set(item: TreeItem, expanded: boolean): void {
    this.#make(item).expanded = expanded;
  }

  /** Forgets a removed row and everything below it. */
  forget(item: TreeItem): void {
    this.#above(item)?.below.delete(item.uid);
  }

  #above({ parent }: TreeItem): Choice | undefined {
    return parent === undefined ? this.#top : this.#find(parent);
  }

  #find(item: TreeItem): Choice | undefined {
    return this.#above(item)?.below.get(item.uid);
  }

  #make(item: TreeItem): Choice {
    const above = item.parent === undefined ? this.#top : this.#make(item.parent);
    let choice = above.below.get(item.uid);
    if (choice === undefined) {
      choice = newChoice();
      above.below.set(item.uid, choice);
    }
    return choice;
  }
}

/**
 * The rows of the Tree view: which occurrences of which nodes are shown, in which order. Apart from the state
 * because it is a large mutable index: a change costs the lists that it touches, a window costs its rows, and
 * neither costs the cluster.
 */

import type { GraphChanges, GraphNode } from '../../../graph/node.ts';
import { getOrInsert } from '../../../model/maps.ts';
import type { Uid } from '../../../model/object.ts';
import { collect, FoldChoices, ItemList, TreeItem } from './item.ts';
import { insertItems, mergeItems, type SiblingComparator } from './keep-items.ts';

export type { SiblingComparator, TreeItem };

/** What the rows are made from. `Forest` is one; tests bring small ones. */
export interface TreeShape {
  roots(): readonly GraphNode[];
  /** Dependents in scope, in the forest's own order. */
  children(node: GraphNode): readonly GraphNode[];
  isRoot(node: GraphNode): boolean;
  /** Owners that are in the graph, in or out of scope. */
  owners(node: GraphNode): readonly GraphNode[];
}

export interface TreeRowsOptions {
  /** Undefined keeps the forest's own order. */
  readonly order?: SiblingComparator | undefined;
  /** Whether nodes are unfolded where nobody chose. */
  readonly expanded?: boolean;
  /** Of other rows of the same objects. */
  readonly folds?: TreeFolds | undefined;
}

/** What was folded and unfolded, by hand and where nobody chose. */
export interface TreeFolds {
  readonly choices: FoldChoices;
  readonly expanded: boolean;
}

export class TreeRows {
  readonly #shape: TreeShape;
  #order: SiblingComparator | undefined;
  #expandedByDefault: boolean;
  #filter: ReadonlySet<Uid> | undefined;
  #choices = new FoldChoices();
  #savedChoices: TreeFolds | undefined;
  #roots = new ItemList([]);
  /** The forest's roots as last taken over. */
  #knownRoots: readonly GraphNode[] = [];
  /** Roots that have yet to be unfolded, the next one last. */
  #waiting: TreeItem[] = [];
  #rebuilding = false;
  readonly #byUid = new Map<Uid, TreeItem[]>();
  readonly #rootByUid = new Map<Uid, TreeItem>();

  constructor(shape: TreeShape, options: TreeRowsOptions = {}) {
    this.#shape = shape;
    this.#order = options.order;
    this.#expandedByDefault = options.folds?.expanded ?? options.expanded ?? false;
    if (options.folds !== undefined) this.#choices = options.folds.choices;
    this.#rebuild();
  }

  get length(): number {
    return this.#roots.rows;
  }

  /** As they were before the rows were narrowed. */
  get folds(): TreeFolds {
    return this.#savedChoices ?? { choices: this.#choices, expanded: this.#expandedByDefault };
  }

  get rootCount(): number {
    return this.#roots.items.length;
  }

  at(index: number): TreeItem | undefined {
    return this.window(index, 1)[0];
  }

  /** The rows `start` to `start + count`, as far as there are any. */
  window(start: number, count: number): TreeItem[] {
    const out: TreeItem[] = [];
    if (start < 0 || start >= this.length) return out;
    collect(this.#roots, start, count, out);
    return out;
  }

  /** The row's index, or -1 when it is not shown. Costs the row's siblings and those of its owners above. */
  indexOf(item: TreeItem): number {
    if (!item.shown) return -1;
    let index = 0;
    for (let at: TreeItem | undefined = item; at !== undefined; at = at.parent) {
      const list: ItemList | undefined = at.parent === undefined ? this.#roots : at.parent.children;
      const start = list?.startOf(at) ?? -1;
      if (start < 0) return -1;
      index += start + (at === item ? 0 : 1);
    }
    return index;
  }

  /** A row of the object, if one is shown. */
  find(uid: Uid): TreeItem | undefined {
    return this.#byUid.get(uid)?.[0];
  }

  /** How many rows show the object now. */
  occurrences(uid: Uid): number {
    return this.#byUid.get(uid)?.length ?? 0;
  }

  /** Whether a row that isn't shown only waits for a row above it to be unfolded. */
  hides(item: TreeItem): boolean {
    const { parent } = item;
    return parent !== undefined && this.#childNodes(parent.node).includes(item.node);
  }

  /** How many dependents a row has in scope, shown or not. */
  childCount(item: TreeItem): number {
    return this.#childNodes(item.node).length;
  }

  canExpand(item: TreeItem): boolean {
    return !item.cycle && this.#childNodes(item.node).length > 0;
  }

  /** Unfolds or folds one row, and remembers it. */
  setExpanded(item: TreeItem, expanded: boolean): void {
    if (!item.shown || item.cycle) return;
    this.#choices.set(item, expanded);
    this.#show(item, expanded);
  }

  /** Unfolds or folds everything, forgetting what was chosen row by row. */
  setAllExpanded(expanded: boolean): void {
    this.#expandedByDefault = expanded;
    this.#choices = new FoldChoices();
    this.#rebuild();
  }

  /** What holds where nobody chose; choices stay. */
  setDefault(expanded: boolean): void {
    if (this.#expandedByDefault === expanded) return;
    this.#expandedByDefault = expanded;
    this.#rebuild();
  }

  setOrder(order: SiblingComparator | undefined): void {
    this.#order = order;
    this.#rebuild();
  }

  /** Shows only these nodes, unfolded; undefined shows all again, folded as before. */
  setFilter(keep: ReadonlySet<Uid> | undefined): void {
    if (keep !== undefined && this.#filter === undefined) {
      this.#savedChoices = { choices: this.#choices, expanded: this.#expandedByDefault };
      this.#choices = new FoldChoices();
      this.#expandedByDefault = true;
    } else if (keep === undefined && this.#savedChoices !== undefined) {
      this.#choices = this.#savedChoices.choices;
      this.#expandedByDefault = this.#savedChoices.expanded;
      this.#savedChoices = undefined;
    }
    this.#filter = keep;
    this.#rebuild();
  }

  /** Unfolds a way from a root down to the node and returns its row; undefined when it is out of scope. */
  reveal(node: GraphNode): TreeItem | undefined {
    const shown = this.find(node.uid);
    if (shown !== undefined) return shown;
    const path = this.#pathTo(node);
    const root = path?.[0] === undefined ? undefined : this.#rootByUid.get(path[0].uid);
    if (root !== undefined && this.#waiting.length > 0) this.#unfoldWaiting(root);
    let item = root;
    for (const next of path?.slice(1) ?? []) {
      if (item === undefined) return undefined;
      if (item.children === undefined) this.setExpanded(item, true);
      item = item.children?.items.find(child => child.uid === next.uid);
    }
    return item;
  }

  /** A row of an object that is yet to be unfolded with its root, if that is what it waits for. */
  revealWaiting(node: GraphNode): TreeItem | undefined {
    if (this.#waiting.length === 0) return undefined;
    const [first] = this.#pathTo(node) ?? [];
    const root = first === undefined ? undefined : this.#rootByUid.get(first.uid);
    if (root !== undefined) this.#unfoldWaiting(root);
    return this.find(node.uid);
  }

  /** Takes over what changed in the graph, after the forest did. */
  apply(changes: GraphChanges): void {
    const dirty = new Set<TreeItem>();
    const moving = new Set<TreeItem>();
    for (const node of changes.removed) {
      for (const { parent } of this.#byUid.get(node.uid) ?? []) {
        if (parent !== undefined) dirty.add(parent);
      }
    }
    for (const node of changes.touched) {
      for (const item of this.#byUid.get(node.uid) ?? []) {
        item.node = node;
        dirty.add(item);
        if (this.#order === undefined) continue;
        // Where siblings are ordered by something that changes, the object may have to move.
        if (item.parent !== undefined) dirty.add(item.parent);
        else moving.add(item);
      }
    }
    this.#syncRoots(moving);
    // Outer rows first: what they drop need not be looked at.
    for (const item of [...dirty].sort((a, b) => a.depth - b.depth)) if (item.shown) this.#refresh(item);
  }

  #childNodes(node: GraphNode): readonly GraphNode[] {
    const all = this.#shape.children(node);
    const filter = this.#filter;
    return filter === undefined ? all : all.filter(child => filter.has(child.uid));
  }

  #ordered(nodes: readonly GraphNode[]): readonly GraphNode[] {
    return this.#order === undefined ? nodes : [...nodes].sort(this.#order);
  }

  #wantedRoots(): readonly GraphNode[] {
    const filter = this.#filter;
    const all = this.#shape.roots();
    this.#knownRoots = all;
    return filter === undefined ? all : all.filter(node => filter.has(node.uid));
  }

  #rebuild(): void {
    for (const items of this.#byUid.values()) for (const item of items) item.shown = false;
    this.#byUid.clear();
    this.#rootByUid.clear();
    this.#roots = new ItemList([]);
    this.#rebuilding = true;
    this.#roots.items = this.#ordered(this.#wantedRoots()).map(node => this.#create(node, undefined));
    this.#rebuilding = false;
    this.#waiting = this.#expandedByDefault ? this.#roots.items.toReversed() : [];
  }

  /**
   * Unfolds what stands unfolded by default, until about `rows` more are shown; true while there is more to do.
   * Apart from building the roots, because unfolding 150,000 rows in one go takes a third of a second.
   */
  unfoldMore(rows: number): boolean {
    const enough = this.length + rows;
    let added = this.length;
    while (added < enough) {
      const item = this.#waiting.pop();
      if (item === undefined) return false;
      added += this.#unfoldWaiting(item);
    }
    return this.#waiting.length > 0;
  }

  /** Rows are yet to be unfolded: see `unfoldMore`. */
  get unfolding(): boolean {
    return this.#waiting.length > 0;
  }

  #unfoldWaiting(item: TreeItem): number {
    if (!item.shown || item.children !== undefined || !this.#startsExpanded(item)) return 0;
    this.#unfold(item);
    this.#roots.invalidate();
    return item.size - 1;
  }

  #syncRoots(moving: ReadonlySet<TreeItem>): void {
    // The forest returns the same array while its roots are the same; a filter can widen without it.
    if (this.#shape.roots() === this.#knownRoots && moving.size === 0 && this.#filter === undefined) return;
    const wanted = this.#wantedRoots();
    const keeper = {
      find: (uid: Uid) => this.#rootByUid.get(uid),
      create: (node: GraphNode) => this.#create(node, undefined),
      discard: (item: TreeItem) => this.#discard(item),
    };
    const old = this.#roots.items;
    this.#roots.items =
      this.#order === undefined
        ? mergeItems(old, wanted, keeper)
        : insertItems(old, { wanted, moving, order: this.#order }, keeper);
    this.#roots.invalidate();
  }

  #create(node: GraphNode, parent: TreeItem | undefined): TreeItem {
    const item = new TreeItem(node, parent);
    getOrInsert(this.#byUid, item.uid, () => []).push(item);
    if (parent === undefined) this.#rootByUid.set(item.uid, item);
    const later = this.#rebuilding && parent === undefined && this.#choices.get(item) === undefined;
    if (!later && this.#startsExpanded(item)) this.#unfold(item);
    return item;
  }

  #startsExpanded(item: TreeItem): boolean {
    if (item.cycle) return false;
    const chosen = this.#choices.get(item);
    if (chosen !== undefined) return chosen;
    if (!this.#expandedByDefault) return false;
    // Below its second owner an object stays folded: in a graph of diamonds the places multiply.
    const items = this.#byUid.get(item.uid);
    return items === undefined || items[0] === item;
  }

  #show(item: TreeItem, expanded: boolean): void {
    const before = item.size;
    if (expanded && item.children === undefined) this.#unfold(item);
    else if (!expanded && item.children !== undefined) {
      for (const child of item.children.items) this.#discard(child);
      item.children = undefined;
      item.size = 1;
    }
    this.#grow(item, item.size - before);
  }

  #unfold(item: TreeItem): void {
    const nodes = this.#childNodes(item.node);
    if (nodes.length === 0) return;
    item.children = new ItemList(this.#ordered(nodes).map(node => this.#create(node, item)));
    item.size = 1 + item.children.rows;
  }

  /** Brings the rows below an item into line with its node. */
  #refresh(item: TreeItem): void {
    if (item.children === undefined) {
      if (!this.#startsExpanded(item)) return;
      const before = item.size;
      this.#unfold(item);
      this.#grow(item, item.size - before);
      return;
    }
    const nodes = this.#ordered(this.#childNodes(item.node));
    const { items } = item.children;
    if (nodes.length === items.length && nodes.every((node, i) => items[i]?.uid === node.uid)) return;
    const before = item.size;
    const kept = new Map(items.map(child => [child.uid, child]));
    const next: TreeItem[] = [];
    for (const node of nodes) {
      const child = kept.get(node.uid);
      kept.delete(node.uid);
      next.push(child ?? this.#create(node, item));
    }
    for (const child of kept.values()) {
      this.#discard(child);
      this.#choices.forget(child);
    }
    if (next.length === 0) item.children = undefined;
    else {
      item.children.items = next;
      item.children.invalidate();
    }
    item.size = 1 + (item.children?.rows ?? 0);
    this.#grow(item, item.size - before);
  }

  /** Tells the rows above that an item has more or fewer rows. */
  #grow(item: TreeItem, rows: number): void {
    if (rows === 0) return;
    for (let at = item.parent; at !== undefined; at = at.parent) {
      at.size += rows;
      at.children?.invalidate();
    }
    this.#roots.invalidate();
  }

  #discard(item: TreeItem): void {
    item.shown = false;
    const rest = this.#byUid.get(item.uid)?.filter(other => other !== item) ?? [];
    if (rest.length === 0) this.#byUid.delete(item.uid);
    else this.#byUid.set(item.uid, rest);
    if (item.parent === undefined) this.#rootByUid.delete(item.uid);
    for (const child of item.children?.items ?? []) this.#discard(child);
  }

  /** A way from a root down to the node itself; undefined when none is shown. Owner cycles are walked once. */
  #pathTo(node: GraphNode, seen: Set<Uid> = new Set()): GraphNode[] | undefined {
    const { uid } = node;
    if (seen.has(uid)) return undefined;
    seen.add(uid);
    if (this.#rootByUid.has(uid)) return [node];
    for (const owner of this.#shape.owners(node)) {
      if (!this.#childNodes(owner).includes(node)) continue;
      const path = this.#pathTo(owner, seen);
      if (path !== undefined) return [...path, node];
    }
    return undefined;
  }
}

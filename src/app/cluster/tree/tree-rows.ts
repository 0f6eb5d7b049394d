/** The rows of the Tree view, in a mutable index: a change costs the lists it touches, a window its rows. */

import type { GraphChanges, GraphNode } from '../../../graph/index.ts';
import { getOrInsert, type Uid } from '../../../model/index.ts';
import { FoldChoices, type TreeFolds } from './folds.ts';
import { type Entry, type Grouping, isGroup, RootGroups } from './groups.ts';
import {
  collect,
  type Generation,
  GroupItem,
  ItemList,
  ObjectItem,
  type TreeGroup,
  type TreeItem,
} from './item.ts';
import { entryOf, mergeItems } from './keep-items.ts';
import { ordered, type SiblingOrder } from './order.ts';

/**
 * Rows to unfold before input is read again: about 5 ms. With 150,000 objects the key that unfolds everything has its
 * frame after 39 ms; in one go it took 328 ms.
 */
const UNFOLD_ROWS = 3_000;

/** Source of the rows: `Forest`, or a small one in tests. */
export interface TreeShape {
  roots(): readonly GraphNode[];
  /** Dependents in scope, in the forest's own order. */
  children(node: GraphNode): readonly GraphNode[];
  isRoot(node: GraphNode): boolean;
  /** Nodes that became or ceased to be roots since the last call. */
  takeChangedRoots(): Iterable<GraphNode>;
  owners(node: GraphNode): readonly GraphNode[];
}

export interface TreeRowsOptions {
  readonly order?: SiblingOrder | undefined;
  readonly grouping?: Grouping | undefined;
  readonly expanded?: boolean;
  readonly folds?: TreeFolds | undefined;
}

export class TreeRows {
  readonly #shape: TreeShape;
  readonly #grouping: Grouping | undefined;
  #order: SiblingOrder | undefined;
  #default: TreeFolds['expanded'];
  #filter: ReadonlySet<Uid> | undefined;
  #choices = new FoldChoices();
  #savedChoices: TreeFolds | undefined;
  #groups: RootGroups;
  #top = new ItemList([]);
  /** Rows still to be unfolded, the next one last. */
  #waiting: TreeItem[] = [];
  /** New rows stay folded and wait. */
  #lazy = false;
  #generation: Generation = { shown: true };
  #byUid = new Map<Uid, ObjectItem[]>();
  #byGroup = new Map<string, GroupItem>();

  constructor(shape: TreeShape, options: TreeRowsOptions = {}) {
    this.#shape = shape;
    this.#order = options.order;
    this.#grouping = options.grouping;
    this.#default = options.folds?.expanded ?? (options.expanded === true ? 'related' : 'none');
    if (options.folds !== undefined) this.#choices = options.folds.choices;
    this.#groups = this.#rebuild();
  }

  get length(): number {
    return this.#top.rows;
  }

  /** Folds from before any filter. */
  get folds(): TreeFolds {
    return this.#savedChoices ?? { choices: this.#choices, expanded: this.#default };
  }

  at(index: number): TreeItem | undefined {
    return this.window(index, 1)[0];
  }

  window(start: number, count: number): TreeItem[] {
    const out: TreeItem[] = [];
    if (start < 0 || start >= this.length) return out;
    collect(this.#top, start, count, out);
    return out;
  }

  /** Returns the row's index, or -1 if it isn't shown. Costs its siblings and those of its owners. */
  indexOf(item: TreeItem): number {
    if (!item.shown) return -1;
    let index = 0;
    for (let at: TreeItem | undefined = item; at !== undefined; at = at.parent) {
      const list: ItemList | undefined = at.parent === undefined ? this.#top : at.parent.children;
      const start = list?.startOf(at) ?? -1;
      if (start < 0) return -1;
      index += start + (at === item ? 0 : 1);
    }
    return index;
  }

  find(uid: Uid): ObjectItem | undefined {
    return this.#byUid.get(uid)?.[0];
  }

  /** Returns the row that now shows the same entry, in the same place if possible. */
  again(item: TreeItem): TreeItem | undefined {
    return item.shown ? item : this.counterpart(item);
  }

  /** Returns the first row of the object or group of an item, which may be another model's. */
  counterpart(item: TreeItem): TreeItem | undefined {
    return item.kind === 'object' ? this.find(item.uid) : this.#byGroup.get(item.group.key);
  }

  occurrences(uid: Uid): number {
    return this.#byUid.get(uid)?.length ?? 0;
  }

  /** Reports whether a hidden row only waits for a row above it to be unfolded. */
  hides(item: TreeItem): boolean {
    const { parent } = item;
    return parent !== undefined && this.#entries(parent).includes(entryOf(item));
  }

  rootsIn(group: TreeGroup | undefined): readonly GraphNode[] {
    return this.#groups.rootsIn(group);
  }

  childrenOf(node: GraphNode): readonly GraphNode[] {
    const nodes = this.#childNodes(node);
    return this.#order === undefined ? nodes : ordered(nodes, this.#order);
  }

  /** Counts dependents in scope or a group's roots, shown or not. */
  childCount(item: TreeItem): number {
    return item.kind === 'object' ? this.#childNodes(item.node).length : this.#entries(item).length;
  }

  canExpand(item: TreeItem): boolean {
    return !item.cycle && this.childCount(item) > 0;
  }

  /** Folds or unfolds one row by choice. A group's rows follow in slices: see `unfoldMore`. */
  setExpanded(item: TreeItem, expanded: boolean): void {
    if (!item.shown || item.cycle) return;
    this.#choices.set(item, expanded);
    const before = item.size;
    if (expanded && item.children === undefined) this.#unfold(item, item.kind === 'group');
    else if (!expanded && item.children !== undefined) {
      for (const child of item.children.items) this.#discard(child);
      item.children = undefined;
      item.size = 1;
    }
    this.#grow(item, item.size - before);
  }

  setAllExpanded(expanded: boolean): void {
    this.#default = expanded ? 'all' : 'none';
    this.#choices = new FoldChoices();
    this.#renew();
  }

  setDefault(expanded: boolean): void {
    const wanted = expanded ? 'related' : 'none';
    if (this.#default === wanted) return;
    this.#default = wanted;
    this.#renew();
  }

  setOrder(order: SiblingOrder | undefined): void {
    this.#order = order;
    this.#groups = this.#rebuild();
  }

  /** Shows only these nodes, unfolded; undefined shows all, folded as before. */
  setFilter(keep: ReadonlySet<Uid> | undefined): void {
    if (keep !== undefined && this.#filter === undefined) {
      this.#savedChoices = { choices: this.#choices, expanded: this.#default };
      this.#choices = new FoldChoices();
      this.#default = 'all';
    } else if (keep === undefined && this.#savedChoices !== undefined) {
      this.#choices = this.#savedChoices.choices;
      this.#default = this.#savedChoices.expanded;
      this.#savedChoices = undefined;
    }
    this.#filter = keep;
    this.#groups = this.#rebuild();
  }

  /** Unfolds a path to the node and returns its row; undefined if out of scope. */
  reveal(node: GraphNode): ObjectItem | undefined {
    const shown = this.find(node.uid);
    if (shown !== undefined) return shown;
    let item: TreeItem | undefined;
    for (const entry of this.#wayTo(node)) {
      if (item !== undefined && item.children === undefined && !this.#unfoldWaiting(item))
        this.setExpanded(item, true);
      const list: ItemList | undefined = item === undefined ? this.#top : item.children;
      item = list?.items.find(each => entryOf(each) === entry);
      if (item === undefined) return undefined;
    }
    return item?.kind === 'object' ? item : undefined;
  }

  /** Returns the object's row, unfolding those that wait above it. */
  revealWaiting(node: GraphNode): ObjectItem | undefined {
    if (this.#waiting.length === 0) return undefined;
    for (const entry of this.#wayTo(node)) {
      const item = isGroup(entry) ? this.#byGroup.get(entry.key) : this.find(entry.uid);
      if (item !== undefined) this.#unfoldWaiting(item);
    }
    return this.find(node.uid);
  }

  /** Applies graph changes after the forest did. `others`: unchanged nodes with a new order, group or filter. */
  apply({ touched, removed }: GraphChanges, others: ReadonlySet<GraphNode> = noNodes): void {
    const changedRoots = this.#shape.takeChangedRoots();
    const isRoot = (node: GraphNode): boolean => this.#isWantedRoot(node);
    const moved = this.#groups.reconsider(chained(removed, touched, others, changedRoots), isRoot);
    const dirty = new Set<TreeItem>();
    for (const node of removed) {
      for (const { parent } of this.#byUid.get(node.uid) ?? []) if (parent !== undefined) dirty.add(parent);
    }
    for (const node of touched) this.#touch(node, dirty);
    for (const node of others) this.#touch(node, dirty);
    // A widened filter adds the node below its owners.
    if (this.#filter !== undefined)
      for (const node of others)
        for (const owner of this.#shape.owners(node))
          for (const item of this.#byUid.get(owner.uid) ?? []) dirty.add(item);
    for (const group of moved) {
      const item = group && this.#byGroup.get(group.key);
      if (item !== undefined) dirty.add(item);
    }
    if (moved.has(undefined)) this.#refreshTop();
    // Outer rows come first: rows that they drop are skipped.
    for (const item of [...dirty].sort((a, b) => a.depth - b.depth)) if (item.shown) this.#refresh(item);
  }

  #touch(node: GraphNode, dirty: Set<TreeItem>): void {
    for (const item of this.#byUid.get(node.uid) ?? []) {
      item.node = node;
      dirty.add(item);
      // If the order depends on changing values, the object may have to move.
      if (this.#order !== undefined && item.parent?.kind === 'object') dirty.add(item.parent);
    }
  }

  #isWantedRoot(node: GraphNode): boolean {
    return this.#shape.isRoot(node) && this.#filter?.has(node.uid) !== false;
  }

  #childNodes(node: GraphNode): readonly GraphNode[] {
    const all = this.#shape.children(node);
    const filter = this.#filter;
    return filter === undefined ? all : all.filter(child => filter.has(child.uid));
  }

  #entries(item: TreeItem): readonly Entry[] {
    return item.kind === 'group' ? this.#groups.entries(item.group) : this.childrenOf(item.node);
  }

  #rebuild(): RootGroups {
    this.#shape.takeChangedRoots();
    const filter = this.#filter;
    const all = this.#shape.roots();
    const roots = filter === undefined ? all : all.filter(({ uid }) => filter.has(uid));
    this.#groups = new RootGroups({ roots, grouping: this.#grouping, order: this.#order });
    this.#renew();
    return this.#groups;
  }

  #renew(): void {
    this.#generation.shown = false;
    this.#generation = { shown: true };
    this.#byUid = new Map();
    this.#byGroup = new Map();
    this.#top = new ItemList([]);
    this.#waiting = [];
    this.#lazy = true;
    this.#top.items = this.#groups.entries(undefined).map(entry => this.#create(entry, undefined));
    this.#lazy = false;
    this.#wait(this.#top.items);
  }

  #wait(items: readonly TreeItem[]): void {
    if (this.#default === 'none') return;
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at];
      if (item !== undefined) this.#waiting.push(item);
    }
  }

  /** Unfolds about `rows` more; true while more is left. 150,000 rows in one go take a third of a second. */
  unfoldMore(rows = UNFOLD_ROWS): boolean {
    const enough = this.length + rows;
    let added = this.length;
    while (added < enough) {
      const item = this.#waiting.pop();
      if (item === undefined) return false;
      if (this.#unfoldWaiting(item)) added += item.size - 1;
    }
    return this.#waiting.length > 0;
  }

  get unfolding(): boolean {
    return this.#waiting.length > 0;
  }

  #unfoldWaiting(item: TreeItem): boolean {
    if (!item.shown || item.children !== undefined || !this.#startsExpanded(item)) return false;
    this.#unfold(item, item.kind === 'group');
    this.#grow(item, item.size - 1);
    return item.children !== undefined;
  }

  #create(entry: Entry, parent: TreeItem | undefined): TreeItem {
    const item = this.#newItem(entry, parent);
    const later = this.#lazy && parent?.kind !== 'object' && this.#choices.get(item) === undefined;
    if (!later && this.#startsExpanded(item)) this.#unfold(item, this.#lazy);
    return item;
  }

  #newItem(entry: Entry, parent: TreeItem | undefined): TreeItem {
    if (!isGroup(entry)) {
      const item = new ObjectItem(entry, parent, this.#generation);
      getOrInsert(this.#byUid, item.uid, () => []).push(item);
      return item;
    }
    const item = new GroupItem(entry, parent?.kind === 'group' ? parent : undefined, this.#generation);
    this.#byGroup.set(entry.key, item);
    return item;
  }

  #startsExpanded(item: TreeItem): boolean {
    if (item.cycle) return false;
    const chosen = this.#choices.get(item);
    if (chosen !== undefined) return chosen;
    if (this.#default === 'none') return false;
    if (item.kind === 'group')
      return this.#default === 'all' || item.group.of === 'namespace' || this.#groups.isRelated(item.group);
    // Below its second owner an object stays folded: in a graph of diamonds the places multiply.
    const items = this.#byUid.get(item.uid);
    return items === undefined || items[0] === item;
  }

  /** Unfolds an item; `lazy`: new rows stay folded and wait. */
  #unfold(item: TreeItem, lazy: boolean): void {
    const entries = this.#entries(item);
    if (entries.length === 0) return;
    const wasLazy = this.#lazy;
    this.#lazy = lazy;
    const items = entries.map(entry => this.#create(entry, item));
    this.#lazy = wasLazy;
    if (lazy && item.kind === 'group') this.#wait(items);
    item.children = new ItemList(items);
    item.size = 1 + item.children.rows;
  }

  #refreshTop(): void {
    this.#top.items = mergeItems(this.#top.items, this.#groups.entries(undefined), this.#keeper(undefined));
    this.#top.invalidate();
  }

  #refresh(item: TreeItem): void {
    const before = item.size;
    if (item.children === undefined) {
      // A group that becomes worth unfolding later stays folded.
      if (item.kind === 'group' || !this.#startsExpanded(item)) return;
      this.#unfold(item, false);
    } else {
      const entries = this.#entries(item);
      const { items } = item.children;
      if (entries.length === items.length && entries.every((entry, i) => isRowOf(items[i], entry))) return;
      const next = mergeItems(items, entries, this.#keeper(item));
      if (next.length === 0) item.children = undefined;
      else {
        item.children.items = next;
        item.children.invalidate();
      }
      item.size = 1 + (item.children?.rows ?? 0);
    }
    this.#grow(item, item.size - before);
  }

  #keeper(parent: TreeItem | undefined): Parameters<typeof mergeItems>[2] {
    return {
      create: entry => this.#create(entry, parent),
      discard: item => {
        this.#discard(item);
        if (parent?.kind === 'object' && item.kind === 'object') this.#choices.forget(item);
      },
    };
  }

  #grow(item: TreeItem, rows: number): void {
    if (rows === 0) return;
    for (let at = item.parent; at !== undefined; at = at.parent) {
      at.size += rows;
      at.children?.invalidate();
    }
    this.#top.invalidate();
  }

  #discard(item: TreeItem): void {
    item.remove();
    if (item.kind === 'group') this.#byGroup.delete(item.group.key);
    else {
      const rest = this.#byUid.get(item.uid)?.filter(other => other !== item) ?? [];
      if (rest.length === 0) this.#byUid.delete(item.uid);
      else this.#byUid.set(item.uid, rest);
    }
    for (const child of item.children?.items ?? []) this.#discard(child);
  }

  #wayTo(node: GraphNode): readonly Entry[] {
    const [root, ...below] = this.#pathTo(node) ?? [];
    return root === undefined ? [] : [...this.#groups.around(root), root, ...below];
  }

  /** Returns a path from a root to the node; undefined if there is none. Walks owner cycles once. */
  #pathTo(node: GraphNode, seen: Set<Uid> = new Set()): GraphNode[] | undefined {
    const { uid } = node;
    if (seen.has(uid)) return undefined;
    seen.add(uid);
    if (this.#groups.has(node)) return [node];
    for (const owner of this.#shape.owners(node)) {
      if (!this.#childNodes(owner).includes(node)) continue;
      const path = this.#pathTo(owner, seen);
      if (path !== undefined) return [...path, node];
    }
    return undefined;
  }
}

const noNodes: ReadonlySet<GraphNode> = new Set();

function isRowOf(item: TreeItem | undefined, entry: Entry): boolean {
  return item?.shown === true && entryOf(item) === entry;
}

function* chained(...parts: readonly Iterable<GraphNode>[]): Generator<GraphNode> {
  for (const part of parts) yield* part;
}

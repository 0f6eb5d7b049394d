/** Objects by their managers, sorted: at once for the command line, in slices and kept current for the screen. */
import type { ManagedBy } from '../../diagnosis/index.ts';
import { type ClusterView, compareNodes, type GraphNode, type ViewChanges } from '../../graph/index.ts';
import { controllerOf, getOrInsert, type Uid } from '../../model/index.ts';
import { managerWords } from './manager-words.ts';

/** The part of the diagnosis that finds managers, which the screen loads later. */
export interface ManagerLookup {
  managedBy(view: ClusterView, node: GraphNode): readonly ManagedBy[];
  keyOfManager(managed: ManagedBy): string;
}

/** A `Forest`, or a selection. */
export interface SortedScope {
  roots(): readonly GraphNode[];
  contains(node: GraphNode): boolean;
  /** Reports whether a node has a row even if it is unmanaged, or managed with its controller. */
  isRoot(node: GraphNode): boolean;
}

export interface ManagerGroup {
  /** Stable id of the group; `''` without a known manager. */
  readonly id: string;
  /** `Helm release shop/web`, sanitised; `''` without a manager. */
  readonly title: string;
  readonly manager: ManagedBy | undefined;
  /** Managed objects, including those below others in the tree. */
  readonly objects: number;
  /** Rows by namespace, kind, name: objects with marks of their own, or unmanaged roots. */
  readonly items: readonly GraphNode[];
}

interface KeptGroup extends ManagerGroup {
  objects: number;
  readonly items: GraphNode[];
}

/** Groups in which an object is counted, and if it has a row there. Many objects share one. */
type Place = readonly { readonly group: KeptGroup; readonly listed: boolean }[];

const nowhere: Place = [];

/** Receives each row that is added or removed. */
export interface RowListener {
  put(group: ManagerGroup, node: GraphNode): void;
  take(group: ManagerGroup, node: GraphNode): void;
}

export class ManagerGroups {
  readonly listeners = new Set<RowListener>();
  readonly #view: ClusterView;
  readonly #scope: SortedScope;
  readonly #lookup: ManagerLookup;
  readonly #groups = new Map<string, KeptGroup>();
  readonly #places = new Map<string, Place>();
  readonly #placed = new Map<Uid, { readonly node: GraphNode; readonly place: Place }>();
  #order: readonly KeptGroup[] | undefined;
  /** Roots, and the index of the next. */
  readonly #roots: readonly GraphNode[];
  #at = 0;
  /** Unsorted nodes, each once and none deleted. */
  readonly #open = new Set<Uid>();
  readonly #walked = new Set<Uid>();
  #isThrough = false;
  #hasEmpty = false;

  /** Sorts nothing yet: see `more`. */
  constructor(view: ClusterView, scope: SortedScope, lookup: ManagerLookup) {
    this.#view = view;
    this.#scope = scope;
    this.#lookup = lookup;
    this.#roots = scope.roots();
  }

  /** Sorts up to `count` more objects; true if some remain. */
  more(count: number): boolean {
    for (let left = count; left > 0; left -= 1) {
      const next = this.#takeOpen() ?? this.#roots[this.#at++]?.uid;
      if (next === undefined) {
        this.#isThrough = true;
        this.#walked.clear();
        return false;
      }
      // Another node may have replaced it since.
      const node = this.#view.graph.get(next);
      if (node === undefined || this.#walked.has(node.uid) || !this.#scope.contains(node)) continue;
      this.#walked.add(node.uid);
      if (!this.#placed.has(node.uid)) this.#put(node);
      for (const dependent of node.dependents) this.#open.add(dependent.uid);
    }
    return true;
  }

  apply({ touched, removed }: ViewChanges['graph']): boolean {
    let isOther = false;
    for (const { uid } of removed) {
      if (this.#take(uid)) isOther = true;
      this.#open.delete(uid);
      this.#walked.delete(uid);
    }
    for (const node of touched) {
      if (this.#again(node)) isOther = true;
      // An unsorted owner may no longer be above it.
      if (!this.#isThrough) this.#open.add(node.uid);
    }
    if (isOther) this.#forgetEmpty();
    return isOther;
  }

  #takeOpen(): Uid | undefined {
    for (const uid of this.#open) {
      this.#open.delete(uid);
      return uid;
    }
    return undefined;
  }

  get groups(): readonly ManagerGroup[] {
    this.#order ??= [...this.#groups.values()]
      .filter(({ objects }) => objects > 0)
      .sort(
        (a, b) =>
          Number(a.manager === undefined) - Number(b.manager === undefined) || (a.title < b.title ? -1 : 1),
      );
    return this.#order;
  }

  lists(group: ManagerGroup, node: GraphNode): boolean {
    const known = this.#placed.get(node.uid);
    return known?.node === node && known.place.some(each => each.listed && each.group === group);
  }

  /** Places an object and what it controls again, because that is managed with it. */
  #again(first: GraphNode): boolean {
    let isOther = false;
    const open = [first];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const before = this.#placed.get(node.uid);
      const after = this.#scope.contains(node) ? this.#placeOf(node) : undefined;
      if (before?.place === after && before?.node === node) continue;
      isOther = true;
      this.#take(node.uid);
      if (after !== undefined) this.#put(node, after);
      if (isSame(before?.place, after)) continue;
      // A sorted node may be below an unsorted one until all are sorted.
      for (const dependent of node.dependents)
        if (
          controllerOf(dependent)?.uid === node.uid &&
          (!this.#isThrough || this.#placed.has(dependent.uid))
        )
          open.push(dependent);
    }
    return isOther;
  }

  #placeOf(node: GraphNode): Place {
    if (node.virtual) return nowhere;
    const isRoot = this.#scope.isRoot(node) || this.#isBelowGhosts(node);
    const managers = this.#lookup.managedBy(this.#view, node);
    if (managers.length === 0) return this.#place([[undefined, isRoot]]);
    return this.#place(managers.map(each => [each, isRoot || each.through === undefined]));
  }

  /** Reports whether none of its owners exists: those are roots without rows here. */
  #isBelowGhosts({ owners }: GraphNode): boolean {
    return owners.every(({ uid }) => {
      const owner = this.#view.graph.get(uid);
      return owner === undefined || owner.virtual || !this.#scope.contains(owner);
    });
  }

  #place(entries: readonly (readonly [ManagedBy | undefined, boolean])[]): Place {
    const id = entries.map(([manager, listed]) => `${this.#idOf(manager)}${listed ? '+' : '-'}`).join('\n');
    return getOrInsert(this.#places, id, () =>
      entries.map(([manager, listed]) => ({ group: this.#groupOf(manager), listed })),
    );
  }

  #idOf(manager: ManagedBy | undefined): string {
    return manager === undefined ? '' : this.#lookup.keyOfManager(manager);
  }

  #groupOf(manager: ManagedBy | undefined): KeptGroup {
    const id = this.#idOf(manager);
    return getOrInsert(this.#groups, id, () => ({
      id,
      title: manager === undefined ? '' : managerWords.title(manager),
      manager,
      objects: 0,
      items: [],
    }));
  }

  #put(node: GraphNode, place = this.#placeOf(node)): void {
    this.#placed.set(node.uid, { node, place });
    for (const { group, listed } of place) {
      if (group.objects === 0) this.#order = undefined;
      group.objects += 1;
      if (!listed) continue;
      putInto(group.items, node);
      for (const each of this.listeners) each.put(group, node);
    }
  }

  #forgetEmpty(): void {
    if (!this.#hasEmpty) return;
    this.#hasEmpty = false;
    for (const [id, { objects }] of this.#groups) if (objects === 0) this.#groups.delete(id);
    for (const [id, place] of this.#places)
      if (place.some(({ group }) => group.objects === 0)) this.#places.delete(id);
  }

  #take(uid: Uid): boolean {
    const known = this.#placed.get(uid);
    if (known === undefined) return false;
    this.#placed.delete(uid);
    for (const { group, listed } of known.place) {
      group.objects -= 1;
      if (group.objects === 0) {
        this.#order = undefined;
        this.#hasEmpty = true;
      }
      if (!listed) continue;
      takeFrom(group.items, known.node);
      for (const each of this.listeners) each.take(group, known.node);
    }
    return true;
  }
}

/** Compares managers, with or without a row. */
function isSame(a: Place | undefined, b: Place | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  return a.every(({ group }, index) => group === b[index]?.group);
}

function placeIn(sorted: readonly GraphNode[], node: GraphNode): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && compareNodes(other, node) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts a new node among sorted ones; most arrive in order. */
function putInto(sorted: GraphNode[], node: GraphNode): void {
  const last = sorted.at(-1);
  if (last === undefined || compareNodes(last, node) < 0) sorted.push(node);
  else sorted.splice(placeIn(sorted, node), 0, node);
}

function takeFrom(sorted: GraphNode[], node: GraphNode): void {
  const guess = placeIn(sorted, node);
  const index = sorted[guess] === node ? guess : sorted.indexOf(node);
  if (index >= 0) sorted.splice(index, 1);
}

export const sortedNodes = { place: placeIn, put: putInto, take: takeFrom };

/**
 * The rows of the Managers view. Sorted and narrowed in slices when it is looked at, and kept current batch by batch from
 * then on. Large and mutable, as `ClusterModel` is.
 */
import type { ManagedBy } from '../../diagnosis/explain/managed-by.ts';
import { ManagerGroups, placeIn } from '../../documents/tree/managers.ts';
import type { ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import type { Forest } from '../../graph/forest.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import type { Diagnostics } from '../state/diagnostics.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';
import { NarrowedManagers } from './narrowed-managers.ts';

export interface ManagerHead {
  /** Undefined for what no tool is known to manage. */
  readonly manager: ManagedBy | undefined;
  /** Objects that it manages, also those that stand below others in the tree. */
  readonly objects: number;
}

/** Below their managers stand the objects with marks of their own; below nobody, what stands at the top of the tree. */
export type ManagerRow = GroupedRow<ManagerHead, GraphNode>;

/** Longer groups are folded until somebody unfolds them. */
const FEW = 30;

interface Sorted {
  readonly groups: ManagerGroups;
  /** Undefined where there are no words, and until there is something to narrow. */
  narrowed: NarrowedManagers | undefined;
}

export class Managers {
  readonly rows: GroupedRows<ManagerHead, GraphNode>;
  readonly #view: ClusterView;
  readonly #diagnostics: Diagnostics;
  #forest: Forest;
  /** The objects that tools manage others by. */
  #managing: ReadonlySet<Uid> = new Set();
  #terms: readonly string[] = [];
  /** What is shown; undefined until everything was sorted once. */
  #shown: Sorted | undefined;
  /** What is shown by the words as they are now: shown once it is through. */
  #narrowing: NarrowedManagers | undefined;
  /** What takes the place of what is shown once it is through; not begun before somebody looks. */
  #next: Sorted | 'wanted' | undefined;

  constructor(view: ClusterView, forest: Forest, diagnostics: Diagnostics) {
    this.#view = view;
    this.#forest = forest;
    this.#diagnostics = diagnostics;
    this.rows = new GroupedRows({
      groups: () => this.#groups(),
      narrow: terms => this.#narrow(terms),
      keyOf: ({ uid }, group) => `${uid} ${group}`,
      find: ({ id, items }: Group<ManagerHead, GraphNode, readonly GraphNode[]>, key) => {
        const uid = key.slice(0, -id.length - 1);
        const node = key.endsWith(` ${id}`) ? this.#view.graph.get(uid as Uid) : undefined;
        const place = node === undefined ? -1 : placeIn(items, node);
        return items[place]?.uid === uid ? place : -1;
      },
    });
    this.#begin();
  }

  /** False until every object in scope was sorted once. */
  get complete(): boolean {
    return this.#shown !== undefined;
  }

  /** Nothing is left to be sorted, nor to be looked at for the words of the filter: see `sortMore`. */
  get sorted(): boolean {
    return this.#next === undefined && this.#narrowing === undefined;
  }

  setForest(forest: Forest): void {
    this.#forest = forest;
    this.#shown = undefined;
    this.#narrowing = undefined;
    this.#begin();
  }

  /** Looks at so many of the objects that are yet to be narrowed or sorted; false once other rows are shown. */
  sortMore(count: number): boolean {
    if (this.#shown !== undefined && this.#narrowing !== undefined) {
      if (this.#narrowing.more(count)) return true;
      this.#shown.narrowed?.end();
      this.#shown.narrowed = this.#narrowing;
      this.#narrowing = undefined;
    } else if (this.#next !== undefined) {
      const next = this.#next === 'wanted' ? this.#newSorted() : this.#next;
      this.#next = next;
      if (this.#isBehind(next, count)) return true;
      this.#shown = next;
      this.#next = undefined;
    }
    this.rows.invalidate();
    return false;
  }

  #isBehind(next: Sorted, count: number): boolean {
    if (next.narrowed !== undefined) return next.narrowed.more(count);
    if (next.groups.more(count)) return true;
    if (this.#terms.length > 0) next.narrowed = new NarrowedManagers(next.groups, this.#terms);
    return next.narrowed !== undefined;
  }

  /** Takes over what a batch did to the view, after the forest did. */
  apply({ graph, types }: ViewChanges): void {
    // Some marks count, or name a namespace, only where the managing object is seen.
    const isOther = types || this.#hasOtherManagers(graph);
    if (this.#shown?.groups.apply(graph) === true) this.rows.invalidate();
    if (isOther) this.#begin();
    else this.#begun?.groups.apply(graph);
  }

  /** Whether an object of a kind that tools manage others by has come or gone. */
  #hasOtherManagers({ touched, removed }: ViewChanges['graph']): boolean {
    for (const { uid } of removed) if (this.#managing.has(uid)) return true;
    for (const node of touched)
      if (this.#diagnostics.mayManage(node) && !this.#managing.has(node.uid)) return true;
    return false;
  }

  #begin(): void {
    this.#managing = new Set(this.#diagnostics.managingObjects(this.#view));
    this.#next = 'wanted';
  }

  #newSorted(): Sorted {
    return {
      groups: new ManagerGroups(this.#view, this.#forest, this.#diagnostics),
      narrowed: undefined,
    };
  }

  get #begun(): Sorted | undefined {
    return this.#next === 'wanted' ? undefined : this.#next;
  }

  /** Until the rows are narrowed by these words, those before stay: the key that changed them is answered first. */
  #narrow(terms: readonly string[]): void {
    this.#terms = terms;
    this.#narrowing?.end();
    this.#narrowing = undefined;
    // Whether it is sorted, it finds out again.
    const next = this.#begun;
    next?.narrowed?.end();
    if (next !== undefined) next.narrowed = undefined;
    if (this.#shown === undefined) return;
    if (terms.length > 0) {
      this.#narrowing = new NarrowedManagers(this.#shown.groups, terms);
    } else {
      this.#shown.narrowed?.end();
      this.#shown.narrowed = undefined;
    }
  }

  *#groups(): Iterable<Group<ManagerHead, GraphNode>> {
    const { groups, narrowed } = this.#shown ?? {};
    for (const group of groups?.groups ?? []) {
      const { id, manager, objects, items } = group;
      const shown = narrowed?.itemsOf(group) ?? items;
      if (shown.length === 0) continue;
      const folded = narrowed === undefined && (manager === undefined || items.length > FEW);
      yield { id, head: { manager, objects }, folded, items: shown };
    }
  }
}

/** Keeps the Managers view's rows: sorted in slices, then updated by batch. Mutable, like `ClusterModel`. */
import type { ManagedBy } from '../../diagnosis/index.ts';
import type { ClusterView, Forest, GraphNode, ViewChanges } from '../../graph/index.ts';
import type { Uid } from '../../model/index.ts';
import { ManagerGroups, sortedNodes } from '../../text/index.ts';
import type { Diagnostics } from './diagnostics.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';
import { NarrowedManagers } from './narrowed-managers.ts';

export interface ManagerHead {
  /** Undefined for objects without a known manager. */
  readonly manager: ManagedBy | undefined;
  /** Managed objects, including those below others in the tree. */
  readonly objects: number;
}

/** Objects with own marks below a manager; roots of the tree below none. */
export type ManagerRow = GroupedRow<ManagerHead, GraphNode>;

const FEW = 30;

interface Sorted {
  readonly groups: ManagerGroups;
  /** Undefined without words, and before there is something to filter. */
  narrowed: NarrowedManagers | undefined;
}

export class Managers {
  readonly rows: GroupedRows<ManagerHead, GraphNode>;
  readonly #view: ClusterView;
  readonly #diagnostics: Diagnostics;
  #forest: Forest;
  #managing: ReadonlySet<Uid> = new Set();
  #terms: readonly string[] = [];
  #shown: Sorted | undefined;
  #narrowing: NarrowedManagers | undefined;
  /** The replacement for `#shown` once complete; started when the view is shown. */
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
        const place = node === undefined ? -1 : sortedNodes.place(items, node);
        return items[place]?.uid === uid ? place : -1;
      },
    });
    this.#begin();
  }

  get complete(): boolean {
    return this.#shown !== undefined;
  }

  get sorted(): boolean {
    return this.#next === undefined && this.#narrowing === undefined;
  }

  setForest(forest: Forest): void {
    this.#forest = forest;
    this.#shown = undefined;
    this.#narrowing = undefined;
    this.#begin();
  }

  /** Sorts or filters `count` more objects; returns false once other rows are shown. */
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

  apply({ graph, types }: ViewChanges): void {
    // Some marks count, or name a namespace, only if the managing object is seen.
    const isOther = types || this.#hasOtherManagers(graph);
    if (this.#shown?.groups.apply(graph) === true) this.rows.invalidate();
    if (isOther) this.#begin();
    else this.#begun?.groups.apply(graph);
  }

  #hasOtherManagers({ touched, removed }: ViewChanges['graph']): boolean {
    for (const { uid } of removed) if (this.#managing.has(uid)) return true;
    for (const node of touched)
      if (this.#diagnostics.mayManage(this.#view, node) && !this.#managing.has(node.uid)) return true;
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

  /** Filters anew, keeping the old rows until done, so that the next key isn't delayed. */
  #narrow(terms: readonly string[]): void {
    this.#terms = terms;
    this.#narrowing?.end();
    this.#narrowing = undefined;
    // The new sorting filters itself once complete.
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

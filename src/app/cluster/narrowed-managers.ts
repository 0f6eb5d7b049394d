/** Filters the Managers view in slices, since reading 80,000 rows would delay a key, and follows later changes. */

import type { GraphNode } from '../../graph/index.ts';
import { type ManagerGroup, type ManagerGroups, type RowListener, sortedNodes } from '../../text/index.ts';
import { includesAll } from '../search/node-index.ts';

export class NarrowedManagers implements RowListener {
  readonly terms: readonly string[];
  readonly #groups: ManagerGroups;
  readonly #found = new Map<ManagerGroup, GraphNode[]>();
  /** Groups still to be read, in reverse order. */
  readonly #left: { readonly group: ManagerGroup; readonly items: readonly GraphNode[] }[];
  #at = 0;

  /** Subscribes to changes of rows; matches come with `more`. */
  constructor(groups: ManagerGroups, terms: readonly string[]) {
    this.#groups = groups;
    this.terms = terms;
    this.#left = groups.groups
      .filter(group => !this.#fits(group))
      .map(group => ({ group, items: [...group.items] }))
      .reverse();
    groups.listeners.add(this);
  }

  end(): void {
    this.#groups.listeners.delete(this);
  }

  /** Reads `count` rows; returns true while more are left. */
  more(count: number): boolean {
    for (let looked = 0; looked < count; ) {
      const next = this.#left.at(-1);
      if (next === undefined) return false;
      const node = next.items[this.#at];
      if (node === undefined) {
        this.#left.pop();
        this.#at = 0;
        continue;
      }
      this.#at += 1;
      looked += 1;
      if (hasAll(node, this.terms) && this.#groups.lists(next.group, node)) this.#add(next.group, node);
    }
    return this.#left.length > 0;
  }

  /** Lists the group's rows that contain every word; all if its title does. */
  itemsOf(group: ManagerGroup): readonly GraphNode[] {
    return this.#fits(group) ? group.items : (this.#found.get(group) ?? []);
  }

  put(group: ManagerGroup, node: GraphNode): void {
    if (!this.#fits(group) && hasAll(node, this.terms)) this.#add(group, node);
  }

  take(group: ManagerGroup, node: GraphNode): void {
    const found = this.#found.get(group);
    if (found !== undefined) sortedNodes.take(found, node);
  }

  #fits({ title }: ManagerGroup): boolean {
    return includesAll(title.toLowerCase(), this.terms);
  }

  /** Adds a match once: a row that came meanwhile may also be in `#left`. */
  #add(group: ManagerGroup, node: GraphNode): void {
    const found = this.#found.get(group);
    if (found === undefined) this.#found.set(group, [node]);
    else if (found[sortedNodes.place(found, node)] !== node) sortedNodes.put(found, node);
  }
}

/** Reports whether kind, namespace or name contain each word. */
function hasAll({ object }: GraphNode, terms: readonly string[]): boolean {
  if (object === undefined) return false;
  const name = object.name.toLowerCase();
  const { namespace, type } = object;
  return terms.every(
    term =>
      name.includes(term) ||
      namespace.includes(term) ||
      type.kind.toLowerCase().includes(term) ||
      (term.includes('/') && `${namespace}/${name}`.includes(term)),
  );
}

/** The rows of a list whose items stand below headings, folded by hand and narrowed by words. Made when looked at. */
import { searchTerms } from '../search/index.ts';

export interface Group<Head, Item> {
  /** Names the group as long as it exists; no item's key is the same. */
  readonly id: string;
  readonly head: Head;
  /** While nobody chose. */
  readonly folded: boolean;
  readonly items: readonly Item[];
}

export interface GroupSource<Head, Item> {
  /** In the order in which they are shown, with the items that contain every one of these words in lower case. */
  groups(terms: readonly string[]): Iterable<Group<Head, Item>>;
  /** Names the item as long as it exists. */
  keyOf(item: Item, group: string): string;
}

export type GroupedRow<Head, Item> =
  | {
      readonly kind: 'group';
      /** Names the row as long as it exists. */
      readonly key: string;
      readonly head: Head;
      readonly count: number;
      readonly folded: boolean;
    }
  | { readonly kind: 'item'; readonly key: string; readonly group: string; readonly item: Item };

export class GroupedRows<Head, Item> {
  readonly #source: GroupSource<Head, Item>;
  readonly #choices = new Map<string, boolean>();
  #allFolded: boolean | undefined;
  #query = '';
  #terms: readonly string[] = [];
  #made: readonly GroupedRow<Head, Item>[] | undefined;

  constructor(source: GroupSource<Head, Item>) {
    this.#source = source;
  }

  invalidate(): void {
    this.#made = undefined;
  }

  get length(): number {
    return this.#all().length;
  }

  at(index: number): GroupedRow<Head, Item> | undefined {
    return this.#all()[index];
  }

  window(start: number, count: number): readonly GroupedRow<Head, Item>[] {
    return this.#all().slice(start, start + count);
  }

  /** -1 where no such row is shown. */
  indexOf(key: string): number {
    return this.#all().findIndex(row => row.key === key);
  }

  /** The heading above a row; its own index for a heading. */
  headingOf(index: number): number {
    for (let at = index; at > 0; at--) if (this.at(at)?.kind === 'group') return at;
    return 0;
  }

  /** Where a cursor begins: the first item says more than the heading above it, unless that one is folded. */
  get beginning(): number {
    let index = 0;
    for (const row of this.#all()) {
      if (row.kind === 'item') return index;
      if (row.count > 0 && row.folded) break;
      index += 1;
    }
    return 0;
  }

  setFolded(group: string, folded: boolean): void {
    this.#choices.set(group, folded);
    this.invalidate();
  }

  setAllFolded(folded: boolean): void {
    this.#choices.clear();
    this.#allFolded = folded;
    this.invalidate();
  }

  /** Shows only items that contain every word; `''` shows all. */
  setFilter(query: string): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#terms = searchTerms(query);
    this.invalidate();
  }

  #all(): readonly GroupedRow<Head, Item>[] {
    this.#made ??= [...this.#make()];
    return this.#made;
  }

  *#make(): Generator<GroupedRow<Head, Item>> {
    for (const { id, head, items, folded: byDefault } of this.#source.groups(this.#terms)) {
      const folded = this.#choices.get(id) ?? this.#allFolded ?? byDefault;
      yield { kind: 'group', key: id, head, count: items.length, folded };
      if (folded) continue;
      const places = new Map<string, number>();
      for (const item of items) {
        const key = this.#source.keyOf(item, id);
        const place = places.get(key) ?? 0;
        places.set(key, place + 1);
        yield { kind: 'item', key: place === 0 ? key : `${key}/${place}`, group: id, item };
      }
    }
  }
}

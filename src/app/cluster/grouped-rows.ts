/** Rows of a list with headings, folded by hand and filtered by words; made on demand. */
import { searchTerms } from '../search/node-index.ts';

/** Like an array, whose items may be made on demand. */
export interface Items<Item> {
  readonly length: number;
  at(index: number): Item | undefined;
}

export interface Group<Head, Item, List extends Items<Item> = Items<Item>> {
  readonly id: string;
  readonly head: Head;
  /** Default while the user hasn't chosen. */
  readonly folded: boolean;
  /** The heading stands for its items: a cursor that begins here begins on it. */
  readonly leads?: boolean;
  readonly items: List;
}

export interface GroupSource<Head, Item> {
  /** Lists groups with the items that contain all these lowercase words, or those found so far. */
  groups(terms: readonly string[]): Iterable<Group<Head, Item>>;
  /** Starts a filter that takes longer than a key may. */
  narrow?(terms: readonly string[]): void;
  keyOf(item: Item, group: string): string;
  /** Finds a key's index without reading all items; -1 if absent. Only for keys unique within their group. */
  find?(group: Group<Head, Item>, key: string): number;
}

export type GroupedRow<Head, Item> =
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly head: Head;
      readonly count: number;
      readonly folded: boolean;
    }
  | { readonly kind: 'item'; readonly key: string; readonly group: string; readonly item: Item };

interface Section<Head, Item> extends Group<Head, Item> {
  readonly start: number;
  /** Keys of the items if two may be equal; made on demand. */
  keys?: readonly string[];
}

export class GroupedRows<Head, Item> {
  readonly #source: GroupSource<Head, Item>;
  readonly #choices = new Map<string, boolean>();
  #allFolded: boolean | undefined;
  #query = '';
  #terms: readonly string[] = [];
  #made: { readonly sections: readonly Section<Head, Item>[]; readonly length: number } | undefined;

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
    const section = this.#sectionAt(index);
    if (section === undefined) return undefined;
    const { id, head, items, folded, start } = section;
    if (index === start) return { kind: 'group', key: id, head, count: items.length, folded };
    const item = items.at(index - start - 1);
    return item === undefined
      ? undefined
      : { kind: 'item', key: this.#keyAt(section, index - start - 1, item), group: id, item };
  }

  window(start: number, count: number): readonly GroupedRow<Head, Item>[] {
    const rows: GroupedRow<Head, Item>[] = [];
    for (let index = start; index < start + count; index++) {
      const row = this.at(index);
      if (row === undefined) break;
      rows.push(row);
    }
    return rows;
  }

  indexOf(key: string, near = 0): number {
    const { sections, length } = this.#all();
    if (this.at(near)?.key === key) return near;
    for (const section of sections) {
      if (section.id === key) return section.start;
      const place = section.folded ? -1 : (this.#source.find?.(section, key) ?? -1);
      if (place >= 0) return section.start + 1 + place;
    }
    if (this.#source.find !== undefined) return -1;
    const from = Math.max(0, Math.min(near, length - 1));
    for (let away = 0; away < length; away++) {
      if (this.at(from + away)?.key === key) return from + away;
      if (away > 0 && this.at(from - away)?.key === key) return from - away;
    }
    return -1;
  }

  itemsUnder(key: string): readonly Item[] {
    const section = this.#all().sections.find(({ id }) => id === key);
    return section === undefined ? [] : allOf(section.items);
  }

  headingOf(index: number): number {
    return this.#sectionAt(index)?.start ?? 0;
  }

  /** First index of the cursor: an item says more than its heading, unless that is folded or leads. */
  get beginning(): number {
    const first = this.#all().sections.find(({ items }) => items.length > 0);
    return first === undefined || first.folded || first.leads === true ? 0 : first.start + 1;
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

  setFilter(query: string): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#terms = searchTerms(query);
    this.#source.narrow?.(this.#terms);
    this.invalidate();
  }

  #all(): { readonly sections: readonly Section<Head, Item>[]; readonly length: number } {
    if (this.#made !== undefined) return this.#made;
    const sections: Section<Head, Item>[] = [];
    let length = 0;
    for (const group of this.#source.groups(this.#terms)) {
      const folded = this.#choices.get(group.id) ?? this.#allFolded ?? group.folded;
      sections.push({ ...group, folded, start: length });
      length += 1 + (folded ? 0 : group.items.length);
    }
    this.#made = { sections, length };
    return this.#made;
  }

  #sectionAt(index: number): Section<Head, Item> | undefined {
    const { sections, length } = this.#all();
    if (index < 0 || index >= length) return undefined;
    let low = 0;
    let high = sections.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((sections[middle]?.start ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return sections[low];
  }

  #keyAt(section: Section<Head, Item>, place: number, item: Item): string {
    if (this.#source.find !== undefined) return this.#source.keyOf(item, section.id);
    section.keys ??= this.#keysIn(section);
    return section.keys[place] ?? '';
  }

  #keysIn({ id, items }: Section<Head, Item>): readonly string[] {
    const places = new Map<string, number>();
    return allOf(items).map(item => {
      const key = this.#source.keyOf(item, id);
      const place = places.get(key) ?? 0;
      places.set(key, place + 1);
      return place === 0 ? key : `${key}/${place}`;
    });
  }
}

function allOf<Item>(items: Items<Item>): readonly Item[] {
  const all: Item[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items.at(index);
    if (item !== undefined) all.push(item);
  }
  return all;
}

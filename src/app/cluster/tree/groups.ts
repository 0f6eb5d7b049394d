/** Places the tree's roots: alone, or in groups by namespace and kind. */
import type { GraphNode } from '../../../graph/index.ts';
import { getOrInsert } from '../../../model/index.ts';
import type { TreeGroup } from './item.ts';
import { NodeList } from './node-list.ts';
import type { SiblingOrder } from './order.ts';
import { kindOf, namespaceOf, poolKey } from './row-keys.ts';

export type Entry = GraphNode | TreeGroup;

export function isGroup(entry: Entry): entry is TreeGroup {
  return entry instanceof Pool || entry instanceof Section;
}

export interface Grouping {
  /** Grouping by namespace nests groups of kinds in each namespace. */
  readonly by: 'kind' | 'namespace and kind';
  /** Reports whether a root stays outside the group of its kind. */
  readonly standsAlone: (node: GraphNode) => boolean;
}

export interface RootGroupsOptions {
  readonly roots: readonly GraphNode[];
  readonly grouping: Grouping | undefined;
  readonly order: SiblingOrder | undefined;
}

/** Minimum number of roots of a kind for a heading. */
const GROUPED_FROM = 4;

export class RootGroups {
  readonly #grouping: Grouping | undefined;
  readonly #order: SiblingOrder | undefined;
  readonly #sections = new Map<string, Section>();
  readonly #where = new Map<GraphNode, Pool | Section>();
  /** Ranks other than `#usual`, as of each node's placing. */
  readonly #ranks = new Map<GraphNode, number>();
  #usual = 0;
  #top: readonly Entry[] | undefined;

  constructor({ roots, grouping, order }: RootGroupsOptions) {
    this.#grouping = grouping;
    this.#order = order;
    for (const node of roots) {
      const place = this.#placeOf(node);
      place.nodes.push(node);
      this.#remember(node, place);
    }
    for (const section of this.#sections.values()) section.begin(order);
  }

  has(node: GraphNode): boolean {
    return this.#where.has(node);
  }

  /** Returns the entries of a group or of the top. The array changes only with its content. */
  entries(group: TreeGroup | undefined): readonly Entry[] {
    if (group !== undefined) return this.#current(group)?.entries(this.#order) ?? [];
    this.#top ??=
      this.#grouping?.by === 'namespace and kind'
        ? this.#namespaces()
        : this.#section('').entries(this.#order);
    return this.#top;
  }

  rootsIn(group: TreeGroup | undefined): readonly GraphNode[] {
    const entries = this.entries(group);
    if (group?.of === 'kind') return entries as readonly GraphNode[];
    return entries.flatMap(entry => (isGroup(entry) ? this.rootsIn(entry) : entry));
  }

  around(node: GraphNode): readonly TreeGroup[] {
    const place = this.#where.get(node);
    if (place === undefined) return [];
    const section = place instanceof Pool ? place.section : place;
    const groups: TreeGroup[] = this.#grouping?.by === 'namespace and kind' ? [section] : [];
    if (place instanceof Pool && place.grouped) groups.push(place);
    return groups;
  }

  /** Reports whether a root has relations or trouble; reads only the first ones. */
  isRelated(group: TreeGroup): boolean {
    const standsAlone = this.#grouping?.standsAlone;
    return standsAlone !== undefined && this.rootsIn(group).slice(0, LOOKED_AT).some(standsAlone);
  }

  /** Updates nodes that came, left or changed. Returns the groups with changed entries; undefined for the top. */
  reconsider(
    nodes: Iterable<GraphNode>,
    isRoot: (node: GraphNode) => boolean,
  ): ReadonlySet<TreeGroup | undefined> {
    const edits = new Map<Section, Map<Pool | Section, Edit>>();
    const edit = (place: Pool | Section): Edit => {
      const section = place instanceof Pool ? place.section : place;
      const places = getOrInsert(edits, section, () => new Map<Pool | Section, Edit>());
      return getOrInsert(places, place, () => ({ removed: new Set(), added: new Set() }));
    };
    for (const node of nodes) {
      const from = this.#where.get(node);
      const to = isRoot(node) ? this.#placeOf(node) : undefined;
      if (from === to && (to === undefined || this.#rankOf(node) === this.#knownRank(node))) continue;
      if (from !== undefined) edit(from).removed.add(node);
      if (to === undefined) {
        this.#where.delete(node);
        this.#ranks.delete(node);
      } else {
        edit(to).added.add(node);
        this.#remember(node, to);
      }
    }
    const changed = new Set<TreeGroup | undefined>();
    for (const [section, places] of edits) section.apply(places, this.#order, changed);
    if (changed.size === 0) return changed;
    this.#top = undefined;
    return changed.add(undefined);
  }

  /** Finds the current group, as rows may hold one from before a rebuild. */
  #current({ of, namespace, objectKind }: TreeGroup): Pool | Section | undefined {
    const section = this.#sections.get(namespace);
    return of === 'namespace' ? section : section?.pool(objectKind);
  }

  #rankOf(node: GraphNode): number {
    return this.#order?.rank(node) ?? 0;
  }

  #knownRank(node: GraphNode): number {
    return this.#ranks.get(node) ?? this.#usual;
  }

  #remember(node: GraphNode, place: Pool | Section): void {
    const rank = this.#rankOf(node);
    // Nearly all ranks are equal, so only the others are stored.
    if (this.#where.size === 0) this.#usual = rank;
    this.#where.set(node, place);
    if (rank === this.#usual) this.#ranks.delete(node);
    else this.#ranks.set(node, rank);
  }

  #placeOf(node: GraphNode): Pool | Section {
    const grouping = this.#grouping;
    if (grouping === undefined) return this.#section('');
    const isByNamespace = grouping.by === 'namespace and kind';
    const section = this.#section(isByNamespace ? namespaceOf(node) : '');
    return !isByNamespace && grouping.standsAlone(node) ? section : section.pool(kindOf(node));
  }

  #section(namespace: string): Section {
    return getOrInsert(this.#sections, namespace, () => new Section(namespace));
  }

  /** Sorts namespaces; cluster-scoped roots come last. */
  #namespaces(): readonly Section[] {
    const { rank, calm } = this.#order ?? { rank: () => 0, calm: 0 };
    const ranked = [...this.#sections.values()].flatMap(section => {
      const [first] = section.entries(this.#order);
      return first === undefined ? [] : { section, rank: Math.min(calm, rank(leading(first))) };
    });
    ranked.sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(a.section.namespace === '') - Number(b.section.namespace === '') ||
        (a.section.namespace < b.section.namespace ? -1 : 1),
    );
    return ranked.map(({ section }) => section);
  }
}

interface Edit {
  readonly removed: Set<GraphNode>;
  readonly added: Set<GraphNode>;
}

class Pool implements TreeGroup {
  readonly of = 'kind';
  readonly key: string;
  readonly namespace: string;
  readonly objectKind: string;
  readonly section: Section;
  readonly nodes = new NodeList();

  constructor(section: Section, objectKind: string) {
    this.section = section;
    this.namespace = section.namespace;
    this.objectKind = objectKind;
    this.key = poolKey(section.namespace, objectKind);
  }

  entries(): readonly Entry[] {
    return this.nodes.all;
  }

  get grouped(): boolean {
    return this.nodes.all.length >= GROUPED_FROM;
  }
}

class Section implements TreeGroup {
  readonly of = 'namespace';
  readonly objectKind = '';
  readonly key: string;
  readonly namespace: string;
  readonly nodes = new NodeList();
  readonly #pools = new Map<string, Pool>();
  #entries: readonly Entry[] | undefined;

  constructor(namespace: string) {
    this.namespace = namespace;
    this.key = namespace;
  }

  pool(kind: string): Pool {
    return getOrInsert(this.#pools, kind, () => new Pool(this, kind));
  }

  /** Sorts after all roots were added in the forest's order. */
  begin(order: SiblingOrder | undefined): void {
    const alone: GraphNode[] = [];
    for (const pool of this.#pools.values()) {
      if (!pool.grouped) alone.push(...pool.nodes.all);
      pool.nodes.begin(order);
    }
    this.nodes.begin(order);
    this.nodes.edit(new Set(), alone, order);
  }

  apply(
    edits: ReadonlyMap<Pool | Section, Edit>,
    order: SiblingOrder | undefined,
    changed: Set<TreeGroup | undefined>,
  ): void {
    const removed = new Set<GraphNode>();
    const added = new Set<GraphNode>();
    const move = (nodes: Iterable<GraphNode>, to: Set<GraphNode>): void => {
      for (const node of nodes) to.add(node);
    };
    for (const [place, edit] of edits) {
      if (place === this) {
        move(edit.removed, removed);
        move(edit.added, added);
        continue;
      }
      const { grouped: wasGrouped, nodes } = place as Pool;
      const before = nodes.all;
      nodes.edit(edit.removed, edit.added, order);
      const { grouped } = place as Pool;
      if (!wasGrouped) move(grouped ? before : edit.removed, removed);
      if (!grouped) move(wasGrouped ? nodes.all : edit.added, added);
      if (wasGrouped || grouped) changed.add(place);
    }
    this.nodes.edit(removed, added, order);
    this.#entries = undefined;
    changed.add(this);
  }

  /** Lists entries; groups follow roots of the same rank. */
  entries(order: SiblingOrder | undefined): readonly Entry[] {
    if (this.#entries !== undefined) return this.#entries;
    const pools = [...this.#pools.values()].filter(pool => pool.grouped);
    const entries: Entry[] = [...this.nodes.all];
    const rankOf = (entry: Entry): number => order?.rank(leading(entry)) ?? 0;
    pools.sort((a, b) => rankOf(a) - rankOf(b) || (a.objectKind < b.objectKind ? -1 : 1));
    let from = 0;
    for (const pool of pools) {
      from = firstAbove(entries, rankOf(pool), rankOf, from);
      entries.splice(from, 0, pool);
      from += 1;
    }
    this.#entries = entries;
    return entries;
  }
}

/** Number of roots read to decide whether to unfold a group. */
const LOOKED_AT = 200;

/** Returns the root that decides an entry's place. Throws for an empty group. */
function leading(entry: Entry): GraphNode {
  if (!isGroup(entry)) return entry;
  const [first] = (entry as Pool | Section).nodes.all;
  if (first === undefined) throw new Error('a group without roots is in no list');
  return first;
}

function firstAbove(
  entries: readonly Entry[],
  rank: number,
  rankOf: (entry: Entry) => number,
  from: number,
): number {
  let low = from;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && rankOf(entry) <= rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

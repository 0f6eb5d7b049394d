/** The served types by apiVersion and kind, and by the words that kubectl accepts on its command line. */

import { getOrInsert } from '../maps.ts';
import { SimilarWord } from '../text/fuzzy.ts';
import { joinApiVersion, parseApiVersion, ResourceType } from './resource-type.ts';

export type WordResolution =
  /** One type, or every type of a category. `others` have the same name in other groups; kubectl ignores them. */
  | {
      readonly known: true;
      readonly types: readonly ResourceType[];
      readonly others: readonly ResourceType[];
    }
  | { readonly known: false; readonly suggestions: readonly string[] };

const LIST = 'List';
/** The version of objects in an API server's memory (apimachinery pkg/runtime/interfaces.go, v0.36). */
const INTERNAL = '__internal';

interface Entry {
  readonly type: ResourceType;
  readonly rank: number;
}

interface TypeWord {
  readonly name: string;
  readonly version: string;
  readonly group: string;
}

export class TypeCatalog {
  readonly types: readonly ResourceType[];
  /** By apiVersion, then by kind as written and in lower case. */
  readonly #kinds = new Map<string, Map<string, ResourceType>>();
  readonly #lists = new Map<string, Map<string, ResourceType>>();
  readonly #preferred = new Map<string, ResourceType>();
  readonly #names = new Map<string, Entry[]>();
  readonly #shortNames = new Map<string, Entry[]>();
  readonly #kindWords = new Map<string, Entry[]>();
  readonly #categories = new Map<string, ResourceType[]>();

  /** Takes every served version of each resource, in the order of discovery. */
  constructor(types: readonly ResourceType[]) {
    this.types = types;
    const ranks = new Map<string, number>([['', 0]]);
    for (const type of types) {
      if (!ranks.has(type.group)) ranks.set(type.group, ranks.size);
      this.#addKind(type);
      if (type.preferred) this.#preferred.set(ResourceType.groupResource(type), type);
      this.#addWords(type, ranks.get(type.group) ?? 0);
    }
    for (const words of [this.#names, this.#shortNames, this.#kindWords])
      for (const entries of words.values()) entries.sort((a, b) => a.rank - b.rank);
  }

  /**
   * Resolves an apiVersion and kind as client-go's REST mapper does, and so as the garbage collector resolves an owner
   * reference (docs/kubernetes.md §2.3; restmapper/discovery.go NewDiscoveryRESTMapper, v0.36): the kind as discovery
   * spells it, or all in lower case, in any served version. Undefined for everything else, plurals included. A list's
   * kind yields a resource that holds nothing (`ResourceType.holdsNothing`), under any name.
   */
  resolveKind(apiVersion: string, kind: string): ResourceType | undefined {
    const found = this.#kinds.get(apiVersion)?.get(kind) ?? this.#listOf(apiVersion, kind);
    return found ?? this.#resolveUnusual(apiVersion, kind);
  }

  /** Resolves `/v1` as the core group and `__internal` as any version, preferred ones first. */
  #resolveUnusual(apiVersion: string, kind: string): ResourceType | undefined {
    const { group, version } = parseApiVersion(apiVersion);
    if (version === INTERNAL) {
      const versions = this.types.filter(type => type.group === group);
      versions.sort((a, b) => Number(b.preferred) - Number(a.preferred));
      for (const each of versions) {
        const found = this.resolveKind(each.apiVersion, kind);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    const usual = joinApiVersion(group, version);
    return usual === apiVersion || usual === '' ? undefined : this.resolveKind(usual, kind);
  }

  /** Resolves list kinds: the mapper adds `PodList` for `Pod` and a `List` per version, and guesses their resources. */
  #listOf(apiVersion: string, kind: string): ResourceType | undefined {
    if (!kind.endsWith(LIST)) return undefined;
    const kinds = this.#kinds.get(apiVersion);
    const of = kind.slice(0, -LIST.length);
    const element = kinds?.get(of);
    if (kinds === undefined || (of !== '' && element?.kind !== of)) return undefined;
    return getOrInsert(
      getOrInsert(this.#lists, apiVersion, () => new Map()),
      kind,
      () => ({
        ...parseApiVersion(apiVersion),
        apiVersion,
        kind,
        resource: `${lower(kind)}s`,
        singular: lower(kind),
        shortNames: [],
        categories: [],
        namespaced: element?.namespaced ?? false,
        verbs: [],
        preferred: false,
        guessed: true,
      }),
    );
  }

  #addKind(type: ResourceType): void {
    const kinds = getOrInsert(this.#kinds, type.apiVersion, () => new Map());
    for (const kind of [lower(type.kind), type.kind]) {
      const same = kinds.get(kind);
      // The last resource of a kind counts, but one that can be listed wins because it holds the objects.
      if (same === undefined || isListable(type) || !isListable(same)) kinds.set(kind, type);
    }
  }

  /** Returns the resource in the version that discovery prefers, which is the version that is watched. */
  preferredOf(type: Pick<ResourceType, 'group' | 'resource'>): ResourceType | undefined {
    return this.#preferred.get(ResourceType.groupResource(type));
  }

  serves(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.preferredOf(type) !== undefined;
  }

  /**
   * Resolves a word exactly as kubectl does (cli-runtime pkg/resource/builder.go, client-go restmapper/shortcut.go and
   * apimachinery pkg/api/meta, v0.36), so it accepts no word that kubectl refuses: first a category such as `all`, then
   * plural or singular in any case, a short name as written, and a kind with its group. Each may carry a group, or its
   * beginning, and a version before it. The core group comes first, then the order of discovery. Without a version,
   * preferred versions count. As an addition, `pods.v1` is a core resource with its version.
   */
  resolveWord(word: string): WordResolution {
    const category = this.#categories.get(word);
    if (category !== undefined) return { known: true, types: category, others: [] };
    const [name = '', second = '', ...rest] = word.split('.');
    const withVersion = { name, version: second, group: rest.join('.') };
    const withGroup = { name, version: '', group: [second, ...rest].join('.') };
    const isVersioned = second !== '' && word.includes('.');
    const found =
      (isVersioned && rest.length > 0 ? best(this.#named(withVersion)) : undefined) ??
      best(this.#named(withGroup)) ??
      best(this.#ofKind(withVersion)) ??
      best(this.#ofKind(withGroup)) ??
      (isVersioned && rest.length === 0 ? best(this.#coreVersion(withVersion)) : undefined);
    return found ?? { known: false, suggestions: this.#suggestions(lower(name)) };
  }

  /** Finds plurals and singulars; a short name counts only if no resource has that name. */
  #named(word: TypeWord): readonly Entry[] {
    const isCalled = (this.#names.get(word.name) ?? []).some(
      ({ type }) => word.group === '' || type.group === word.group,
    );
    const short = isCalled ? [] : inGroup(this.#shortNames.get(word.name) ?? [], word.group);
    const entries = short.length > 0 ? short : inGroup(this.#names.get(lower(word.name)) ?? [], word.group);
    return entries.filter(({ type }) =>
      word.version === '' ? type.preferred : type.version === word.version,
    );
  }

  /** Finds kinds; kubectl looks for a bare kind in the core group alone. */
  #ofKind({ name, version, group }: TypeWord): readonly Entry[] {
    return (this.#kindWords.get(name) ?? []).filter(
      ({ type }) => type.group === group && (version === '' ? type.preferred : type.version === version),
    );
  }

  #coreVersion(word: TypeWord): readonly Entry[] {
    return this.#named(word).filter(({ type }) => type.group === '');
  }

  #addWords(type: ResourceType, rank: number): void {
    const entry = { type, rank };
    for (const name of new Set([lower(type.resource), singularOf(type)]))
      getOrInsert(this.#names, name, () => []).push(entry);
    for (const name of type.shortNames) getOrInsert(this.#shortNames, name, () => []).push(entry);
    for (const name of new Set([type.kind, lower(type.kind)]))
      getOrInsert(this.#kindWords, name, () => []).push(entry);
    if (!type.preferred || !isListable(type)) return;
    for (const category of type.categories) {
      getOrInsert(this.#categories, category, () => []).push(type);
    }
  }

  #suggestions(name: string): string[] {
    const served = new Set<string>(this.#categories.keys());
    const short = new Set<string>();
    for (const type of this.types) {
      if (!type.preferred || !isListable(type)) continue;
      served.add(type.resource);
      served.add(singularOf(type));
      // Shorter words resemble almost anything.
      for (const word of type.shortNames) if (word.length > 3) short.add(word);
    }
    const near = SimilarWord.closest(name, served);
    if (near.length > 0) return near;
    const close = SimilarWord.closest(name, short);
    return close.length > 0 ? close : wordsFrom(name, served);
  }
}

function fullResourceName(type: ResourceType): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.version}.${type.group}`;
}

const MOST_SUGGESTED = 3;

/** Returns the shortest words with this prefix: `configm` suggests `configmap`. */
function wordsFrom(beginning: string, words: Iterable<string>): string[] {
  if (beginning.length < 2) return [];
  const found = [...words].filter(word => word.startsWith(beginning));
  return found.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MOST_SUGGESTED);
}

/** Keeps entries of the group, else of groups with this prefix (`ing.networking`); all if no group is given. */
function inGroup(entries: readonly Entry[], group: string): readonly Entry[] {
  if (group === '') return entries;
  const exact = entries.filter(({ type }) => type.group === group);
  return exact.length > 0 ? exact : entries.filter(({ type }) => type.group.startsWith(group));
}

function best(entries: readonly Entry[]): WordResolution | undefined {
  const [first, ...rest] = entries;
  if (first === undefined) return undefined;
  return { known: true, types: [first.type], others: rest.map(({ type }) => type) };
}

/** Returns the singular; older servers and definitions may omit it, and then it is the kind in lower case. */
function singularOf(type: Pick<ResourceType, 'kind' | 'singular'>): string {
  return type.singular === '' ? lower(type.kind) : type.singular;
}

function isListable(type: ResourceType): boolean {
  return type.verbs.includes('list');
}

function lower(text: string): string {
  return text.toLowerCase();
}

export const typeNames = { full: fullResourceName, singular: singularOf };

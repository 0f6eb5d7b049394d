/** The served types by apiVersion and kind, and by the words that kubectl takes on its command line. */

import { getOrInsert } from '../maps.ts';
import { closestWords } from '../text/closest-words.ts';
import {
  groupResource,
  guessResource,
  joinApiVersion,
  parseApiVersion,
  type ResourceType,
} from './resource-type.ts';

export type WordResolution =
  /** One type, or for a category each of its types. `others` go by the same name in other groups; kubectl passes them over. */
  | {
      readonly known: true;
      readonly types: readonly ResourceType[];
      readonly others: readonly ResourceType[];
    }
  /** Words that are served and look alike, nearest first. */
  | { readonly known: false; readonly suggestions: readonly string[] };

const LIST = 'List';
/** The version of objects in the memory of an API server (apimachinery pkg/runtime/interfaces.go, v0.36). */
const INTERNAL = '__internal';

interface Entry {
  readonly type: ResourceType;
  /** How the word names it, in kubectl's order: 0 plural, 1 short name, 2 singular or kind. */
  readonly by: number;
  /** Position of the group in discovery, the core group being first. */
  readonly rank: number;
}

export class TypeCatalog {
  readonly types: readonly ResourceType[];
  /** By apiVersion, then by kind as it is and in lower case. */
  readonly #kinds = new Map<string, Map<string, ResourceType>>();
  /** Kinds of lists that were asked for, by apiVersion, then by kind. */
  readonly #lists = new Map<string, Map<string, ResourceType>>();
  readonly #preferred = new Map<string, ResourceType>();
  readonly #words = new Map<string, Entry[]>();
  readonly #categories = new Map<string, ResourceType[]>();

  /** `types` in the order of discovery, every served version of each resource. */
  constructor(types: readonly ResourceType[]) {
    this.types = types;
    const ranks = new Map<string, number>([['', 0]]);
    for (const type of types) {
      if (!ranks.has(type.group)) ranks.set(type.group, ranks.size);
      this.#addKind(type);
      if (type.preferred) this.#preferred.set(groupResource(type), type);
      this.#addWords(type, ranks.get(type.group) ?? 0);
    }
    for (const entries of this.#words.values()) entries.sort((a, b) => a.by - b.by || a.rank - b.rank);
  }

  /**
   * What client-go's REST mapper makes of an apiVersion and kind, and so the garbage collector of an owner reference
   * (docs/kubernetes.md §2.3; restmapper/discovery.go NewDiscoveryRESTMapper, v0.36): the resource of a kind that is
   * written as discovery has it, or all in lower case, in any served version. Undefined for everything else, plurals too.
   * The kind of a list gives a resource that holds nothing (`holdsNothing`), whatever the name.
   */
  resolveKind(apiVersion: string, kind: string): ResourceType | undefined {
    const found = this.#kinds.get(apiVersion)?.get(kind) ?? this.#listOf(apiVersion, kind);
    return found ?? this.#resolveUnusual(apiVersion, kind);
  }

  /** `/v1` is the core group's, and with the version `__internal` any version is taken, the preferred ones first. */
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

  /** The mapper adds `PodList` for `Pod`, and to each version a `List`, of which it guesses the resources. */
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
        resource: guessResource(kind),
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
      // Of two resources of a kind the last one counts, but objects live in one that can be listed.
      if (same === undefined || isListable(type) || !isListable(same)) kinds.set(kind, type);
    }
  }

  /** The same resource in the version that discovery prefers, which is the one that is watched. */
  preferredOf(type: Pick<ResourceType, 'group' | 'resource'>): ResourceType | undefined {
    return this.#preferred.get(groupResource(type));
  }

  /** Whether any version of the resource is served. */
  serves(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.preferredOf(type) !== undefined;
  }

  /**
   * What kubectl understands by a word: plural, singular, kind or short name in any case, `resource.group`,
   * `resource.version.group`, or a category such as `all`. Resource names go before short names, the core
   * group before others, and these in the order of discovery. Without a version, preferred versions.
   */
  resolveWord(word: string): WordResolution {
    const text = word.toLowerCase();
    const dots = text.split('.');
    const [name = '', second] = dots;
    const byName = this.#words.get(name) ?? [];
    if (dots.length === 1) {
      const found = best(byName.filter(({ type }) => type.preferred));
      if (found !== undefined) return found;
      const category = this.#categories.get(name);
      if (category !== undefined) return { known: true, types: category, others: [] };
    } else {
      const versionedGroup = dots.slice(2).join('.');
      const versioned = byName.filter(({ type }) => type.version === second && type.group === versionedGroup);
      const group = dots.slice(1).join('.');
      const ofGroup = byName.filter(({ type }) => type.preferred && type.group === group);
      // kubectl completes the beginning of a group's name: `ing.networking`.
      const byPrefix = byName.filter(({ type }) => type.preferred && type.group.startsWith(group));
      const found = best(versioned) ?? best(ofGroup) ?? best(byPrefix);
      if (found !== undefined) return found;
    }
    return { known: false, suggestions: this.#suggestions(name) };
  }

  #addWords(type: ResourceType, rank: number): void {
    const names = new Map<string, number>();
    for (const name of [type.kind, type.singular]) names.set(lower(name), 2);
    for (const name of type.shortNames) names.set(lower(name), 1);
    names.set(lower(type.resource), 0);
    names.delete('');
    for (const [name, by] of names) {
      getOrInsert(this.#words, name, () => []).push({ type, by, rank });
    }
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
      served.add(type.singular === '' ? lower(type.kind) : type.singular);
      // With fewer letters everything is near.
      for (const word of type.shortNames) if (word.length > 3) short.add(word);
    }
    const near = closestWords(name, served);
    return near.length > 0 ? near : closestWords(name, short);
  }
}

/** `deployments.v1.apps`: a type with its version, as kubectl takes it. */
export function fullResourceName(type: ResourceType): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.version}.${type.group}`;
}

function best(entries: readonly Entry[]): WordResolution | undefined {
  const [first, ...rest] = entries;
  if (first === undefined) return undefined;
  const others = rest.filter(({ by }) => by === first.by).map(({ type }) => type);
  return { known: true, types: [first.type], others };
}

function isListable(type: ResourceType): boolean {
  return type.verbs.includes('list');
}

function lower(text: string): string {
  return text.toLowerCase();
}

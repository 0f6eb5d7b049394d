/** The served types by apiVersion and kind, and by the words that kubectl takes on its command line. */

import { getOrInsert } from '../maps.ts';
import { closestWords } from '../text/closest-words.ts';
import { groupResource, type ResourceType } from './resource-type.ts';

export type WordResolution =
  /** One type, or for a category each of its types. `others` go by the same name in other groups; kubectl passes them over. */
  | {
      readonly known: true;
      readonly types: readonly ResourceType[];
      readonly others: readonly ResourceType[];
    }
  /** Words that are served and look alike, nearest first. */
  | { readonly known: false; readonly suggestions: readonly string[] };

interface Entry {
  readonly type: ResourceType;
  /** How the word names it, in kubectl's order: 0 plural, 1 short name, 2 singular or kind. */
  readonly by: number;
  /** Position of the group in discovery, the core group being first. */
  readonly rank: number;
}

export class TypeCatalog {
  readonly types: readonly ResourceType[];
  readonly #kinds = new Map<string, ResourceType>();
  readonly #preferred = new Map<string, ResourceType>();
  readonly #words = new Map<string, Entry[]>();
  readonly #categories = new Map<string, ResourceType[]>();

  /** `types` in the order of discovery, every served version of each resource. */
  constructor(types: readonly ResourceType[]) {
    this.types = types;
    const ranks = new Map<string, number>([['', 0]]);
    for (const type of types) {
      if (!ranks.has(type.group)) ranks.set(type.group, ranks.size);
      const kindKey = `${type.apiVersion}/${type.kind}`;
      const sameKind = this.#kinds.get(kindKey);
      // Where two resources of a version share a kind, objects of it live in the one that can be listed.
      if (sameKind === undefined || (!isListable(sameKind) && isListable(type)))
        this.#kinds.set(kindKey, type);
      if (type.preferred) this.#preferred.set(groupResource(type), type);
      this.#addWords(type, ranks.get(type.group) ?? 0);
    }
    for (const entries of this.#words.values()) entries.sort((a, b) => a.by - b.by || a.rank - b.rank);
  }

  /** The type that serves this apiVersion and kind, in any served version; undefined when none does. */
  resolveKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
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

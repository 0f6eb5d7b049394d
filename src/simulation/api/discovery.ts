/**
 * What the simulated API server serves, what it fails to serve, and what clients discover of it. Custom types
 * come and go with their CustomResourceDefinition.
 */
import type { CrdFacts } from '../../model/facts/facts.ts';
import { definedTypes, type ResourceType } from '../../model/types/resource-type.ts';
import { TypeCatalog } from '../../model/types/type-catalog.ts';
import { storageKey } from './store.ts';

/**
 * - `served`: as it should be.
 * - `failing`: discovered, but every request fails with 500, as behind a broken conversion webhook.
 * - `unlistable`: single objects can be read and written, but not listed or watched.
 * - `undiscoverable`: its group cannot be discovered and every request fails with 503, as behind an APIService
 *   without a backend.
 * - `gone`: not served any more; requests are answered with 404. Its stored objects stay where they are.
 */
export type Availability = 'served' | 'failing' | 'unlistable' | 'undiscoverable' | 'gone';

export class SimulatedDiscovery {
  #types: readonly ResourceType[];
  readonly #states = new Map<string, Availability>();
  /** Group/versions whose APIService is unavailable. */
  readonly #withoutBackend = new Set<string>();
  #current: TypeCatalog | undefined;
  #listeners: ((type: ResourceType, state: Availability) => void)[] = [];

  /**
   * `types`: every served version of each resource, in the order of discovery. `catalog` is what a client discovers
   * of them at first, where that is known: building it costs more than a small forecast.
   */
  constructor(
    types: readonly ResourceType[],
    start: { readonly catalog?: TypeCatalog; readonly undiscoverable?: readonly ResourceType[] } = {},
  ) {
    this.#types = types;
    this.#current = start.catalog;
    for (const type of start.undiscoverable ?? []) this.#states.set(storageKey(type), 'undiscoverable');
  }

  /** What a client discovers now: neither types that are gone nor those whose discovery fails. */
  get catalog(): TypeCatalog {
    this.#current ??= new TypeCatalog(
      this.#types.filter(type => {
        const state = this.availability(type);
        return state !== 'gone' && state !== 'undiscoverable';
      }),
    );
    return this.#current;
  }

  /** Group/versions whose discovery fails, in the order of discovery; those that no type is known of come last. */
  get failedGroupVersions(): readonly string[] {
    const failed = new Set<string>();
    for (const type of this.#types) {
      if (this.availability(type) === 'undiscoverable') failed.add(type.apiVersion);
    }
    for (const apiVersion of this.#withoutBackend) failed.add(apiVersion);
    return [...failed];
  }

  /** An APIService came, changed or went: whether its group/version has lost its backend. */
  setBackend(apiVersion: string, state: 'available' | 'unavailable'): void {
    const failing = state === 'unavailable';
    const changed = failing !== this.#withoutBackend.has(apiVersion);
    if (failing) this.#withoutBackend.add(apiVersion);
    else this.#withoutBackend.delete(apiVersion);
    for (const type of this.#types) {
      if (type.apiVersion !== apiVersion) continue;
      // What stands in for kinds that nobody could list is a kind of its own no more once the group answers or goes.
      if (type.resource === '') this.setAvailability(type, failing ? 'undiscoverable' : 'gone');
      else if (changed && type.preferred) this.setAvailability(type, failing ? 'undiscoverable' : 'served');
    }
  }

  availability(type: ResourceType): Availability {
    return this.#states.size === 0 ? 'served' : (this.#states.get(storageKey(type)) ?? 'served');
  }

  /** Every type that was ever served, gone ones included. */
  get known(): readonly ResourceType[] {
    return this.#types;
  }

  setAvailability(type: ResourceType, state: Availability): void {
    if (this.availability(type) === state) return;
    this.#states.set(storageKey(type), state);
    this.#current = undefined;
    for (const listener of this.#listeners) listener(type, state);
  }

  onChange(listener: (type: ResourceType, state: Availability) => void): void {
    this.#listeners.push(listener);
  }

  /** A definition was created or changed: its served versions are discovered from now on. */
  define(facts: CrdFacts): void {
    const others = this.#types.filter(type => type.group !== facts.group || type.resource !== facts.plural);
    const old = this.#types.filter(type => type.group === facts.group && type.resource === facts.plural);
    const defined = definedTypes(facts);
    // Types are compared by reference, so those that stay the same must be the same.
    const types = defined.map(type => old.find(each => each.version === type.version) ?? type);
    const differs = types.length !== old.length || types.some((type, index) => type !== old[index]);
    if (differs) {
      this.#types = [...others, ...types];
      this.#current = undefined;
    }
    for (const type of types.slice(0, 1)) {
      if (this.availability(type) === 'gone') this.setAvailability(type, 'served');
      else if (differs) for (const listener of this.#listeners) listener(type, this.availability(type));
    }
  }

  /** A definition is gone, and its types with it. */
  undefine(facts: Pick<CrdFacts, 'group' | 'plural'>): void {
    for (const type of this.typesOf(facts).slice(0, 1)) this.setAvailability(type, 'gone');
  }

  /** Versions of the resource that a definition defines. */
  typesOf(facts: Pick<CrdFacts, 'group' | 'plural'>): readonly ResourceType[] {
    return this.#types.filter(type => type.group === facts.group && type.resource === facts.plural);
  }
}

/** The types that the simulated API server serves; custom ones follow their CustomResourceDefinition. */
import { type CrdFacts, ResourceType, TypeCatalog } from '../../model/index.ts';
import { storageKey } from './object-store.ts';

/**
 * `failing`: requests fail with 500, as behind a broken conversion webhook. `unlistable`: no lists and watches.
 * `undiscoverable`: requests fail with 503, as without an APIService's backend. `gone`: requests fail with 404, but
 * objects stay stored.
 */
export type Availability = 'served' | 'failing' | 'unlistable' | 'undiscoverable' | 'gone';

export class SimulatedDiscovery {
  #types: readonly ResourceType[];
  readonly #states = new Map<string, Availability>();
  readonly #withoutBackend = new Set<string>();
  #current: TypeCatalog | undefined;
  #listeners: ((type: ResourceType, state: Availability) => void)[] = [];

  /** `catalog`: the first discovery result, if known, because building it costs more than a small forecast. */
  constructor(
    types: readonly ResourceType[],
    start: { readonly catalog?: TypeCatalog; readonly undiscoverable?: readonly ResourceType[] } = {},
  ) {
    this.#types = types;
    this.#current = start.catalog;
    for (const type of start.undiscoverable ?? []) this.#states.set(storageKey(type), 'undiscoverable');
  }

  get catalog(): TypeCatalog {
    this.#current ??= new TypeCatalog(
      this.#types.filter(type => {
        const state = this.availability(type);
        return state !== 'gone' && state !== 'undiscoverable';
      }),
    );
    return this.#current;
  }

  /** Group/versions whose discovery fails, in discovery order; those without types come last. */
  get failedGroupVersions(): readonly string[] {
    const failed = new Set<string>();
    for (const type of this.#types) {
      if (this.availability(type) === 'undiscoverable') failed.add(type.apiVersion);
    }
    for (const apiVersion of this.#withoutBackend) failed.add(apiVersion);
    return [...failed];
  }

  setBackend(apiVersion: string, state: 'available' | 'unavailable'): void {
    const failing = state === 'unavailable';
    const changed = failing !== this.#withoutBackend.has(apiVersion);
    if (failing) this.#withoutBackend.add(apiVersion);
    else this.#withoutBackend.delete(apiVersion);
    for (const type of this.#types) {
      if (type.apiVersion !== apiVersion) continue;
      // A placeholder for unlisted kinds is removed once the group answers or is deleted.
      if (type.resource === '') this.setAvailability(type, failing ? 'undiscoverable' : 'gone');
      else if (changed && type.preferred) this.setAvailability(type, failing ? 'undiscoverable' : 'served');
    }
  }

  availability(type: ResourceType): Availability {
    return this.#states.size === 0 ? 'served' : (this.#states.get(storageKey(type)) ?? 'served');
  }

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

  define(facts: CrdFacts): void {
    const others = this.#types.filter(type => type.group !== facts.group || type.resource !== facts.plural);
    const old = this.#types.filter(type => type.group === facts.group && type.resource === facts.plural);
    const defined = ResourceType.definedBy(facts);
    // Types are compared by reference, so unchanged ones must stay the same objects.
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

  undefine(facts: Pick<CrdFacts, 'group' | 'plural'>): void {
    for (const type of this.typesOf(facts).slice(0, 1)) this.setAvailability(type, 'gone');
  }

  typesOf(facts: Pick<CrdFacts, 'group' | 'plural'>): readonly ResourceType[] {
    return this.#types.filter(type => type.group === facts.group && type.resource === facts.plural);
  }
}

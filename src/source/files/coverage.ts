/**
 * What the files hold of each kind. A kind that is held is known, so that an owner which isn't there is absent;
 * but a list of one namespace says nothing about another one.
 */
import { getOrInsert } from '../../model/maps.ts';
import type { Input } from './inputs.ts';

interface Held {
  /** Also read by itself, or by lists of which nothing says that they were of one namespace. */
  everywhere: boolean;
  /** The files with lists of it. */
  readonly inputs: Set<Input>;
}

export class Coverage {
  readonly #held = new Map<string, Held>();
  /** Of what kind ever: one read of a cluster is of one namespace or of all. */
  readonly #inFile = new Map<Input, Set<string>>();
  /** Of every object of a namespaced kind. */
  readonly #namespaces = new Set<string>();

  /** `name`: groupResource; `namespace`: `''` for cluster-scoped kinds. */
  object(name: string, namespace: string, place: { readonly input: Input; readonly listed: boolean }): void {
    const held = this.#of(name);
    if (namespace !== '') {
      this.#namespaces.add(namespace);
      getOrInsert(this.#inFile, place.input, () => new Set()).add(namespace);
    }
    if (place.listed) held.inputs.add(place.input);
    else held.everywhere = true;
  }

  emptyList(name: string, input: Input): void {
    this.#of(name).inputs.add(input);
  }

  /** `all` where a missing object doesn't exist, `none` where nothing is known, else the namespaces read. */
  of(name: string, namespaced: boolean): 'all' | 'none' | readonly string[] {
    const held = this.#held.get(name);
    if (held === undefined) return 'none';
    if (held.everywhere || !namespaced) return 'all';
    const read = new Set<string>();
    for (const input of held.inputs) {
      const inFile = new Set([...(this.#inFile.get(input) ?? []), ...this.#folders(input)]);
      // A file over several namespaces is of all of them; one that names none says nothing.
      if (inFile.size !== 1) return 'all';
      for (const namespace of inFile) read.add(namespace);
    }
    for (const namespace of this.#namespaces) if (!read.has(namespace)) return [...read].sort();
    return 'all';
  }

  /** Dumps keep what is of a namespace in a folder of its name. */
  #folders({ folders }: Input): string[] {
    return folders.filter(folder => this.#namespaces.has(folder)).slice(-1);
  }

  #of(name: string): Held {
    return getOrInsert(this.#held, name, () => ({ everywhere: false, inputs: new Set() }));
  }
}

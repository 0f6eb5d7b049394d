/** Tracks the kinds and namespaces the files hold completely. Only a complete list proves that an object is missing. */
import path from 'node:path';
import { getOrInsert } from '../../model/index.ts';
import type { Input } from './inputs.ts';

/** A list in a file: one read of a cluster, for one namespace or several. */
export interface ListRead {
  readonly input: Input;
  /** Set at its end if it isn't a page or cut off. */
  complete: boolean;
}

interface Content {
  readonly names: Set<string>;
  readonly namespaces: Set<string>;
}

interface Extent {
  listed: boolean;
  readonly namespaces: Set<string>;
}

const NAMESPACES = 'namespaces';

export class Coverage {
  readonly #lists = new Map<ListRead, Content>();
  readonly #namespaces = new Set<string>();
  readonly #namespaceObjects = new Set<string>();
  readonly #held = new Set<string>();
  #settled: ReadonlyMap<string, Extent> | undefined;

  /** `name`: groupResource; `namespace`: `''` if cluster-scoped; `list`: undefined for a single object. */
  object(name: string, namespace: string, objectName: string, list: ListRead | undefined): void {
    this.#held.add(name);
    if (namespace !== '') this.#namespaces.add(namespace);
    if (name === NAMESPACES) this.#namespaceObjects.add(objectName);
    if (list === undefined) return;
    const { names, namespaces } = this.#contentOf(list);
    names.add(name);
    if (namespace !== '') namespaces.add(namespace);
  }

  emptyList(name: string, list: ListRead): void {
    this.#contentOf(list).names.add(name);
  }

  /** Call it after all files. `all`: missing objects don't exist; `none`: no objects; else the complete namespaces. */
  of(name: string, namespaced: boolean): 'all' | 'none' | readonly string[] {
    this.#settled ??= this.#settle();
    const extent = this.#settled.get(name);
    if (extent === undefined) return this.#held.has(name) ? [] : 'none';
    if (!namespaced) return 'all';
    const { namespaces } = extent;
    return this.#areAll(namespaces) ? 'all' : [...namespaces].sort();
  }

  /** Unknown namespaces may have objects too, unless all namespaces are listed. */
  #areAll(namespaces: ReadonlySet<string>): boolean {
    if (this.#settled?.get(NAMESPACES)?.listed !== true) return false;
    return [this.#namespaces, this.#namespaceObjects].every(each => each.isSubsetOf(namespaces));
  }

  /** Checks if one of these lists is complete for a kind in a namespace, `''` if cluster-scoped. */
  isIn(name: string, namespace: string, of: (list: ListRead) => boolean): boolean {
    for (const [list, { names, namespaces }] of this.#lists)
      if (list.complete && names.has(name) && (namespace === '' || namespaces.has(namespace)) && of(list))
        return true;
    return false;
  }

  distrust(of: (list: ListRead) => boolean): void {
    for (const list of this.#lists.keys()) if (of(list)) list.complete = false;
  }

  /** Makes all lists of a kind inconclusive. Returns true if one wasn't. */
  distrustKind(name: string): boolean {
    const lists = [...this.#lists].filter(([, { names }]) => names.delete(name));
    return lists.some(([{ complete }]) => complete);
  }

  #settle(): Map<string, Extent> {
    const extents = new Map<string, Extent>();
    const complete = [...this.#lists].filter(([{ complete }]) => complete);
    const byInput = Map.groupBy(complete, ([{ input }]) => input);
    for (const [input, lists] of byInput) {
      const contents = lists.map(([, content]) => content);
      const inFile = new Set(contents.flatMap(({ namespaces }) => [...namespaces]));
      for (const { names, namespaces } of contents) {
        const read = namespaces.size > 0 ? namespaces : this.#impliedBy(input, inFile);
        for (const name of names) {
          const extent = getOrInsert(extents, name, () => ({ listed: true, namespaces: new Set() }));
          for (const namespace of read) extent.namespaces.add(namespace);
        }
      }
    }
    return extents;
  }

  /** Guesses an empty list's namespace: its folder or file, as in dumps, or the only one in its file. */
  #impliedBy({ folders, name, found }: Input, inFile: ReadonlySet<string>): ReadonlySet<string> {
    const known = this.#namespaces.union(this.#namespaceObjects);
    const places = found ? [path.parse(name).name, ...folders] : folders;
    const place = places.findLast(each => known.has(each));
    if (place !== undefined) return new Set([place]);
    return inFile.size === 1 ? inFile : new Set();
  }

  #contentOf(list: ListRead): Content {
    return getOrInsert(this.#lists, list, () => ({ names: new Set(), namespaces: new Set() }));
  }
}

/**
 * Which kinds the files hold completely, and of which namespaces. Only a list that ends properly proves that what it lacks
 * doesn't exist; an object by itself says nothing of others.
 */
import path from 'node:path';
import { getOrInsert } from '../../model/maps.ts';
import type { Input } from './inputs.ts';

/** A list in a file: one read of a cluster, of one namespace or of several. */
export interface ListRead {
  readonly input: Input;
  /** Known at its end: it holds all that was read, not a page of it or what is left of a file that was cut off. */
  complete: boolean;
}

interface Content {
  readonly names: Set<string>;
  readonly namespaces: Set<string>;
}

interface Extent {
  /** Some complete list holds the kind. */
  listed: boolean;
  readonly namespaces: Set<string>;
}

const NAMESPACES = 'namespaces';

export class Coverage {
  readonly #lists = new Map<ListRead, Content>();
  /** Of every object of a namespaced kind. */
  readonly #namespaces = new Set<string>();
  readonly #namespaceObjects = new Set<string>();
  readonly #held = new Set<string>();
  #settled: ReadonlyMap<string, Extent> | undefined;

  /** `name`: groupResource; `namespace`: `''` for cluster-scoped kinds; `list`: undefined for one by itself. */
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

  /**
   * After the end of all files: `all` where a missing object doesn't exist, `none` where there is none of the kind either,
   * else the namespaces in which it is complete.
   */
  of(name: string, namespaced: boolean): 'all' | 'none' | readonly string[] {
    this.#settled ??= this.#settle();
    const extent = this.#settled.get(name);
    if (extent === undefined) return this.#held.has(name) ? [] : 'none';
    if (!namespaced) return 'all';
    const { namespaces } = extent;
    return this.#areAll(namespaces) ? 'all' : [...namespaces].sort();
  }

  /** Namespaces that nothing in the files tells of may have objects too, unless all namespaces are listed. */
  #areAll(namespaces: ReadonlySet<string>): boolean {
    if (this.#settled?.get(NAMESPACES)?.listed !== true) return false;
    return [this.#namespaces, this.#namespaceObjects].every(each => each.isSubsetOf(namespaces));
  }

  /** Whether one of these lists is all there is of a kind in a namespace, `''` for cluster-scoped kinds. */
  isIn(name: string, namespace: string, of: (list: ListRead) => boolean): boolean {
    for (const [list, { names, namespaces }] of this.#lists)
      if (list.complete && names.has(name) && (namespace === '' || namespaces.has(namespace)) && of(list))
        return true;
    return false;
  }

  /** These lists prove nothing. */
  distrust(of: (list: ListRead) => boolean): void {
    for (const list of this.#lists.keys()) if (of(list)) list.complete = false;
  }

  /** No list proves anything about a kind. Returns whether one did. */
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

  /** The namespace of an empty list: that of its folder or its file, as dumps have it, or of all else in its file. */
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

/** Finds files from two moments of a cluster, by lists with one object in two states: their union never existed. */
import path from 'node:path';
import { type KubeObject, ResourceVersion } from '../../../model/index.ts';
import { SourceError } from '../../source.ts';
import type { ListRead } from '../coverage.ts';

export interface Sighting {
  readonly object: KubeObject;
  readonly list: ListRead;
}

/** Lists read together: a file, a folder, or one list. */
export interface Part {
  readonly name: string;
  has(list: ListRead): boolean;
}

export interface Succession {
  readonly older: Part;
  readonly newer: Part;
  /** A differing object, as a clause: `Pod shop/web-0 has another uid in each`. */
  readonly because: string;
  /** True if the older part is too old to be completed by the newer. */
  readonly isFar: boolean;
  /** True if each part is newer for some object, or the order is unknown. */
  readonly isMixed: boolean;
}

interface Meeting {
  readonly lists: readonly [ListRead, ListRead];
  readonly title: string;
  readonly sameUid: boolean;
  readonly order: number | undefined;
}

/** Milliseconds a dump of a large cluster takes. */
const DUMPING_MS = 60 * 60_000;

export class Moments {
  readonly #newest = new Map<ListRead, number>();
  readonly #meetings: Meeting[] = [];

  noteTime(list: ListRead, at: number): void {
    if (at > (this.#newest.get(list) ?? 0)) this.#newest.set(list, at);
  }

  noteMeeting(first: Sighting, second: Sighting, title: string): void {
    if (first.list === second.list) return;
    const lists = [first.list, second.list] as const;
    const sameUid = first.object.uid === second.object.uid;
    this.#meetings.push({ lists, title, sameUid, order: orderOf(first.object, second.object) });
  }

  /** Call it after all files. Throws a `SourceError` if two parts share only names. */
  successions(): readonly Succession[] {
    const whole = this.#meetings.filter(({ lists }) => lists.every(({ complete }) => complete));
    const byParts = new Map<string, { readonly parts: readonly [Part, Part]; readonly found: Meeting[] }>();
    for (const meeting of whole) {
      const parts = partsOf(...meeting.lists);
      const key = JSON.stringify(parts.map(({ name }) => name));
      const known = byParts.get(key);
      if (known === undefined) byParts.set(key, { parts, found: [meeting] });
      else known.found.push(meeting);
    }
    return [...byParts.values()].flatMap(({ parts, found }) => this.#succession(parts, found) ?? []);
  }

  #succession([a, b]: readonly [Part, Part], found: readonly Meeting[]): Succession | undefined {
    const differing = found.filter(({ order }) => order !== 0);
    const recreated = differing.filter(({ sameUid }) => !sameUid);
    const example = recreated[0] ?? differing[0];
    if (example === undefined) return undefined;
    const because = `${example.title} ${example.sameUid ? 'has another resourceVersion' : 'has another uid'} in each`;
    if (recreated.length > 1 && recreated.length === found.length)
      throw new SourceError(
        `${a.name} and ${b.name} have ${recreated.length} objects of the same names, each with another uid: they are of two clusters, or of times between which all of that was made again. Give the files of one.`,
      );
    const isFirst = differing.some(({ order }) => order !== undefined && order < 0);
    const isSecond = differing.some(({ order }) => order !== undefined && order > 0);
    const isMixed = isFirst === isSecond || differing.some(({ order }) => order === undefined);
    const [older, newer] = isSecond && !isMixed ? [b, a] : [a, b];
    const isFar = !isMixed && this.#newestOf(newer) - this.#newestOf(older) > DUMPING_MS;
    return { older, newer, because, isFar, isMixed };
  }

  #newestOf(part: Part): number {
    return Math.max(0, ...[...this.#newest].filter(([list]) => part.has(list)).map(([, at]) => at));
  }
}

/** Negative if `a` is older, 0 if both are the same state, undefined if unknown. */
export function orderOf(a: KubeObject, b: KubeObject): number | undefined {
  const order = ResourceVersion.compare(a.resourceVersion, b.resourceVersion);
  if (a.uid === b.uid || (order !== undefined && order !== 0)) return order;
  if (a.creationTimestamp === 0 || b.creationTimestamp === 0) return undefined;
  return a.creationTimestamp - b.creationTimestamp || undefined;
}

/** Treats two folders with files of the same names as wholes. */
function partsOf(a: ListRead, b: ListRead): readonly [Part, Part] {
  if (a.input === b.input)
    return [partOf(a.input.name, each => each === a), partOf(a.input.name, each => each === b)];
  const [x, y] = [a.input.name.split(path.sep), b.input.name.split(path.sep)];
  const at = x.findIndex((each, index) => each !== y[index]);
  const isAlike = x.length === y.length && x.slice(at + 1).every((each, index) => each === y[at + 1 + index]);
  const nameOf = (names: readonly string[]): string =>
    isAlike ? names.slice(0, at + 1).join(path.sep) : names.join(path.sep);
  return [inFolder(nameOf(x)), inFolder(nameOf(y))];
}

function inFolder(name: string): Part {
  return partOf(name, ({ input }) => input.name === name || input.name.startsWith(`${name}${path.sep}`));
}

function partOf(name: string, has: Part['has']): Part {
  return { name, has };
}

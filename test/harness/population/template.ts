/**
 * Bytes of the first namespace of a population, or of a node of its pods, and their copies: the same but for names and
 * uids. Both are equally long in each copy, so that every length in the encoding stays as it is.
 */

/** Of both names. */
const DIGITS = 5;

export function namespaceName(number: number): string {
  return `team-${String(number).padStart(DIGITS, '0')}`;
}

export function nodeName(number: number): string {
  return `node-${String(number).padStart(DIGITS, '0')}`;
}

/** Where the digits of a copy are written: those of its namespace, of a node, or the first eight of a uid. */
interface Place {
  readonly at: number;
  readonly of: 'namespace' | 'node' | 'uid';
  /** Of the node, or of those first eight digits, in the first namespace. */
  readonly first: number;
}

const marks = new RegExp(
  `team-(?<namespace>0{${DIGITS - 1}}1)|node-(?<node>\\d{${DIGITS}})|(?<uid>[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
  'gu',
);
const UID_DIGITS = 8;

export class Template {
  readonly #bytes: Buffer;
  readonly #places: readonly Place[];
  readonly #nodes: number;

  /** The pods of the first namespace are on the first `nodes` nodes. The bytes aren't copied. */
  constructor(bytes: Buffer, nodes: number) {
    this.#bytes = bytes;
    this.#nodes = nodes;
    // Each character is a byte.
    this.#places = Array.from(bytes.toString('latin1').matchAll(marks), ({ index, groups = {} }): Place => {
      const { node, uid } = groups;
      if (uid !== undefined) return { at: index, of: 'uid', first: Number.parseInt(uid, 16) };
      const at = index + 'team-'.length;
      return node === undefined ? { at, of: 'namespace', first: 1 } : { at, of: 'node', first: Number(node) };
    });
  }

  /** Of each copy, in bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** It is of the namespace or a node, and not there once for the whole cluster. */
  get isCopied(): boolean {
    return this.#places.some(({ of }) => of !== 'uid');
  }

  /** Writes the copy of this number, 0 for what it is made from, and returns where it ends. */
  write(copy: number, target: Buffer, start: number): number {
    this.#bytes.copy(target, start);
    if (copy > 0) for (const place of this.#places) this.#writePlace(place, copy, target, start);
    return start + this.#bytes.length;
  }

  #writePlace({ at, of, first }: Place, copy: number, target: Buffer, start: number): void {
    // The digits behind the first eight of a uid are those of the first one.
    if (of === 'uid') writeDigits(target, start + at, (first + copy) >>> 0, UID_DIGITS, 16);
    else writeDigits(target, start + at, first + copy * (of === 'node' ? this.#nodes : 1), DIGITS, 10);
  }
}

const digits = Buffer.from('0123456789abcdef');

function writeDigits(target: Buffer, at: number, value: number, count: number, base: number): void {
  let left = value;
  for (let place = at + count - 1; place >= at; place--) {
    target[place] = digits[left % base] ?? 0;
    left = Math.floor(left / base);
  }
}

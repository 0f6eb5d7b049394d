/** A protobuf list of an API server that holds one namespace, as it would be with so many copies of that. */
import { PbfReader, PbfWriter } from 'pbf';
import { Template } from '../../harness/population/template.ts';

/** Of what is written at once, in bytes. */
const CHUNK = 256 * 1024;
// k8s.io/apimachinery v0.36.3, pkg/runtime/generated.proto; each list has its items in field 2.
const MAGIC_BYTES = 4;
const UNKNOWN_RAW = 2;
const ITEMS = 2;
const LENGTH_DELIMITED = 2;

export interface Copies {
  readonly namespaces: number;
  /** That the pods of one namespace are on. */
  readonly nodes: number;
}

export class MultipliedList {
  readonly #namespaces: number;
  /** What stands before the items, and behind them. */
  readonly #frame: readonly [Buffer, Buffer];
  /** In the order of their names, those that are copied stand together. */
  readonly #before: Template[] = [];
  readonly #copied: Template[] = [];
  readonly #after: Template[] = [];

  /** `body` is the whole answer. Throws where it is no list. */
  constructor(body: Buffer, { namespaces, nodes }: Copies) {
    this.#namespaces = namespaces;
    const raw = fieldsOf(body, MAGIC_BYTES, body.length).find(({ field }) => field === UNKNOWN_RAW);
    if (raw === undefined) throw new Error('the answer is no Kubernetes protobuf');
    const fields = fieldsOf(body, raw.from, raw.end);
    const items = fields.filter(({ field }) => field === ITEMS);
    const itemsAt = items[0]?.at ?? raw.end;
    if (items.length < fields.filter(({ at }) => at >= itemsAt).length)
      throw new Error('the list is no list');
    for (const { at, end } of items) {
      const template = new Template(body.subarray(at, end), nodes);
      if (template.isCopied) this.#copied.push(template);
      else (this.#copied.length === 0 ? this.#before : this.#after).push(template);
    }
    const length = itemsAt - raw.from + sum(this.#before) + namespaces * sum(this.#copied) + sum(this.#after);
    const head = Buffer.concat([
      body.subarray(0, raw.at),
      lengthPrefix(UNKNOWN_RAW, length),
      body.subarray(raw.from, itemsAt),
    ]);
    this.#frame = [head, body.subarray(raw.end)];
  }

  /** How many objects it holds. */
  get count(): number {
    return this.#before.length + this.#namespaces * this.#copied.length + this.#after.length;
  }

  /** The answer, in parts that are nobody else's. */
  *parts(): Generator<Buffer> {
    const [head, tail] = this.#frame;
    yield head;
    let room = Buffer.allocUnsafe(CHUNK);
    let used = 0;
    for (const [template, copy] of this.#items()) {
      if (used + template.length > room.length) {
        yield room.subarray(0, used);
        room = Buffer.allocUnsafe(Math.max(CHUNK, template.length));
        used = 0;
      }
      used = template.write(copy, room, used);
    }
    yield room.subarray(0, used);
    yield tail;
  }

  *#items(): Generator<readonly [Template, number]> {
    for (const template of this.#before) yield [template, 0];
    for (let copy = 0; copy < this.#namespaces; copy++)
      for (const template of this.#copied) yield [template, copy];
    for (const template of this.#after) yield [template, 0];
  }
}

interface Field {
  readonly field: number;
  /** Where its tag begins, its bytes do, and end. */
  readonly at: number;
  readonly from: number;
  readonly end: number;
}

/** The fields of a message, all of which hold bytes. */
function fieldsOf(bytes: Buffer, start: number, end: number): Field[] {
  const reader = new PbfReader(bytes);
  const fields: Field[] = [];
  reader.pos = start;
  while (reader.pos < end) {
    const at = reader.pos;
    const tag = reader.readVarint();
    if (tag % 8 !== LENGTH_DELIMITED) throw new Error(`a field of type ${tag % 8}`);
    const last = reader.readVarint() + reader.pos;
    fields.push({ field: Math.floor(tag / 8), at, from: reader.pos, end: last });
    reader.pos = last;
  }
  return fields;
}

function lengthPrefix(field: number, length: number): Uint8Array {
  const writer = new PbfWriter();
  writer.writeTag(field, LENGTH_DELIMITED);
  writer.writeVarint(length);
  return writer.finish();
}

function sum(templates: readonly Template[]): number {
  return templates.reduce((bytes, { length }) => bytes + length, 0);
}

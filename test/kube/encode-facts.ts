/** Objects made at random from the table of facts: as JSON, and as the protobuf that says the same. */
import { PbfWriter } from 'pbf';
import type { Field, Fields, Wire } from '../../src/model/json/codecs.ts';
import { type JsonRecord, record } from '../../src/model/json/json.ts';
import type { Random } from '../../src/simulation/runtime/random.ts';

/** Words that decide what is kept, among others that don't. */
const words =
  'True False Pending Failed Running Delete Fail Cluster Namespaced Pod get patch * ServiceAccount -- --leader-elect'
    .split(' ')
    .concat('');

type Place = Pick<Field<unknown>, 'path' | 'wire'>;

/** Returns JSON in which each field is there or not, in every shape that its encoding has. */
export function randomJson(fields: Fields, random: Random): JsonRecord {
  const json: Record<string, unknown> = {};
  const byPath = Map.groupBy(Object.values(fields), ({ path }) => path.join('.'));
  for (const [path, places] of byPath) {
    if (path === '' || random.below(4) === 0) continue;
    const keys = path.split('.');
    let parent = json;
    for (const key of keys.slice(0, -1)) parent = (parent[key] ??= {}) as Record<string, unknown>;
    parent[keys.at(-1) ?? ''] = randomValue(places.map(asPlace), random);
  }
  return json;
}

function asPlace({ path, wire }: Place): Wire {
  return path.length === 0 ? { type: 'word', missing: '' } : wire;
}

function randomWord(random: Random): string {
  return words[random.below(words.length * 2)] ?? random.name(4);
}

/** Several facts may be kept of one list, each with fields of its own. */
function randomValue(wires: readonly Wire[], random: Random): unknown {
  const inner = wires.map(unmapped);
  const type = inner[0]?.type;
  if (type === 'flag') return random.below(2) === 0;
  if (type === 'integer') return random.below(5);
  if (type === 'time') return new Date(Date.UTC(2026, 10, 21) + random.below(100_000) * 1000).toISOString();
  if (type === 'labels') return Object.fromEntries(some(random, () => [random.name(3), randomWord(random)]));
  if (type === 'message') return randomJson(fieldsOf(inner), random);
  if (type !== 'list') return randomWord(random);
  const elements = inner.flatMap(each => (each.type === 'list' ? each.of : []));
  return some(random, () => randomValue(elements, random));
}

function some<T>(random: Random, make: () => T): T[] {
  return Array.from({ length: random.below(4) }, make);
}

function unmapped(wire: Wire): Wire {
  return wire.type === 'mapped' ? unmapped(wire.of) : wire;
}

function fieldsOf(wires: readonly Wire[]): Fields {
  const all = wires.flatMap(wire => (wire.type === 'message' ? Object.entries(wire.fields) : []));
  return Object.fromEntries(all.map(([name, field], index) => [`${name} ${index}`, field]));
}

/** A message: for each field number its values. */
type Message = Map<number, Node[]>;
type Node = Message | { readonly write: (pbf: PbfWriter) => void; readonly type: 0 | 2 };

export function encodeJson(fields: Fields, json: JsonRecord): Uint8Array {
  const message: Message = new Map();
  addFields(message, fields, json);
  return encoded(message);
}

function addFields(message: Message, fields: Fields, json: JsonRecord): void {
  for (const { path, numbers, wire } of Object.values(fields)) {
    if (numbers.length === 0) continue;
    const value = path.reduce<unknown>((found, key) => record(found)[key], json);
    if (value === undefined) continue;
    let parent = message;
    for (const number of numbers.slice(0, -1)) {
      const [inner = new Map<number, Node[]>()] = parent.get(number) ?? [];
      parent.set(number, [inner]);
      parent = inner as Message;
    }
    const number = numbers.at(-1) ?? 0;
    parent.set(number, nodesOf(unmapped(wire), value, parent.get(number) ?? []));
  }
}

/** `known`: nodes that another fact of the same list has made. */
function nodesOf(wire: Wire, value: unknown, known: readonly Node[]): Node[] {
  switch (wire.type) {
    case 'text':
    case 'word':
      return [{ type: 2, write: pbf => pbf.writeString(value as string) }];
    case 'flag':
    case 'integer':
      return [{ type: 0, write: pbf => pbf.writeVarint(Number(value)) }];
    case 'time': {
      const seconds = Date.parse(value as string) / 1000;
      return [new Map([[1, [{ type: 0, write: (pbf: PbfWriter) => pbf.writeVarint(seconds) }]]])];
    }
    case 'labels':
      return Object.entries(value as JsonRecord).map(
        entry => new Map(entry.map((text, i) => [i + 1, nodesOf({ type: 'text', missing: '' }, text, [])])),
      );
    case 'message': {
      const message: Message = known[0] instanceof Map ? known[0] : new Map();
      addFields(message, wire.fields, value as JsonRecord);
      return [message];
    }
    case 'list':
      return (value as readonly unknown[]).flatMap((each, index) =>
        nodesOf(unmapped(wire.of), each, known[index] === undefined ? [] : [known[index]]),
      );
    case 'mapped':
      return nodesOf(wire.of, value, known);
  }
}

function encoded(message: Message): Uint8Array {
  const pbf = new PbfWriter();
  for (const [number, nodes] of [...message].sort(([a], [b]) => a - b))
    for (const node of nodes) {
      pbf.writeTag(number, node instanceof Map ? 2 : node.type);
      if (node instanceof Map) pbf.writeBytes(encoded(node));
      else node.write(pbf);
    }
  return pbf.finish();
}

/** Objects as rows of fields. Values that many objects share are stored once per block; facts are kept as API JSON. */
import {
  type Facts,
  factsJson,
  integer,
  isEqualData,
  isManagerPod,
  joinApiVersion,
  KubeObject,
  type OwnerReference,
  objectJson,
  type ResourceType,
  type ResourceVersion,
  record,
  secretValues,
  text,
  texts,
  type Uid,
} from '../../model/index.ts';

export type Row = readonly (string | number | null)[];

/** Order is part of the format. `type` and those from `finalizers` on are indexes. `status` changes most often. */
const fields = [
  'type',
  'namespace',
  'name',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'finalizers',
  'owners',
  'labels',
  'annotations',
  'spec',
  'status',
] as const;

const FIRST_VALUE = fields.indexOf('finalizers');

export class BlockTables {
  readonly types: ResourceType[] = [];
  /** As JSON. */
  readonly values: string[] = [];
  /** Approximate number of characters. */
  size = 0;
  readonly #typePlaces = new Map<ResourceType, number>();
  readonly #valuePlaces = new Map<string, number>();

  typePlace(type: ResourceType): number {
    let place = this.#typePlaces.get(type);
    if (place === undefined) {
      place = this.types.push(type) - 1;
      this.#typePlaces.set(type, place);
    }
    return place;
  }

  /** Returns null for an empty list. */
  listPlace(value: readonly unknown[]): number | null {
    return value.length === 0 ? null : this.#valuePlace(JSON.stringify(value));
  }

  textPlace(json: string | undefined): number | null {
    return json === undefined ? null : this.#valuePlace(json);
  }

  #valuePlace(json: string): number {
    let place = this.#valuePlaces.get(json);
    if (place === undefined) {
      place = this.values.push(json) - 1;
      this.#valuePlaces.set(json, place);
      this.size += json.length;
    }
    return place;
  }
}

/** Caches JSON: unchanged facts are written again with every key frame. */
const factTexts = new WeakMap<Facts, { readonly spec: string; readonly status: string | undefined }>();

function factsText(
  object: KubeObject,
): { readonly spec: string; readonly status: string | undefined } | undefined {
  const { facts } = object;
  if (facts === undefined) return undefined;
  const known = factTexts.get(facts);
  if (known !== undefined) return known;
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    status,
    ...rest
  } = objectJson.write(object);
  const texts = {
    spec: JSON.stringify(rest),
    status: status === undefined ? undefined : JSON.stringify(status),
  };
  factTexts.set(facts, texts);
  return texts;
}

const writers: Readonly<
  Record<(typeof fields)[number], (object: KubeObject, tables: BlockTables) => string | number | null>
> = {
  type: ({ type }, tables) => tables.typePlace(type),
  namespace: ({ namespace }) => namespace,
  name: ({ name }) => name,
  uid: ({ uid }) => uid,
  resourceVersion: ({ resourceVersion }) => resourceVersion,
  generation: ({ generation }) => generation,
  creationTimestamp: ({ creationTimestamp }) => creationTimestamp,
  deletionTimestamp: ({ deletionTimestamp }) => deletionTimestamp ?? null,
  deletionGracePeriodSeconds: ({ deletionGracePeriodSeconds }) => deletionGracePeriodSeconds ?? null,
  finalizers: ({ finalizers }, tables) => tables.listPlace(finalizers),
  owners: ({ owners }, tables) => tables.listPlace(owners),
  labels: ({ labels }, tables) => tables.listPlace(labels),
  annotations: ({ type, annotations }, tables) =>
    tables.listPlace(secretValues.isSecret(type) ? harmless(annotations) : annotations),
  spec: (object, tables) => tables.textPlace(factsText(object)?.spec),
  status: (object, tables) => tables.textPlace(factsText(object)?.status),
};

/** Omits annotations of a Secret unless they are known to hold none of its data. */
export function rowOf(object: KubeObject, tables: BlockTables): Row {
  return fields.map(field => writers[field](object, tables));
}

/** Lists changed fields with values, alternately: `[4, "17", 14, 2]`. */
export function differences(before: KubeObject, after: KubeObject, tables: BlockTables): Row {
  const [old, now] = [factsText(before), factsText(after)];
  return fields.flatMap((field, index) => {
    const isSame =
      field === 'spec' || field === 'status'
        ? old?.[field] === now?.[field]
        : isEqualData(before[field], after[field]);
    return isSame ? [] : [index, writers[field](after, tables)];
  });
}

/** Keeps a Secret's annotations that hold none of its data. */
function harmless(annotations: readonly string[]): readonly string[] {
  const pairs = annotations.flatMap((key, i) => (i % 2 === 0 ? [[key, annotations[i + 1] ?? '']] : []));
  const hidden = new Set(secretValues.annotations({ metadata: { annotations: Object.fromEntries(pairs) } }));
  return pairs.filter(([key = '']) => !hidden.has(key)).flat();
}

/** A row as read, with resolved types and values; untrusted JSON. */
export type RawRow = unknown[];

export class ReadTables {
  readonly #types: readonly (ResourceType | undefined)[];
  readonly #values: readonly unknown[];

  constructor(types: readonly (ResourceType | undefined)[], values: readonly unknown[]) {
    this.#types = types;
    this.#values = values;
  }

  type(place: unknown): ResourceType | undefined {
    return typeof place === 'number' ? this.#types[place] : undefined;
  }

  /** Returns the row in a line from `begin` on; undefined if it isn't an object. */
  row(line: readonly unknown[], begin: number): RawRow | undefined {
    const row = fields.map((_, field) => this.#value(field, line[begin + field]));
    const [type, , name, uid] = row;
    return type === undefined || !isName(name) || !isName(uid) ? undefined : row;
  }

  /** Applies fields and values, alternately, as from `differences`. */
  change(row: RawRow, line: readonly unknown[], begin: number): void {
    for (let i = begin; i + 1 < line.length; i += 2) {
      const field = line[i];
      // Another type, name or uid means another object.
      if (typeof field !== 'number' || !isChangeable(field)) continue;
      row[field] = this.#value(field, line[i + 1]);
    }
  }

  #value(field: number, value: unknown): unknown {
    if (field === 0) return this.type(value);
    if (field < FIRST_VALUE) return value;
    return typeof value === 'number' ? this.#values[value] : undefined;
  }
}

function isChangeable(field: number): boolean {
  return Number.isInteger(field) && field >= fields.indexOf('resourceVersion') && field < fields.length;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

class Readings<T> {
  readonly #known = new WeakMap<object, T>();
  readonly #read: (value: unknown) => T;

  constructor(read: (value: unknown) => T) {
    this.#read = read;
  }

  of(value: unknown): T {
    if (typeof value !== 'object' || value === null) return this.#read(value);
    let found = this.#known.get(value);
    if (found === undefined) {
      found = this.#read(value);
      this.#known.set(value, found);
    }
    return found;
  }
}

const lists = new Readings<readonly string[]>(texts);
const pairs = new Readings<readonly string[]>(value => {
  const flat = texts(value);
  return flat.length % 2 === 0 ? flat : flat.slice(1);
});
const owners = new Readings<readonly OwnerReference[]>(objectJson.readOwners);
/** By spec, then by status. */
const factsOf = new Readings<Readings<Map<string, Facts | undefined>>>(
  () => new Readings<Map<string, Facts | undefined>>(() => new Map()),
);

function factsIn(
  [spec, status]: readonly [unknown, unknown],
  { type, namespace, name }: Pick<KubeObject, 'type' | 'namespace' | 'name'>,
): Facts | undefined {
  if (spec === undefined) return undefined;
  const json = { ...record(spec), status, metadata: { namespace, name } };
  // Only for these does the name matter.
  if (isManagerPod({ namespace, name })) return factsJson.read(type, json);
  const known = factsOf.of(spec).of(status);
  const kind = `${type.group}/${type.kind}`;
  if (!known.has(kind)) known.set(kind, factsJson.read(type, json));
  return known.get(kind);
}

export function objectOfRow(row: RawRow): KubeObject {
  const [place, namespace, name, uid, version, generation, created, deleted, grace, ...values] = row;
  // `ReadTables.row` has checked it.
  const type = place as ResourceType;
  const [finalizers, references, labels, annotations, spec, status] = values;
  const identity = { type, namespace: type.namespaced ? text(namespace) : '', name: text(name) };
  return new KubeObject({
    ...identity,
    uid: text(uid) as Uid,
    resourceVersion: text(version) as ResourceVersion,
    generation: integer(generation),
    creationTimestamp: moment(created),
    deletionTimestamp: moment(deleted),
    deletionGracePeriodSeconds: integer(grace),
    finalizers: lists.of(finalizers),
    owners: owners.of(references),
    labels: pairs.of(labels),
    annotations: pairs.of(annotations),
    facts: factsIn([spec, status], identity),
  });
}

function moment(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : undefined;
}

/** Reads an untrusted type; undefined if invalid. */
export function typeFromJson(value: unknown): ResourceType | undefined {
  const { group, version, kind, resource, singular, shortNames, categories, namespaced, verbs, preferred } =
    record(value);
  if (text(version) === '' || text(kind) === '' || text(resource) === '') return undefined;
  return {
    group: text(group),
    version: text(version),
    apiVersion: joinApiVersion(text(group), text(version)),
    kind: text(kind),
    resource: text(resource),
    singular: text(singular),
    shortNames: texts(shortNames),
    categories: texts(categories),
    namespaced: namespaced === true,
    verbs: texts(verbs),
    preferred: preferred === true,
  };
}

/**
 * How values of API objects are read from JSON and written to it, and how protobuf encodes them. A value of the wrong
 * type becomes an empty one.
 */
import * as json from './json.ts';

export interface Codec<T> {
  fromJson(value: unknown): T;
  /** Returns undefined if the field is left out. */
  toJson(value: T): unknown;
  readonly wire: Wire;
}

export const none: readonly never[] = Object.freeze([]);

/** A protobuf encoding; `kube/wire` has a reader for each. `missing` is the value of an absent field. */
export type Wire =
  | { readonly type: 'text' | 'word' | 'flag' | 'integer' | 'time' | 'labels'; readonly missing: unknown }
  | { readonly type: 'message'; readonly fields: Fields; readonly isOptional: boolean }
  | { readonly type: 'list'; readonly of: Wire }
  | { readonly type: 'mapped'; readonly of: Wire; readonly map: (value: unknown) => unknown };

/** A field: its place in JSON and, as field numbers of nested messages, in protobuf. */
export interface Field<T> extends Codec<T> {
  readonly path: readonly string[];
  readonly numbers: readonly number[];
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? WithReadonlyList<T> : never;
};
type WithReadonlyList<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;

/** A field at a JSON path such as `spec.volumeName` and at the same place in protobuf, such as `[2, 3]`. */
export function at<T>(path: string, numbers: readonly number[], codec: Codec<T>): Field<T> {
  return { ...codec, path: path.split('.'), numbers };
}

/** A value that objects of this kind don't have in a field. */
export function fixed<T>(value: T): Field<T> {
  const wire = { type: 'word', missing: value } as const;
  return { path: [], numbers: [], wire, fromJson: () => value, toJson: () => undefined };
}

/** Texts that hardly repeat, and words that are shared by many objects. */
export const text: Codec<string> = {
  fromJson: json.text,
  toJson: value => value || undefined,
  wire: { type: 'text', missing: '' },
};
export const word: Codec<string> = { ...text, wire: { type: 'word', missing: '' } };
export const flag: Codec<boolean> = {
  fromJson: json.truth,
  toJson: value => value || undefined,
  wire: { type: 'flag', missing: false },
};
export const optionalFlag: Codec<boolean | undefined> = {
  fromJson: value => (typeof value === 'boolean' ? value : undefined),
  toJson: value => value,
  wire: { type: 'flag', missing: undefined },
};
export const integer: Codec<number | undefined> = {
  fromJson: json.integer,
  toJson: value => value,
  wire: { type: 'integer', missing: undefined },
};

/** A number that is also written if it is 0. */
export function number(missing: number): Codec<number> {
  return {
    fromJson: value => json.integer(value) ?? missing,
    toJson: value => value,
    wire: { type: 'integer', missing },
  };
}

export const count: Codec<number> = { ...number(0), toJson: value => value || undefined };

export const time: Codec<number | undefined> = {
  fromJson: json.time,
  toJson: value => (value === undefined ? undefined : json.isoTime(value)),
  wire: { type: 'time', missing: undefined },
};

/** A MicroTime in whole seconds: protobuf keeps fractions elsewhere, and nothing needs them. */
export const wholeTime: Codec<number | undefined> = {
  ...time,
  fromJson: value => {
    const milliseconds = json.time(value);
    return milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000) * 1000;
  },
};

/** A map of strings as the flat list `Labels`. */
export const labels: Codec<readonly string[]> = {
  fromJson: json.pairs,
  toJson: json.labelsToJson,
  wire: { type: 'labels', missing: none },
};

/** Strings of which empty ones count, too. */
export function texts(of: Codec<string>): Codec<readonly string[]> {
  return {
    fromJson: json.texts,
    toJson: value => (value.length === 0 ? undefined : [...value]),
    wire: { type: 'list', of: of.wire },
  };
}

export function message<F extends Fields>(fields: F): Codec<Values<F>> {
  const read = jsonReader(fields);
  return {
    fromJson: value => read(json.record(value)),
    toJson: value => writeJson(fields, value),
    wire: { type: 'message', fields, isOptional: false },
  };
}

export function optional<F extends Fields>(fields: F): Codec<Values<F> | undefined> {
  const whole = message(fields);
  return {
    fromJson: value => (typeof value === 'object' && value !== null ? whole.fromJson(value) : undefined),
    toJson: value => value && whole.toJson(value),
    wire: { type: 'message', fields, isOptional: true },
  };
}

/** Reports whether there is a message; `sample` is written in its place. */
export function presence(sample: json.JsonRecord): Codec<boolean> {
  return mapped(
    optional({}),
    value => value !== undefined,
    isPresent => (isPresent ? sample : undefined),
  );
}

export function list<T>(of: Codec<T>): Codec<readonly T[]> {
  return {
    fromJson: value => json.list(value).map(each => of.fromJson(each)),
    toJson: value => (value.length === 0 ? undefined : value.map(each => of.toJson(each))),
    wire: { type: 'list', of: of.wire },
  };
}

/** Keeps another form of what `of` reads. */
export function mapped<T, U>(of: Codec<T>, map: (value: T) => U, back: (value: U) => T): Codec<U> {
  return {
    fromJson: value => map(of.fromJson(value)),
    toJson: value => of.toJson(back(value)),
    // The reader of `of.wire` returns a `T`.
    wire: { type: 'mapped', of: of.wire, map: value => map(value as T) },
  };
}

/** A word for which an empty one stands. */
export function wordOr(usual: string): Codec<string> {
  return mapped(
    word,
    value => value || usual,
    value => value,
  );
}

/** The number of elements of a list that holds nothing else that is kept. */
export const length: Codec<number> = {
  ...mapped(
    list(message({})),
    ({ length: count }) => count,
    count => Array.from({ length: count }, () => ({})),
  ),
  fromJson: value => json.list(value).length,
};

/** Writes values that others leave out, such as `false`. */
export function written<T>(codec: Codec<T>): Codec<T> {
  return { ...codec, toJson: value => value };
}

type Draft = Record<string, unknown>;

export function jsonReader<F extends Fields>(fields: F): (value: json.JsonRecord) => Values<F> {
  const entries = Object.entries(fields);
  const first = firstCopy(entries.map(([name, field]) => [name, field.fromJson(undefined)]));
  return value => {
    const draft = { ...first };
    for (const [name, field] of entries) draft[name] = field.fromJson(valueAt(value, field.path));
    return draft as Values<F>;
  };
}

/** Returns an object whose copies are fast and small: in what `JSON.parse` makes, all properties lie inside. */
export function firstCopy(entries: readonly (readonly [string, unknown])[]): Draft {
  const names = Object.fromEntries(entries.map(([name]) => [name, null]));
  return Object.assign(JSON.parse(JSON.stringify(names)) as Draft, Object.fromEntries(entries));
}

function valueAt(value: json.JsonRecord, path: readonly string[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (!json.isRecord(found)) return undefined;
    found = found[key];
  }
  return found;
}

export function writeJson<F extends Fields>(fields: F, values: Values<F>): json.JsonRecord {
  const written: Draft = {};
  for (const [name, field] of Object.entries(fields))
    writeAt(written, field.path, field.toJson(values[name]));
  return written;
}

/** Writes a value, and the objects around it, unless it is undefined. */
export function writeAt(into: Draft, path: readonly string[], value: unknown): void {
  if (value === undefined) return;
  let parent = into;
  for (const key of path.slice(0, -1)) parent = (parent[key] ??= {}) as Draft;
  parent[path.at(-1) ?? ''] = value;
}

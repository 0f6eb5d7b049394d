/**
 * Reading JSON that somebody else wrote: each function takes any value, returns the wanted type, and an empty
 * value where the input is of another type. Only `jsonValue` throws.
 */

export type JsonRecord = { readonly [key: string]: unknown };

const emptyRecord: JsonRecord = Object.freeze({});

/**
 * JSON as a value. Half a surrogate pair, which JSON can escape and no UTF-8 text hold, becomes U+FFFD, as for every
 * reader of JSON in Go (encoding/json `unquote`): elsewhere it would be an error, in a URL for example. Throws as
 * `JSON.parse` does.
 */
export function jsonValue(source: string): unknown {
  const value: unknown = JSON.parse(source);
  return /\\ud[89a-f]/iu.test(source) ? wellFormed(value) : value;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]): [string, unknown] => [key.toWellFormed(), wellFormed(each)]),
  );
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one for arrays, null and everything else. */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : emptyRecord;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The strings of a list; other elements are skipped. */
export function texts(value: unknown): readonly string[] {
  return list(value).filter(element => typeof element === 'string');
}

export function truth(value: unknown): boolean {
  return value === true;
}

/** A safe integer, or undefined. */
export function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** The number of something: a safe integer, 0 where there is none. */
export function count(value: unknown): number {
  return integer(value) ?? 0;
}

/** An RFC 3339 timestamp in milliseconds since the epoch, or undefined. */
export function time(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** A map of strings as the flat list `[key, value, …]` of `Labels`; values of other types are skipped. */
export function pairs(value: unknown): readonly string[] {
  const flat: string[] = [];
  for (const [key, each] of Object.entries(record(value))) if (typeof each === 'string') flat.push(key, each);
  return flat;
}

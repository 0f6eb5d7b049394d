/** Readers of untrusted JSON: a value of the wrong type becomes an empty one. Only `jsonValue` throws. */

export type JsonRecord = { readonly [key: string]: unknown };

const emptyRecord: JsonRecord = Object.freeze({});

/** Parses JSON; throws as `JSON.parse`. A lone surrogate becomes U+FFFD, as in Go (encoding/json `unquote`). */
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

export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : emptyRecord;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function texts(value: unknown): readonly string[] {
  return list(value).filter(element => typeof element === 'string');
}

export function truth(value: unknown): boolean {
  return value === true;
}

export function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function count(value: unknown): number {
  return integer(value) ?? 0;
}

/** Parses RFC 3339 to milliseconds since the epoch. */
export function time(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** Flattens a map of strings to the `[key, value, …]` of `Labels`; skips values of other types. */
export function pairs(value: unknown): readonly string[] {
  const flat: string[] = [];
  for (const [key, each] of Object.entries(record(value))) if (typeof each === 'string') flat.push(key, each);
  return flat;
}

/** Turns the flat list of `pairs` back into a map; undefined if it is empty. */
export function labelsToJson(labels: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (labels.length === 0) return undefined;
  return Object.fromEntries(
    Array.from({ length: labels.length / 2 }, (_, i) => [labels[2 * i] ?? '', labels[2 * i + 1] ?? '']),
  );
}

/** Formats a time as the API server does: RFC 3339, without a fraction for whole seconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** Completes the users of `relations.yaml` for an API server: each sentence is a case with its own used object. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import rows from '../../../src/diagnosis/uses/relations.json' with { type: 'json' };
import type { Relation } from '../../../src/diagnosis/uses/relations.ts';
import { type JsonRecord, record, text } from '../../../src/model/json/json.ts';

/** Parts of a sentence about users, in order. */
export interface Sentence {
  /** `group/Kind` */
  readonly kind: string;
  readonly when: string;
  readonly how: string;
  /** What fails. */
  readonly clause: string;
  /** True if the users need the object no longer. */
  readonly isOver: boolean;
}

export interface RelationCase extends Sentence {
  readonly used: JsonRecord;
  readonly users: readonly JsonRecord[];
  /** Namespaces of the objects. */
  readonly namespaces: readonly [shop: string, other: string];
}

/** Words that stand for something in manifests. */
export type Words = Readonly<Record<'PORT' | 'CA' | 'CERTIFICATE', string | number>>;

const read = (...path: string[]): unknown =>
  parse(readFileSync(join(import.meta.dirname, ...path), 'utf8'), { merge: true });
const { shared, ...bases } = read('bases.yaml') as Readonly<Record<string, JsonRecord>> & {
  readonly shared: readonly JsonRecord[];
};
const sentences = read('..', '..', 'diagnosis', 'uses', 'relations.yaml') as Readonly<
  Record<string, readonly JsonRecord[]>
>;

export const sharedObjects = shared;

/** Lists a case for each sentence, and one for each binding whose subjects lose something with it. */
export function relationCases(words: Words): readonly RelationCase[] {
  const named = Object.entries(sentences).map(([sentence, users]) => ({ ...sentenceOf(sentence), users }));
  return [...named, ...losses()].map((each, index) => caseOf(each, index, words));
}

function sentenceOf(sentence: string): Sentence {
  const [kind = '', when = '', how = '', end = ''] = sentence.split(' | ');
  const isOver = end.endsWith(' (over)');
  return { kind, when, how, clause: end.replace(/ \(over\)$/u, ''), isOver };
}

function losses(): (Sentence & { readonly users: readonly JsonRecord[] })[] {
  return (rows as readonly Relation[]).flatMap(({ by, uses, kinds = [], lost }) => {
    if (lost === undefined) return [];
    const subjects = [uses, ...kinds].map(each => ({
      kind: each.split('/').at(-1),
      metadata: uses === 'ServiceAccount' ? {} : { namespace: '' },
    }));
    const { how, then: clause } = lost;
    return { kind: by, when: 'atOnce', how, clause, isOver: false, users: subjects };
  });
}

function caseOf(
  { users, ...sentence }: Sentence & { readonly users: readonly JsonRecord[] },
  index: number,
  words: Words,
): RelationCase {
  const names = { used: `used-${index}`, shop: `shop-${index}`, other: `other-${index}` };
  const [kind = '', group = ''] = sentence.kind.split('/').toReversed();
  const isLoss = sentence.how === 'has rights by it';
  const made = users.map((user, at) => {
    const userName = `user-${index}-${at}`;
    const base = isLoss ? {} : baseOf(text(user['kind']));
    const whole = merged(base, user) as JsonRecord;
    return named(whole, userName, { ...names, user: userName, ...words });
  });
  const [first = {}] = made;
  const subjects = isLoss ? { subjects: made.map(subjectOf) } : {};
  const whole = merged(baseOf(kind, text(first['kind'])), { group, kind, ...subjects }) as JsonRecord;
  const used = named(whole, names.used, {
    ...names,
    user: text(record(first['metadata'])['name']),
    ...words,
  });
  return { ...sentence, used, users: made, namespaces: [names.shop, names.other] };
}

function subjectOf({ kind, metadata }: JsonRecord): JsonRecord {
  const { name, namespace } = record(metadata);
  return { kind, name, ...(kind === 'ServiceAccount' && { namespace }) };
}

function baseOf(kind: string, user = ''): JsonRecord {
  return merged(bases[kind] ?? {}, bases[`${kind} for ${user}`] ?? {}) as JsonRecord;
}

/** Gives an object its name, label and namespace, and replaces the words in it. */
function named(
  object: JsonRecord,
  name: string,
  words: Readonly<Record<string, string | number>>,
): JsonRecord {
  const all: Readonly<Record<string, string | number>> = { ...words, NAME: name, USER: words['user'] ?? '' };
  const metadata = merged({ name, namespace: 'shop', labels: { app: name } }, record(object['metadata']));
  return replaced({ ...object, metadata }, all) as JsonRecord;
}

function replaced(value: unknown, words: Readonly<Record<string, string | number>>): unknown {
  if (typeof value === 'string') return words[value] ?? value.replaceAll('NAME', String(words['NAME']));
  if (Array.isArray(value)) return value.map(each => replaced(each, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, words)]));
}

/** Merges lists element by element. */
function merged(base: unknown, over: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(over))
    return Array.from({ length: Math.max(base.length, over.length) }, (_, index) =>
      index in over ? merged(base[index], over[index]) : base[index],
    );
  const isObject = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(base) || !isObject(over)) return over === undefined ? base : over;
  const [left, right] = [record(base), record(over)];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...keys].map(key => [key, merged(left[key], right[key])]));
}

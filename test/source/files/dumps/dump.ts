/**
 * Dumps as people have them, as documents by file, and what is left of one after somebody took a few kinds or namespaces
 * out of it.
 */
import { type JsonRecord, list, record, text } from '../../../../src/model/json/json.ts';
import type { Random } from '../../../../src/simulation/runtime/random.ts';

/** By path below the dump's folder, the documents in it: objects, and lists with their elements. */
export type Dump = ReadonlyMap<string, readonly JsonRecord[]>;

/** `batch/Job`; elements of a typed list have no kind of their own. */
function kindOf(object: JsonRecord, listKind = '', listVersion = ''): string {
  const apiVersion = text(object['apiVersion']) || listVersion;
  const kind = text(object['kind']) || listKind.replace(/List$/u, '');
  return `${apiVersion.includes('/') ? apiVersion.split('/')[0] : ''}/${kind}`;
}

function isList(document: JsonRecord): boolean {
  return text(document['kind']).endsWith('List') && Array.isArray(document['items']);
}

export interface Described {
  readonly kind: string;
  /** That of a Namespace is its name; `''` for what lies in none. */
  readonly namespace: string;
}

function describe(object: JsonRecord, of?: JsonRecord): Described {
  const kind = kindOf(object, text(of?.['kind']), text(of?.['apiVersion']));
  const { name, namespace } = record(object['metadata']);
  return { kind, namespace: kind === '/Namespace' ? text(name) : text(namespace) };
}

function* objectsIn(documents: readonly JsonRecord[]): IterableIterator<Described> {
  for (const document of documents)
    if (isList(document)) for (const each of list(document['items'])) yield describe(record(each), document);
    else yield describe(document);
}

export interface Cut {
  readonly what: string;
  keeps(object: Described, file: string): boolean;
}

/** One of the ways in which people cut dumps down. */
export function randomCut(dump: Dump, random: Random): Cut {
  const objects = [...dump.values()].flatMap(documents => [...objectsIn(documents)]);
  const kinds = [...new Set(objects.map(({ kind }) => kind))].sort();
  const namespaces = [...new Set(objects.map(({ namespace }) => namespace))]
    .filter(each => each !== '')
    .sort();
  const some = (all: readonly string[], most: number): Set<string> => {
    const count = 1 + random.below(Math.max(1, Math.min(most, all.length)));
    return new Set(Array.from({ length: count }, () => all[random.below(all.length)] ?? ''));
  };
  const fewKinds = some(kinds, 5);
  const fewNamespaces = some(namespaces, 3);
  const files = random.below(1_000);
  const inFew = ({ namespace }: Described): boolean => namespace === '' || fewNamespaces.has(namespace);
  const told = (names: Iterable<string>): string => [...names].join(', ');
  const cuts: readonly Cut[] = [
    { what: `only ${told(fewKinds)}`, keeps: ({ kind }) => fewKinds.has(kind) },
    { what: `without ${told(fewKinds)}`, keeps: ({ kind }) => !fewKinds.has(kind) },
    { what: `only in ${told(fewNamespaces)}`, keeps: inFew },
    { what: `not in ${told(fewNamespaces)}`, keeps: each => each.namespace === '' || !inFew(each) },
    {
      what: `only ${told(fewKinds)} in ${told(fewNamespaces)}`,
      keeps: each => fewKinds.has(each.kind) && inFew(each),
    },
    {
      what: `without ${told(fewKinds)}, only in ${told(fewNamespaces)}`,
      keeps: each => !fewKinds.has(each.kind) && inFew(each),
    },
    { what: 'without what lies in no namespace', keeps: ({ namespace }) => namespace !== '' },
    { what: `some files, ${files}`, keeps: (_, file) => hash(`${file}${files}`) % 2 === 0 },
  ];
  return cuts[random.below(cuts.length)] ?? cuts[0]!;
}

function hash(value: string): number {
  let sum = 7;
  for (const character of value) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return sum >>> 3;
}

/** What is left of a file; undefined where all of it is. An empty list stays one, as kubectl would print it. */
export function cutDocuments(
  documents: readonly JsonRecord[],
  { cut, file }: { readonly cut: Cut; readonly file: string },
): readonly JsonRecord[] | undefined {
  let all = true;
  const keeps = (object: JsonRecord, of?: JsonRecord): boolean => {
    const kept = cut.keeps(describe(object, of), file);
    all &&= kept;
    return kept;
  };
  const left = documents.flatMap(document => {
    if (!isList(document)) return keeps(document) ? [document] : [];
    const items = list(document['items']).filter(each => keeps(record(each), document));
    return items.length === 0 && list(document['items']).length > 0 ? [] : [{ ...document, items }];
  });
  return all ? undefined : left;
}

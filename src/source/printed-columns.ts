/**
 * Columns that a definition prints for its custom resources, as `kubectl get` shows them. Apart from facts, because they
 * may lead to any field.
 */
import {
  credentials,
  FieldPath,
  getOrInsert,
  type JsonRecord,
  type KubeObject,
  list,
  mapConcurrently,
  prose,
  ResourceType,
  record,
  text,
  type Uid,
} from '../model/index.ts';
import type { WholeReads } from './read-whole.ts';

interface Printed {
  /** `Ready=True`, sanitised. */
  readonly text: string;
  /** True if it leads to the status, and shows without `-o wide`. */
  readonly isState: boolean;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly path: FieldPath;
  readonly isState: boolean;
}

const MOST_COLUMNS = 16;
const LONGEST_PATH = 256;
const LONGEST_TEXT = 128;
/** Kinds that are read at a time. */
const AT_A_TIME = 8;
/** Above this many objects of a kind, list the kind. */
const MOST_SINGLE = 3;

/** Names of fields and columns with a credential; that of a Secret is none. */
const secret = /passw|passphrase|token|credential|(?:api|access|private).?key/iu;

/** Fields of references, such as `tokenRef.name`, which hold no credential. */
const identifying: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'name', 'namespace']);

/** JavaScript's types of values by the types of columns; any value is a string. */
const types: ReadonlyMap<string, string> = new Map([
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['date', 'string'],
]);

/** Leaves out objects whose definition can't be read or prints no columns beside the age. Rejects if a read rejects. */
export async function printedColumns(
  reads: WholeReads,
  definitions: ResourceType,
  objects: readonly KubeObject[],
): Promise<Map<Uid, readonly Printed[]>> {
  const found = new Map<Uid, readonly Printed[]>();
  const byType = new Map<string, KubeObject[]>();
  for (const each of objects)
    getOrInsert(byType, `${each.type.resource} ${each.type.apiVersion}`, () => []).push(each);
  await mapConcurrently([...byType.values()], AT_A_TIME, async alike => {
    const [first] = alike;
    if (first === undefined) return;
    const name = ResourceType.groupResource(first.type);
    const definition = await reads.read({ type: definitions, namespace: '', name });
    const columns = definition.state === 'read' ? columnsIn(definition.json, first.type.version) : [];
    if (columns.length === 0) return;
    const byUid = new Map(alike.map(each => [keyOf(each), each.uid]));
    for (const json of await wholeOf(reads, alike)) {
      const metadata = record(json['metadata']);
      const uid = byUid.get(keyOf({ namespace: text(metadata['namespace']), name: text(metadata['name']) }));
      const cells = columns.flatMap(each => printed(each, json));
      if (uid !== undefined && cells.length > 0) found.set(uid, cells);
    }
  });
  return found;
}

function keyOf({ namespace, name }: Pick<KubeObject, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

async function wholeOf(
  { read, list: listAll }: WholeReads,
  objects: readonly KubeObject[],
): Promise<readonly JsonRecord[]> {
  const [first] = objects;
  if (first !== undefined && objects.length > MOST_SINGLE && listAll !== undefined) {
    const isWide = objects.some(({ namespace }) => namespace !== first.namespace) || first.namespace === '';
    const answer = await listAll({ type: first.type, namespace: isWide ? undefined : first.namespace });
    return answer.state === 'read' ? answer.items : [];
  }
  const answers = await mapConcurrently(objects, AT_A_TIME, read);
  return answers.flatMap(each => (each.state === 'read' ? [each.json] : []));
}

function columnsIn(definition: JsonRecord, version: string): readonly Column[] {
  const versions = list(record(definition['spec'])['versions']).map(record);
  const served = versions.find(({ name }) => name === version);
  return list(served?.['additionalPrinterColumns'])
    .slice(0, MOST_COLUMNS)
    .map(record)
    .flatMap(({ name, type, jsonPath, priority = 0 }) => {
      const at = text(jsonPath);
      // Each object has its age already.
      const isOwn = at.length <= LONGEST_PATH && at !== '.metadata.creationTimestamp';
      const path = isOwn ? FieldPath.parse(at) : undefined;
      if (path === undefined || path.length === 0) return [];
      const isState = path[0] === 'status' && type !== 'date' && priority === 0;
      return [{ name: text(name), type: text(type), path, isState }];
    });
}

/** Prints the first value, if it has the column's type (apiextensions-apiserver tableconvertor.go, v1.36). */
function printed({ name, type, path, isState }: Column, json: JsonRecord): Printed | [] {
  const [value = null] = FieldPath.values(json, path);
  const expected = types.get(type);
  if (value === null || value === '' || (expected !== undefined && typeof value !== expected)) return [];
  const fields = path.filter(each => typeof each === 'string');
  const isReference = identifying.has(fields.at(-1) ?? '');
  const isSecret = secret.test(name) || (!isReference && fields.some(each => secret.test(each)));
  const cell = FieldPath.text(type === 'integer' ? Math.trunc(Number(value)) : value);
  const shown = isSecret ? '(hidden)' : credentials.removed(prose(cell.slice(0, 4 * LONGEST_TEXT)));
  const line = `${prose(name)}=${shown}`;
  return { text: line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line, isState };
}

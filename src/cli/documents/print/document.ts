/**
 * Documents other than the nested tree as JSON and YAML, entry by entry because lists may have tens of thousands; and
 * `-o name` with one `kind.group/name` per line, as in kubectl.
 */
import type { Forecast } from '../../../forecast/index.ts';
import { documentText, nameWords } from '../../../text/index.ts';
import { firstPlaces, type Selection } from '../tree/selection.ts';

export type DocumentEncoding = 'json' | 'yaml';

const INDENT = '  ';

export function printDocument(document: object, encoding: DocumentEncoding): Generator<string> {
  return encoding === 'json' ? printJsonDocument(document) : printYamlDocument(document);
}

function* printJsonDocument(document: object): Generator<string> {
  let open = '{';
  for (const [key, value] of Object.entries(document)) {
    yield `${open}\n${INDENT}"${key}": `;
    open = ',';
    if (!isList(value)) {
      yield documentText.json(value, INDENT);
      continue;
    }
    let separator = '[';
    for (const item of value) {
      yield `${separator}\n${INDENT + INDENT}${documentText.json(item, INDENT + INDENT)}`;
      separator = ',';
    }
    yield separator === '[' ? '[]' : `\n${INDENT}]`;
  }
  yield '\n}\n';
}

function* printYamlDocument(document: object): Generator<string> {
  let lead = '';
  for (const [key, value] of Object.entries(document)) {
    yield `${lead}${documentText.yamlScalar(key)}:`;
    lead = '\n';
    if (!isList(value)) {
      yield documentText.yaml(value, INDENT);
      continue;
    }
    let isEmpty = true;
    for (const item of value) {
      yield documentText.yaml([item], '');
      isEmpty = false;
    }
    if (isEmpty) yield ' []';
  }
  yield '\n';
}

/** Accepts arrays and lists generated on demand. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

export function printDeletedNames(
  forecast: Pick<Forecast, 'deleted'>,
  namespace: string | undefined,
): string[] {
  return forecast.deleted.map(({ object }) => `${nameWords.scoped(object, namespace)}\n`);
}

/**
 * Lists selected existing objects once, owners first; not their surroundings, because scripts may delete what they
 * read. `namespace` is the command's, undefined for all.
 */
export function printNames(selection: Selection, namespace: string | undefined): string[] {
  // Collects first: a reader would take a partial output for all of it.
  const names: string[] = [];
  for (const { node } of firstPlaces(selection))
    if (!node.virtual && selection.isTarget(node))
      names.push(`${nameWords.scoped(node.identity, namespace)}\n`);
  return names;
}

/**
 * Every document but the nested tree as JSON and YAML, list entry by list entry: there may be tens of thousands; and the
 * lines of `-o name`, one `kind.group/name` each, as `kubectl -o name` prints them.
 */
import type { Forecast } from '../../forecast/plan/plan.ts';
import { scopedName } from '../../text/terminal/names.ts';
import { firstPlaces, type Selection } from '../tree/selection.ts';
import { stringify } from './json.ts';
import { block, yamlScalar } from './yaml.ts';

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
      yield stringify(value, INDENT);
      continue;
    }
    let separator = '[';
    for (const item of value) {
      yield `${separator}\n${INDENT + INDENT}${stringify(item, INDENT + INDENT)}`;
      separator = ',';
    }
    yield separator === '[' ? '[]' : `\n${INDENT}]`;
  }
  yield '\n}\n';
}

function* printYamlDocument(document: object): Generator<string> {
  let lead = '';
  for (const [key, value] of Object.entries(document)) {
    yield `${lead}${yamlScalar(key)}:`;
    lead = '\n';
    if (!isList(value)) {
      yield block(value, INDENT);
      continue;
    }
    let isEmpty = true;
    for (const item of value) {
      yield block([item], '');
      isEmpty = false;
    }
    if (isEmpty) yield ' []';
  }
  yield '\n';
}

/** A list that is there, or one that is made as it is read. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** What is deleted. */
export function printDeletedNames(
  forecast: Pick<Forecast, 'deleted'>,
  namespace: string | undefined,
): string[] {
  return forecast.deleted.map(({ object }) => `${scopedName(object, namespace)}\n`);
}

/**
 * What was selected and exists, each object once, owners first; not what else the tree shows around it: what reads
 * the names may delete them. `namespace`: that of the command, undefined for all.
 */
export function printNames(selection: Selection, namespace: string | undefined): string[] {
  // All or nothing: what reads them takes the first lines for the whole.
  const names: string[] = [];
  for (const { node } of firstPlaces(selection))
    if (!node.virtual && selection.isTarget(node)) names.push(`${scopedName(node.identity, namespace)}\n`);
  return names;
}

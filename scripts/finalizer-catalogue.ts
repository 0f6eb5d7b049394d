/**
 * The finalizer catalogue as it is written, in YAML, held to its schema. `npm run docs` makes the JSON of it that the
 * product loads, so that nothing reads YAML or a schema when it starts.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { load, YAMLException } from 'js-yaml';
import type { CatalogueEntry } from '../src/diagnosis/finalizers/handler.ts';

const folder = new URL('../src/diagnosis/finalizers/', import.meta.url);
const validate = new Ajv2020({ allErrors: true, verbose: true }).compile<readonly CatalogueEntry[]>(
  JSON.parse(readFileSync(new URL('catalogue.schema.json', folder), 'utf8')),
);

export function readCatalogue(): readonly CatalogueEntry[] {
  return parseCatalogue(readFileSync(new URL('catalogue.yaml', folder), 'utf8'));
}

/** Throws an error that names each entry and field that is wrong, and what is allowed there. */
export function parseCatalogue(yaml: string): readonly CatalogueEntry[] {
  const catalogue = loadYaml(yaml);
  if (!validate(catalogue)) throw wrong((validate.errors ?? []).map(error => explained(error, catalogue)));
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const { controller, finalizers } of catalogue)
    for (const name of finalizers.flatMap(({ names }) => names)) {
      const other = seen.get(name);
      if (other !== undefined) twice.push(`${controller}: names has ${name}, which ${other} has already`);
      seen.set(name, controller);
    }
  if (twice.length > 0) throw wrong(twice);
  return catalogue;
}

function loadYaml(yaml: string): unknown {
  try {
    return load(yaml);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? '' : `line ${mark.line + 1}, column ${mark.column + 1}: `;
    throw wrong([`${place}${reason}. A value that has ": " or " #" in it needs quotes.`]);
  }
}

/** What is wrong with the catalogue, for its author: to be printed without a stack. */
export class CatalogueError extends Error {}

function wrong(sentences: readonly string[]): CatalogueError {
  return new CatalogueError(
    `src/diagnosis/finalizers/catalogue.yaml:\n${sentences.map(each => `  ${each}`).join('\n')}`,
  );
}

/** `Argo CD: finalizers[0].cost is missing` */
function explained(error: ErrorObject, catalogue: unknown): string {
  const [index, ...fields] = error.instancePath.split('/').slice(1);
  const entry: unknown = Array.isArray(catalogue) ? catalogue[Number(index)] : undefined;
  const isNamed = typeof entry === 'object' && entry !== null && 'controller' in entry;
  const name = isNamed ? String(entry.controller) : `entry ${Number(index ?? 0) + 1}`;
  const path = fields.map(field => (/^\d+$/.test(field) ? `[${field}]` : `.${field}`)).join('');
  const place = path.replace(/^\./, '');
  const within = place === '' ? '' : `${place}.`;
  switch (error.keyword) {
    case 'required':
      return `${name}: ${within}${error.params['missingProperty']} is missing`;
    case 'additionalProperties':
      return `${name}: ${within}${error.params['additionalProperty']} is no field; those are ${Object.keys(error.parentSchema?.['properties']).join(', ')}`;
    case 'enum':
      return `${name}: ${place} is ${JSON.stringify(error.data)}; it must be one of ${error.params['allowedValues'].join(', ')}`;
    case 'pattern':
      return `${name}: ${place} is ${JSON.stringify(error.data)}; ${path.endsWith(']') ? 'a name has no spaces, | or backquotes' : faultOf(String(error.data))}`;
    case 'type':
      return `${name}: ${place || 'it'} must be ${error.params['type'] === 'array' ? 'a list: [one, another]' : `one ${error.params['type']}`}`;
    default:
      return `${name}: ${place || 'it'} ${error.message}`;
  }
}

function faultOf(clause: string): string {
  if (clause.includes('\n')) return 'it must be one line';
  if (clause.includes('|')) return 'it must not contain |';
  return clause.endsWith('.')
    ? 'it must not end with a full stop'
    : 'it must be words, without spaces around them';
}

/** A line for each controller. */
export function catalogueJson(catalogue: readonly CatalogueEntry[]): string {
  return `[\n${catalogue.map(each => JSON.stringify(each)).join(',\n')}\n]\n`;
}

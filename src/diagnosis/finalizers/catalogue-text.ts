/**
 * Validates a finalizer catalogue in YAML: the built-in one at build time, users' at start. Separate, because most
 * starts need neither YAML nor a schema.
 */

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type CatalogueEntry, LocatedYaml, YamlFault } from '../../model/index.ts';
import schema from './catalogue.schema.json' with { type: 'json' };

const validate = new Ajv2020({ allErrors: true, verbose: true }).compile<readonly CatalogueEntry[]>(schema);

export class CatalogueError extends Error {
  /** Faults in file order: `line 12: Argo CD: finalizers[0].cost is missing`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Throws a `CatalogueError` with the line, entry, field and allowed values of every fault. */
export function parseCatalogue(yaml: string): readonly CatalogueEntry[] {
  const { content: catalogue, lineOf } = located(yaml);
  if (!validate(catalogue))
    throw faultsInOrder(
      toldOf(validate.errors ?? []).map(error => {
        const path = pathOf(error);
        return [lineOf(path), explained(error, path, catalogue)];
      }),
    );
  const faults = repeatedNames(catalogue, lineOf);
  if (faults.length > 0) throw faultsInOrder(faults);
  return catalogue;
}

type Fault = readonly [line: number, what: string];

function faultsInOrder(faults: readonly Fault[]): CatalogueError {
  const inOrder = faults.toSorted(([one], [other]) => one - other);
  return new CatalogueError(inOrder.map(([line, what]) => `line ${line}: ${what}`));
}

/** Reports one error if no alternative fits, instead of one for each. */
function toldOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const undecided = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .map(({ instancePath }) => instancePath);
  return errors.filter(
    ({ schemaPath, instancePath }) =>
      !schemaPath.includes('/anyOf/') &&
      !(undecided.includes(instancePath) && !schemaPath.startsWith('#/items/')),
  );
}

function located(yaml: string): LocatedYaml {
  try {
    return LocatedYaml.read(yaml);
  } catch (error) {
    if (error instanceof YamlFault) throw new CatalogueError([error.message]);
    throw error;
  }
}

function repeatedNames(
  catalogue: readonly CatalogueEntry[],
  lineOf: (path: readonly (string | number)[]) => number,
): Fault[] {
  const seen = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, { controller, finalizers = [] }] of catalogue.entries())
    for (const [place, { names }] of finalizers.entries())
      for (const [which, name] of names.entries()) {
        const other = seen.get(name);
        if (other !== undefined)
          faults.push([
            lineOf([index, 'finalizers', place, 'names', which]),
            `${controller}: names has ${name}, which ${other} has already`,
          ]);
        seen.set(name, controller);
      }
  return faults;
}

function pathOf({ instancePath }: ErrorObject): readonly (string | number)[] {
  return instancePath
    .split('/')
    .slice(1)
    .map(field => (/^\d+$/.test(field) ? Number(field) : field));
}

function explained(error: ErrorObject, path: readonly (string | number)[], catalogue: unknown): string {
  const [index, ...fields] = path;
  if (index === undefined) return 'a catalogue is a list of controllers: `- controller: …`';
  const entry: unknown = Array.isArray(catalogue) ? catalogue[Number(index)] : undefined;
  const isNamed = typeof entry === 'object' && entry !== null && 'controller' in entry;
  const name = isNamed ? String(entry.controller) : `entry ${Number(index) + 1}`;
  const written = fields.map(field => (typeof field === 'number' ? `[${field}]` : `.${field}`)).join('');
  const place = written.replace(/^\./, '');
  const within = place === '' ? '' : `${place}.`;
  switch (error.keyword) {
    case 'required':
      return `${name}: ${within}${error.params['missingProperty']} is missing`;
    case 'additionalProperties':
      return `${name}: ${within}${error.params['additionalProperty']} is no field; those are ${Object.keys(error.parentSchema?.['properties']).join(', ')}`;
    case 'enum':
      return `${name}: ${place} is ${JSON.stringify(error.data)}; it must be one of ${error.params['allowedValues'].join(', ')}`;
    case 'pattern':
      return `${name}: ${place} is ${JSON.stringify(error.data)}; ${written.endsWith(']') ? 'a name has no spaces, | or backquotes' : faultOf(String(error.data))}`;
    case 'type':
      return `${name}: ${place || 'it'} must be ${error.params['type'] === 'array' ? 'a list: [one, another]' : `one ${error.params['type']}`}`;
    case 'anyOf':
      return place === ''
        ? `${name}: finalizers or manages is missing`
        : `${name}: ${place} must be own, {label: KEY} or {annotation: KEY}`;
    case 'minItems':
      return `${name}: ${place} is empty`;
    default:
      return `${name}: ${place || 'it'} ${error.message}`;
  }
}

function faultOf(clause: string): string {
  if (clause.includes('\n')) return 'it must be one line';
  if (clause.includes('|')) return 'it must not contain |';
  return clause.endsWith('.')
    ? 'it must not end with a full stop'
    : 'it must be words, without control characters and without spaces around them';
}

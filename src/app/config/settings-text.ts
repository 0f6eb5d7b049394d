/** Parses `config.yaml` by its schema. Separate, because most starts read neither YAML nor a schema. */

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { LocatedYaml, YamlFault, type YamlPath } from '../../model/index.ts';
import { columnFaults, type WrittenColumn } from '../settings/chosen-columns.ts';
import { type Settings, SettingsError, type SettingsFault } from '../settings/settings.ts';
import { templateFaults } from '../settings/templates.ts';
import { views } from '../views/registry.ts';
import { keyFaults } from './own-keys.ts';
import schema from './settings.schema.json' with { type: 'json' };

const view = { enum: views.map(({ id }) => id) };

const validate = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true }).compile<Settings>({
  ...schema,
  $defs: { ...schema.$defs, view },
});

/** Throws a `SettingsError` with the first fault and the number of others. */
export function parseSettings(yaml: string): Settings {
  const { content, lineOf } = located(yaml);
  // The file has only comments.
  if (content === null || content === undefined) return {};
  if (!validate(content)) throw told(schemaFaults(validate.errors ?? []), lineOf);
  const faults = [...keyFaults(content), ...templateFaults(content), ...faultsOfColumns(content)];
  if (faults.length > 0) throw told(faults, lineOf);
  return content;
}

function faultsOfColumns({ columns, views: saved = {} }: Settings): readonly SettingsFault[] {
  const lists: (readonly [YamlPath, readonly WrittenColumn[] | undefined])[] = [
    [['columns'], columns],
    ...Object.entries(saved).map(([name, each]) => [['views', name, 'columns'], each.columns] as const),
  ];
  return lists.flatMap(([path, written = []]) =>
    columnFaults(written).map(([place, what]) => [[...path, place], `${path.join('.')}: ${what}`] as const),
  );
}

function located(yaml: string): ReturnType<typeof LocatedYaml.read> {
  try {
    return LocatedYaml.read(yaml);
  } catch (error) {
    throw error instanceof YamlFault ? new SettingsError(error.message) : error;
  }
}

function told(faults: readonly SettingsFault[], lineOf: (path: YamlPath) => number): SettingsError {
  const [first, ...more] = faults
    .map(([path, what]) => [lineOf(path), what] as const)
    .toSorted(([one], [other]) => one - other);
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return new SettingsError(first === undefined ? 'it is wrong' : `line ${first[0]}: ${first[1]}${others}`);
}

function schemaFaults(errors: readonly ErrorObject[]): readonly SettingsFault[] {
  // If no alternative fits, one fault is enough.
  return errors
    .filter(({ schemaPath, keyword }) => !/\/anyOf\/\d/u.test(schemaPath) && keyword !== 'propertyNames')
    .map(error => {
      const path = error.instancePath.split('/').slice(1);
      const field: unknown = error.params['additionalProperty'];
      return [typeof field === 'string' ? [...path, field] : path, explained(error, path.join('.'))];
    });
}

function explained({ keyword, params, parentSchema, data, message }: ErrorObject, place: string): string {
  const what = place === '' ? 'the file' : place;
  switch (keyword) {
    case 'additionalProperties': {
      const fields = Object.keys(parentSchema?.['properties'] ?? {}).join(', ');
      return `${place === '' ? '' : `${place}.`}${params['additionalProperty']} is no field; those are ${fields}`;
    }
    case 'required':
      return `${what}: ${params['missingProperty']} is missing`;
    case 'pattern':
      return `${what} is ${JSON.stringify(data)}; a name has small letters, digits and -, at most 40`;
    case 'enum':
      return `${what} is ${JSON.stringify(data)}; it must be one of ${params['allowedValues'].join(', ')}`;
    case 'anyOf':
      return `${what} must be a key, or a list of keys: [x, ctrl-x]`;
    case 'type':
      return `${what} must be ${wanted(params['type'])}`;
    case 'minimum':
    case 'maximum':
      return `${what} is ${JSON.stringify(data)}; it must be ${params['comparison']} ${params['limit']}`;
    default:
      return `${what} ${message}`;
  }
}

function wanted(type: string | readonly string[]): string {
  if (type === 'array') return 'a list: [one, another]';
  return typeof type === 'string'
    ? `one ${type}`
    : 'a name, or a name with how it looks: { column: uid, wide: true }';
}

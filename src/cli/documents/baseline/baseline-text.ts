/** Parses and validates a baseline in YAML; separate, because most runs of `check` read none. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { LocatedYaml, YamlFault, type YamlPath } from '../../../model/index.ts';
import type { BaselineEntry } from '../definitions.ts';
import { readSchema } from '../schemas.ts';

/** A one-line error with its line, for the baseline's author. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

const validate = new Ajv2020().compile<{ readonly findings: readonly BaselineEntry[] }>(
  readSchema('baseline.schema.json'),
);

/** Throws a `BaselineError`. */
export function parseBaseline(text: string): readonly BaselineEntry[] {
  const { content, lineOf } = located(text);
  if (!validate(content)) {
    const [error] = validate.errors ?? [];
    const path = error === undefined ? [] : pathOf(error);
    throw new BaselineError(
      `line ${lineOf(path)}: ${error === undefined ? 'wrong' : explained(error, path)}`,
    );
  }
  for (const [index, { expires }] of content.findings.entries()) {
    if (isDay(expires)) continue;
    const path = ['findings', index, 'expires'];
    throw new BaselineError(`line ${lineOf(path)}: ${written(path)} is ${expires}, and there is no such day`);
  }
  return content.findings;
}

function located(text: string): ReturnType<typeof LocatedYaml.read> {
  try {
    return LocatedYaml.read(text);
  } catch (error) {
    if (error instanceof YamlFault) throw new BaselineError(error.message.replace(/\.$/u, ''));
    throw error;
  }
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function pathOf({ instancePath }: ErrorObject): YamlPath {
  return instancePath
    .split('/')
    .slice(1)
    .map(field => (/^\d+$/u.test(field) ? Number(field) : field));
}

function written(path: YamlPath): string {
  return path
    .map(field => (typeof field === 'number' ? `[${field}]` : `.${field}`))
    .join('')
    .replace(/^\./u, '');
}

function explained({ keyword, params, data, message }: ErrorObject, path: YamlPath): string {
  const place = written(path);
  const within = place === '' ? '' : `${place}.`;
  switch (keyword) {
    case 'required':
      return `${within}${params['missingProperty']} is missing`;
    case 'additionalProperties':
      return `${within}${params['additionalProperty']} is no field; those are id, severity, reason and expires`;
    case 'const':
      return `${place} must be ${params['allowedValue']}`;
    case 'enum':
      return `${place} must be error, warning or info`;
    case 'pattern':
      if (place.endsWith('.expires')) return `${place} must be a day: 2027-01-31`;
      if (place.endsWith('.reason')) return `${place} is empty`;
      return `${place} must be the id of a finding, as check -o json prints it: CODE/KIND/NAMESPACE/NAME`;
    case 'type':
      if (place === '') return 'a baseline has apiVersion, kind and findings';
      return `${place} must be ${params['type'] === 'array' ? 'a list' : `a ${params['type']}, and is ${JSON.stringify(data)}`}`;
    default:
      return `${place} ${message}`;
  }
}

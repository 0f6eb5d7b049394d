/**
 * The live object as YAML for reading: Secret data never gets past here, managed fields are left out because
 * they bury everything else.
 */
import type { JsonObject } from '../source/source.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span } from '../text/style.ts';

type Lines = readonly (readonly Span[])[];

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields of a Secret whose values are secret; its metadata may repeat them in the last applied manifest. */
const secretFields = ['data', 'stringData'];

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy without managed fields, and without what a Secret keeps. */
export function redacted(object: JsonObject): JsonObject {
  const copy: Record<string, unknown> = { ...object };
  const secret = object['kind'] === 'Secret';
  const { metadata } = object;
  if (isRecord(metadata)) {
    const { managedFields: _bulky, ...rest } = metadata;
    const annotations = rest['annotations'];
    copy['metadata'] =
      secret && isRecord(annotations) && LAST_APPLIED in annotations
        ? { ...rest, annotations: { ...annotations, [LAST_APPLIED]: '(hidden)' } }
        : rest;
  }
  if (!secret) return copy;
  for (const field of secretFields) {
    const values = copy[field];
    if (values === undefined || values === null) continue;
    // Even the length of a value says something about it.
    copy[field] = isRecord(values)
      ? Object.fromEntries(Object.keys(values).map(key => [key, '(hidden)']))
      : '(hidden)';
  }
  return copy;
}

/** YAML lines, coloured by key and value. `undefined` is an object that is gone. */
export async function liveObjectLines(object: JsonObject | undefined): Promise<Lines> {
  if (object === undefined) return [[{ text: 'The object does not exist any more.', style: 'warning' }]];
  const { toYaml } = await import('./to-yaml.ts');
  return toYaml(redacted(object)).trimEnd().split('\n').map(yamlLine);
}

function yamlLine(line: string): readonly Span[] {
  const clean = sanitise(line);
  const key = /^(\s*(?:- )*)([^\s:#"'][^:]*:)(?= |$)/u.exec(clean);
  if (key === null) return [{ text: clean, style: 'plain' }];
  const [whole, indent = '', name = ''] = key;
  return [
    { text: indent, style: 'plain' },
    { text: name, style: 'info' },
    { text: clean.slice(whole.length), style: 'plain' },
  ];
}

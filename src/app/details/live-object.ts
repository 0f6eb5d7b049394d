/**
 * The live object as YAML for reading: Secret data never gets past here, managed fields are left out because
 * they bury everything else.
 */
import { record } from '../../model/json/json.ts';
import { withoutSecrets } from '../../model/secret.ts';
import type { JsonObject } from '../../source/source.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Span } from '../../text/terminal/style.ts';

type Lines = readonly (readonly Span[])[];

/** A copy without managed fields, and without what a Secret keeps. */
export function redacted(object: JsonObject): JsonObject {
  const shown = withoutSecrets(object, 'hidden');
  if (shown['metadata'] === undefined) return shown;
  const { managedFields: _bulky, ...metadata } = record(shown['metadata']);
  return { ...shown, metadata };
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

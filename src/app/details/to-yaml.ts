/** The YAML writer, in a module of its own so that it is loaded with the first document that is shown. */
import { stringify } from 'yaml';
import type { JsonObject } from '../../source/source.ts';

/** Lines aren't folded: a wrapped value cannot be searched for or copied. */
export function toYaml(object: JsonObject): string {
  return stringify(object, { lineWidth: 0 });
}

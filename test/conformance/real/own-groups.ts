/**
 * A scenario with API groups of its own in place of those that it defines, so that many runs of it, and others with the
 * same names, share a cluster: definitions cannot be prefixed as other objects are.
 */
import { record, text } from '../../../src/model/json/json.ts';
import { manifestsOf, type Scenario } from '../../../src/source/demo/scenario.ts';

/** `tag` is a DNS label. Wherever a group stands, in finalizers too, the tag is put before it. */
export function withOwnGroups(scenario: Scenario, tag: string): Scenario {
  const groups = new Set<string>();
  for (const { kind, spec } of manifestsOf(scenario).values()) {
    if (kind === 'CustomResourceDefinition') groups.add(text(record(spec)['group']));
  }
  if (groups.size === 0) return scenario;
  const { title, about, ...rest } = scenario;
  const replaced = [...groups].reduce((value, group) => prefixed(value, group, tag), rest as unknown);
  // The same fields with other texts in them.
  return { title, ...(about === undefined ? {} : { about }), ...(replaced as typeof rest) };
}

function prefixed(value: unknown, group: string, tag: string): unknown {
  if (typeof value === 'string') {
    const pattern = new RegExp(
      `(?<![\\w.-])((?:[\\w-]+\\.)?)${group.replaceAll('.', '\\.')}(?![\\w.-])`,
      'gu',
    );
    return value.replace(pattern, `$1${tag}.${group}`);
  }
  if (Array.isArray(value)) return value.map(each => prefixed(each, group, tag));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, prefixed(each, group, tag)]));
}

/**
 * An object of the demo as the API server would show it in full: what it is now over what it was made from, so
 * that a person sees images and schedules too, of which the simulation knows nothing.
 */
import type { Facts } from '../../../model/facts/facts.ts';
import { factsFromJson } from '../../../model/json/from-json.ts';
import { type JsonRecord, record } from '../../../model/json/json.ts';
import { objectToJson } from '../../../model/json/to-json.ts';
import type { KubeObject } from '../../../model/object.ts';
import { equalValues } from '../../../simulation/api/revise.ts';

/** `manifest`: what it was made from, or what its template says. */
export function fullJson(object: KubeObject, manifest: JsonRecord | undefined): JsonRecord {
  const now = objectToJson(object);
  if (manifest === undefined) return now;
  const annotations = record(manifest['metadata'])['annotations'];
  const { status: _status, spec: _spec, ...rest } = manifest;
  const spec = fullSpec(object, record(manifest['spec']), now);
  return {
    ...rest,
    ...now,
    metadata: { ...record(now['metadata']), ...(annotations === undefined ? {} : { annotations }) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

/** Each field as the manifest has it, as long as the facts read from it are the object's own. */
function fullSpec(object: KubeObject, given: JsonRecord, now: JsonRecord): JsonRecord {
  const rendered = record(now['spec']);
  const factsOf = (spec: JsonRecord): Facts | undefined => factsFromJson(object.type, { ...now, spec });
  const isTrue = (spec: JsonRecord): boolean => equalValues(factsOf(spec), object.facts);
  let spec: JsonRecord = rendered;
  for (const [key, value] of Object.entries(given)) {
    const candidate = { ...spec, [key]: value };
    if (isTrue(candidate)) spec = candidate;
  }
  return spec;
}

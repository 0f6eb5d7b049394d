/**
 * Objects from the API server's JSON: files, recordings, the demo, and API servers that speak no protobuf.
 * Yields what the protobuf decoders yield for the same object.
 */

import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../object.ts';
import type { ResourceType } from '../types/resource-type.ts';
import { factsFromJson } from './facts-from-json.ts';
import { integer, type JsonRecord, list, pairs, record, text, texts, time } from './json.ts';

// The two brands of object.ts are put on here, where identifiers enter the program.
function uid(value: unknown): Uid {
  return text(value) as Uid;
}

function optionalBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The references in order; an entry without a uid cannot be followed and is skipped. */
function owners(value: unknown): readonly OwnerReference[] {
  const found: OwnerReference[] = [];
  for (const each of list(value)) {
    const reference = record(each);
    const owner = uid(reference['uid']);
    if (owner === '') continue;
    found.push({
      apiVersion: text(reference['apiVersion']),
      kind: text(reference['kind']),
      name: text(reference['name']),
      uid: owner,
      controller: optionalBoolean(reference['controller']),
      blockOwnerDeletion: optionalBoolean(reference['blockOwnerDeletion']),
    });
  }
  return found;
}

/**
 * The object, or undefined where it has no name or no uid and so cannot stand in a graph. Fields of the wrong
 * type count as missing; nothing throws. A namespace on a cluster-scoped type is ignored, as the API server
 * does.
 */
export function objectFromJson(type: ResourceType, json: JsonRecord): KubeObject | undefined {
  const metadata = record(json['metadata']);
  const name = text(metadata['name']);
  const id = uid(metadata['uid']);
  if (name === '' || id === '') return undefined;
  return new KubeObject({
    type,
    namespace: type.namespaced ? text(metadata['namespace']) : '',
    name,
    uid: id,
    resourceVersion: text(metadata['resourceVersion']) as ResourceVersion,
    generation: integer(metadata['generation']),
    creationTimestamp: time(metadata['creationTimestamp']),
    deletionTimestamp: time(metadata['deletionTimestamp']),
    deletionGracePeriodSeconds: integer(metadata['deletionGracePeriodSeconds']),
    finalizers: texts(metadata['finalizers']),
    owners: owners(metadata['ownerReferences']),
    labels: pairs(metadata['labels']),
    facts: factsFromJson(type, json),
  });
}

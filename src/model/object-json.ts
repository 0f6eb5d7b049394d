/** Objects from the API server's JSON, equal to what `kube/wire` reads from protobuf, and back. */
import { keptOf } from './annotations.ts';
import { factsJson } from './facts/facts-json.ts';
import {
  integer,
  isoTime,
  type JsonRecord,
  labelsToJson,
  list,
  pairs,
  record,
  text,
  texts,
  time,
} from './json/json.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from './object.ts';
import type { ResourceType } from './types/resource-type.ts';

// The two brands of object.ts are applied here, because identifiers enter the program here.
function uid(value: unknown): Uid {
  return text(value) as Uid;
}

/** Skips references without a uid: those cannot be followed. */
function ownersFromJson(value: unknown): readonly OwnerReference[] {
  return list(value).flatMap(each => {
    const { apiVersion, kind, name, uid: id, controller, blockOwnerDeletion } = record(each);
    if (uid(id) === '') return [];
    return {
      apiVersion: text(apiVersion),
      kind: text(kind),
      name: text(name),
      uid: uid(id),
      controller: typeof controller === 'boolean' ? controller : undefined,
      blockOwnerDeletion: typeof blockOwnerDeletion === 'boolean' ? blockOwnerDeletion : undefined,
    };
  });
}

/** Returns undefined without a name or uid. Fields of the wrong type count as missing; nothing throws. */
function objectFromJson(type: ResourceType, json: JsonRecord): KubeObject | undefined {
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
    owners: ownersFromJson(metadata['ownerReferences']),
    labels: pairs(metadata['labels']),
    annotations: keptOf(pairs(metadata['annotations'])),
    facts: factsJson.read(type, json),
  });
}

function objectToJson(object: KubeObject): JsonRecord {
  const { type, facts } = object;
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: metadataToJson(object),
    ...(facts && factsJson.write(type, facts)),
  };
}

function metadataToJson(object: KubeObject): JsonRecord {
  const { creationTimestamp, deletionTimestamp, generation, finalizers, owners } = object;
  return withoutUndefined({
    name: object.name,
    namespace: object.namespace || undefined,
    uid: object.uid,
    resourceVersion: object.resourceVersion || undefined,
    generation: generation || undefined,
    creationTimestamp: creationTimestamp === 0 ? undefined : isoTime(creationTimestamp),
    deletionTimestamp: deletionTimestamp === undefined ? undefined : isoTime(deletionTimestamp),
    deletionGracePeriodSeconds: object.deletionGracePeriodSeconds,
    labels: labelsToJson(object.labels),
    annotations: labelsToJson(object.annotations),
    finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    ownerReferences: owners.length === 0 ? undefined : owners.map(owner => withoutUndefined({ ...owner })),
  });
}

function withoutUndefined(value: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

export const objectJson = { write: objectToJson, read: objectFromJson, readOwners: ownersFromJson };

/**
 * Objects back as the API server's JSON, for sources that hold objects and facts and are asked for the whole
 * thing. What `from-json.ts` doesn't keep isn't there; what it keeps comes back alike.
 */

import type { KubeObject, OwnerReference } from '../object.ts';
import { factsToJson, isoTime, labelsToJson, withoutUndefined } from './facts-to-json.ts';
import type { JsonRecord } from './json.ts';

/** apiVersion, kind, metadata, and `spec` and `status` as far as the facts tell. */
export function objectToJson(object: KubeObject): JsonRecord {
  return {
    apiVersion: object.type.apiVersion,
    kind: object.type.kind,
    metadata: metadataToJson(object),
    ...factsToJson(object.type.kind, object.facts),
  };
}

/** `metadata` alone: everything that ownership and deletion rest on. */
function metadataToJson(object: KubeObject): JsonRecord {
  const { creationTimestamp, deletionTimestamp, generation, labels, finalizers, owners } = object;
  return withoutUndefined({
    name: object.name,
    namespace: object.namespace === '' ? undefined : object.namespace,
    uid: object.uid,
    resourceVersion: object.resourceVersion === '' ? undefined : object.resourceVersion,
    generation: generation === 0 ? undefined : generation,
    creationTimestamp: creationTimestamp === 0 ? undefined : isoTime(creationTimestamp),
    deletionTimestamp: deletionTimestamp === undefined ? undefined : isoTime(deletionTimestamp),
    deletionGracePeriodSeconds: object.deletionGracePeriodSeconds,
    labels: labelsToJson(labels),
    finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    ownerReferences: owners.length === 0 ? undefined : owners.map(ownerToJson),
  });
}

function ownerToJson(owner: OwnerReference): JsonRecord {
  return withoutUndefined({ ...owner });
}

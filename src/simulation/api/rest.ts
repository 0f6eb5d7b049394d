/**
 * The simulated API server as an HTTP API, for this product's requests only. JSON Patches work like evanphx/json-patch
 * (apiserver pkg/endpoints/handlers/patch.go, v0.36: any operation that fails is answered with 422).
 */

import {
  type ActAnswer,
  ActRequest,
  type Facts,
  factsJson,
  isEqualData,
  type JsonRecord,
  joinApiVersion,
  type KubeObject,
  list,
  objectJson,
  type RequestPlace,
  type ResourceType,
  type ResourceVersion,
  record,
  text,
  type Uid,
} from '../../model/index.ts';
import {
  type ApiAnswer,
  type ApiClient,
  type DeleteOptions,
  type ObjectChange,
  refusal,
  type WriteOptions,
} from './api-client.ts';
import type { ObjectKey } from './object-store.ts';

export interface RestOptions {
  readonly types: readonly ResourceType[];
  readonly dryRun?: boolean;
  /** The uid of an object that a POST makes; chosen by the API server by default. */
  readonly newUid?: Uid;
}

function playRequest(api: ApiClient, request: ActRequest, options: RestOptions): ActAnswer {
  return answered(play(api, request, options));
}

function play(api: ApiClient, request: ActRequest, options: RestOptions): ApiAnswer {
  const place = ActRequest.placeOf(request.path);
  const type = place && typeAt(place, options.types);
  if (place === undefined || type === undefined) {
    return refusal(404, 'NotFound', 'the server could not find the requested resource');
  }
  const { dryRun = false, newUid } = options;
  const target = { type, namespace: place.namespace, name: place.name };
  switch (request.method) {
    case 'DELETE':
      return api.delete(target, { ...deleteOptions(record(request.body)), dryRun });
    case 'PATCH':
      if (request.contentType !== 'application/json-patch+json') break;
      return tryPatch(api, target, list(request.body) as readonly Operation[], { dryRun });
    case 'POST': {
      const object = objectJson.read(type, {
        ...record(request.body),
        metadata: { ...record(record(request.body)['metadata']), namespace: place.namespace, uid: 'unset' },
      });
      if (object === undefined) break;
      const { uid: _uid, resourceVersion: _version, ...draft } = object;
      return api.create(newUid === undefined ? draft : { ...draft, uid: newUid }, { dryRun });
    }
    case 'PUT':
      if (place.subresource === 'finalize') return tryFinalize(api, target, request.body, { dryRun });
  }
  return refusal(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
}

function typeAt(
  { group, version, resource }: RequestPlace,
  types: readonly ResourceType[],
): ResourceType | undefined {
  const apiVersion = joinApiVersion(group, version);
  return types.find(each => each.apiVersion === apiVersion && each.resource === resource);
}

function deleteOptions(body: JsonRecord): DeleteOptions {
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions } = body;
  const { uid, resourceVersion } = record(preconditions);
  return {
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    preconditions: {
      ...(text(uid) === '' ? {} : { uid: text(uid) as Uid }),
      ...(text(resourceVersion) === '' ? {} : { resourceVersion: text(resourceVersion) as ResourceVersion }),
    },
  };
}

function answered(answer: ApiAnswer): ActAnswer {
  if (answer.ok) return { status: answer.status, body: objectJson.write(answer.object) };
  const { status, message, reason } = answer;
  return {
    status,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status },
  };
}

export type Operation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

function tryPatch(
  api: ApiClient,
  object: ObjectKey,
  operations: readonly Operation[],
  options: WriteOptions = {},
): ApiAnswer {
  const found = api.get(object);
  if (!found.ok) return found;
  const patched = applyOperations(documentOf(found.object), operations);
  if (typeof patched === 'string') {
    return refusal(422, 'Invalid', patched);
  }
  return api.patch(object, changeTo(found.object, patched), options);
}

/** Answers a PUT to a Namespace's subresource `finalize`, which keeps the status. */
function tryFinalize(
  api: ApiClient,
  target: ObjectKey,
  body: unknown,
  options: WriteOptions = {},
): ApiAnswer {
  const found = api.get(target);
  if (!found.ok) return found;
  const { facts, type } = found.object;
  const sent = objectJson.read(type, record(body));
  if (sent?.facts?.kind !== 'Namespace' || facts?.kind !== 'Namespace')
    return refusal(404, 'NotFound', 'the server could not find the requested resource');
  const { uid, resourceVersion, labels, owners, finalizers } = sent;
  const { specFinalizers } = sent.facts;
  const change = { uid, resourceVersion, labels, owners, finalizers, facts: { ...facts, specFinalizers } };
  return api.update(found.object.with(change), { ...options, subresource: 'finalize' });
}

function documentOf(object: KubeObject): JsonRecord {
  const { name, uid, resourceVersion, finalizers, owners, facts, type } = object;
  const metadata = {
    name,
    uid,
    resourceVersion,
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(owners.length === 0 ? {} : { ownerReferences: asSent(owners) }),
  };
  return { metadata, spec: specOf(type, facts) };
}

function specOf(type: ResourceType, facts: Facts | undefined): JsonRecord {
  if (facts?.kind !== 'Node' && facts?.kind !== 'Workload' && facts?.kind !== 'PersistentVolume') return {};
  const spec = record(factsJson.write(type, facts)['spec']);
  const { taints, persistentVolumeClaimRetentionPolicy, persistentVolumeReclaimPolicy, claimRef } = spec;
  return record(
    asSent({ taints, persistentVolumeClaimRetentionPolicy, persistentVolumeReclaimPolicy, claimRef }),
  );
}

/** Drops undefined fields. */
function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function changeTo(before: KubeObject, document: JsonRecord): ObjectChange {
  const after = objectJson.read(before.type, document);
  return {
    owners: after?.owners ?? [],
    finalizers: after?.finalizers ?? [],
    ...(before.facts === undefined ? {} : { facts: factsWith(before.facts, after?.facts) }),
  };
}

function factsWith(facts: Facts, patched: Facts | undefined): Facts {
  if (facts.kind === 'Node' && patched?.kind === 'Node') return { ...facts, taints: patched.taints };
  if (facts.kind === 'PersistentVolume' && patched?.kind === 'PersistentVolume') {
    const { reclaimPolicy, claimNamespace, claimName, claimUid } = patched;
    return { ...facts, reclaimPolicy, claimNamespace, claimName, claimUid };
  }
  if (facts.kind !== 'Workload' || patched?.kind !== 'Workload') return facts;
  const { claimsWhenDeleted, claimsWhenScaled } = patched;
  return { ...facts, claimsWhenDeleted, claimsWhenScaled };
}

/** Returns the patched document, or the error of an operation. The given document stays unchanged. */
export function applyOperations(document: unknown, operations: readonly Operation[]): JsonRecord | string {
  let result: unknown = document;
  for (const operation of operations) {
    const keys = operation.path.split('/').slice(1).map(unescaped);
    try {
      result = applied(result, keys, operation);
    } catch (error) {
      if (!(error instanceof PatchRefused)) throw error;
      return `the server rejected our request due to an error in our request: ${operation.op} ${operation.path}: ${error.message}`;
    }
  }
  return record(result);
}

class PatchRefused extends Error {}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function applied(value: unknown, keys: readonly string[], operation: Operation): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) throw new PatchRefused('it has no path');
  if (Array.isArray(value)) return appliedToList(value, keys, operation);
  if (typeof value !== 'object' || value === null) throw new PatchRefused('there is no such field');
  const fields = record(value);
  if (rest.length > 0) return { ...fields, [key]: applied(fields[key], rest, operation) };
  const exists = Object.hasOwn(fields, key);
  if (operation.op === 'test') {
    tested(fields[key], operation.value);
    return value;
  }
  if (operation.op !== 'add' && !exists) throw new PatchRefused('there is no such field');
  if (operation.op !== 'remove') return { ...fields, [key]: operation.value };
  const { [key]: _, ...others } = fields;
  return others;
}

function appliedToList(
  items: readonly unknown[],
  [key = '', ...rest]: readonly string[],
  operation: Operation,
): unknown {
  if (rest.length === 0 && operation.op === 'add' && key === '-') return [...items, operation.value];
  const index = /^(?:0|[1-9]\d*)$/u.test(key) ? Number(key) : -1;
  const inserts = rest.length === 0 && operation.op === 'add' && index === items.length;
  if (index < 0 || (index >= items.length && !inserts)) throw new PatchRefused('there is no such element');
  if (rest.length > 0) return items.with(index, applied(items[index], rest, operation));
  switch (operation.op) {
    case 'test':
      tested(items[index], operation.value);
      return items;
    case 'replace':
      return items.with(index, operation.value);
    case 'add':
      return items.toSpliced(index, 0, operation.value);
    case 'remove':
      return items.toSpliced(index, 1);
  }
}

function tested(actual: unknown, wanted: unknown): void {
  if (!isEqualData(actual, wanted === undefined ? undefined : asSent(wanted)))
    throw new PatchRefused('the value is another');
}

export const Operation = { tryPatch, tryFinalize };

export const restRequests = { play, playRequest };

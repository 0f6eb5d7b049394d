/**
 * The simulated API server as HTTP clients reach it: a method, a path and a JSON body. Only what this product
 * sends is understood: DELETE with options, JSON Patches, and objects that are created; anything else is refused.
 */
import { type ActAnswer, type ActRequest, placeOf, type RequestPlace } from '../../model/exchange/act.ts';
import { objectFromJson } from '../../model/json/from-json.ts';
import { type JsonRecord, list, record, text } from '../../model/json/json.ts';
import { objectToJson } from '../../model/json/to-json.ts';
import type { ResourceVersion, Uid } from '../../model/object.ts';
import { joinApiVersion, type ResourceType } from '../../model/types/resource-type.ts';
import { type Operation, tryPatch } from './json-patch.ts';
import type { ApiAnswer, ApiClient, ApiRefusal, DeleteOptions } from './types.ts';

export interface RestOptions {
  readonly types: readonly ResourceType[];
  readonly dryRun?: boolean;
  /** Of an object that a POST makes; the API server's own choice unless told. */
  readonly newUid?: Uid;
}

/** As HTTP answers. */
export function playRequest(api: ApiClient, request: ActRequest, options: RestOptions): ActAnswer {
  return answered(play(api, request, options));
}

/** As the simulation answers. */
export function play(api: ApiClient, request: ActRequest, options: RestOptions): ApiAnswer {
  const place = placeOf(request.path);
  const type = place && typeAt(place, options.types);
  if (place === undefined || type === undefined) {
    return refused(404, 'NotFound', 'the server could not find the requested resource');
  }
  const { dryRun = false, newUid } = options;
  return playAt(api, { request, place, type, dryRun, newUid });
}

interface Played {
  readonly request: ActRequest;
  readonly place: RequestPlace;
  readonly type: ResourceType;
  readonly dryRun: boolean;
  readonly newUid: Uid | undefined;
}

function playAt(api: ApiClient, { request, place, type, dryRun, newUid }: Played): ApiAnswer {
  const target = { type, namespace: place.namespace, name: place.name };
  switch (request.method) {
    case 'DELETE':
      return api.delete(target, { ...deleteOptions(record(request.body)), dryRun });
    case 'PATCH':
      if (request.contentType !== 'application/json-patch+json') break;
      return tryPatch(api, target, list(request.body) as readonly Operation[], { dryRun });
    case 'POST': {
      const object = objectFromJson(type, {
        ...record(request.body),
        metadata: { ...record(record(request.body)['metadata']), namespace: place.namespace, uid: 'unset' },
      });
      if (object === undefined) break;
      const { uid: _uid, resourceVersion: _version, ...draft } = object;
      return api.create(newUid === undefined ? draft : { ...draft, uid: newUid }, { dryRun });
    }
    case 'PUT':
  }
  return refused(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
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

function refused(status: ApiRefusal['status'], reason: ApiRefusal['reason'], message: string): ApiRefusal {
  return { ok: false, status, reason, message };
}

function answered(answer: ApiAnswer): ActAnswer {
  if (answer.ok) return { status: answer.status, body: objectToJson(answer.object) };
  const { status, message, reason } = answer;
  return {
    status,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status },
  };
}

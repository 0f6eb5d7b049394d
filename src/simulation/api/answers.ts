/** Answers of the API server: their two shapes, and the refusals that do not depend on the request's kind. */
import { type KubeObject, namespacedName, type ResourceVersion } from '../../model/object.ts';
import { groupResource, type ResourceType } from '../../model/types/resource-type.ts';
import type { SimulatedDiscovery } from './discovery.ts';
import type { ApiRefusal, Status, StatusReason, Success } from './types.ts';

const none: readonly string[] = Object.freeze([]);

export function success(object: KubeObject, status: Success['status'] = 200): Success {
  return { ok: true, status, object, removed: false, warnings: none };
}

export function refusal(status: Status, reason: StatusReason, message: string): ApiRefusal {
  return { ok: false, status, reason, message };
}

export function staleVersion(
  current: KubeObject,
  expected: ResourceVersion | undefined,
): ApiRefusal | undefined {
  return expected === undefined || expected === current.resourceVersion
    ? undefined
    : conflict(
        current,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
}

export function conflict(current: KubeObject, detail: string): ApiRefusal {
  return refusal(409, 'Conflict', `Operation cannot be fulfilled on ${describe(current)}: ${detail}`);
}

export function invalid(type: ResourceType, name: string, error: string | undefined): ApiRefusal | undefined {
  return error === undefined
    ? undefined
    : refusal(422, 'Invalid', `${type.kind} "${name}" is invalid: ${error}`);
}

export function describe(object: KubeObject): string {
  return `${groupResource(object.type)} "${namespacedName(object)}"`;
}

/** Why no request on this type can be served now. */
export function unavailable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  switch (discovery.availability(type)) {
    case 'served':
    case 'unlistable':
      return undefined;
    case 'gone':
      return refusal(404, 'NotFound', 'the server could not find the requested resource');
    case 'failing':
      return refusal(500, 'InternalError', `conversion webhook for ${groupResource(type)} failed`);
    case 'undiscoverable':
      return refusal(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
  }
}

export function unlistable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  return discovery.availability(type) === 'unlistable'
    ? refusal(500, 'InternalError', `listing ${groupResource(type)} failed`)
    : undefined;
}

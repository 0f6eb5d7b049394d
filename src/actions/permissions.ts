/**
 * What the user must be allowed for an action, as questions to the API server (SelfSubjectAccessReview), and what
 * its answers mean. A question costs one small request, so equal ones are asked once.
 */

import { type ActAnswer, type ActRequest, placeOf } from '../model/act.ts';
import { record, text } from '../model/json.ts';
import type { OwnerReference } from '../model/object.ts';
import { parseApiVersion } from '../model/resource-type.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';

export interface AccessQuestion {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `''` for what is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /**
   * Only checked by an admission plugin that is off by default (spec §6): a missing permission is told, and the
   * dry run decides.
   */
  readonly onlyWith?: 'OwnerReferencesPermissionEnforcement';
}

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

export function questionsOf(requests: readonly ActRequest[], catalog: TypeCatalog): AccessQuestion[] {
  const found = new Map<string, AccessQuestion>();
  const ask = (question: AccessQuestion): void => {
    const { onlyWith: _, ...key } = question;
    const known = JSON.stringify(key);
    if (!found.has(known)) found.set(known, question);
  };
  for (const request of requests) {
    const place = placeOf(request.path);
    if (place === undefined) continue;
    const { version: _, ...where } = place;
    ask({ verb: verbs[request.method], ...where });
    const references = changedReferences(request);
    if (references === undefined) continue;
    const onlyWith = 'OwnerReferencesPermissionEnforcement';
    ask({ verb: 'delete', ...where, onlyWith });
    for (const { apiVersion, kind, name, blockOwnerDeletion } of references) {
      const type = catalog.resolveKind(apiVersion, kind);
      if (blockOwnerDeletion !== true || type === undefined) continue;
      const { group } = parseApiVersion(apiVersion);
      const namespace = type.namespaced ? place.namespace : '';
      ask({
        verb: 'update',
        group,
        resource: type.resource,
        subresource: 'finalizers',
        namespace,
        name,
        onlyWith,
      });
    }
  }
  return [...found.values()];
}

/** The owner references that a request writes; undefined where it leaves them alone. */
function changedReferences({ body }: ActRequest): readonly OwnerReference[] | undefined {
  const operations = Array.isArray(body) ? (body as readonly unknown[]).map(record) : [];
  const changing = operations.filter(
    each => each['op'] !== 'test' && text(each['path']).startsWith('/metadata/ownerReferences'),
  );
  if (changing.length === 0) return undefined;
  return changing.flatMap(({ value }) => {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return values.filter(each => typeof each === 'object' && each !== null) as readonly OwnerReference[];
  });
}

export function reviewRequest(question: AccessQuestion): ActRequest {
  const { onlyWith: _, ...resourceAttributes } = question;
  return {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    contentType: 'application/json',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
  };
}

/** - `unknown`: the server gave no answer to the question itself; the dry run will tell. */
export type Access = 'allowed' | 'denied' | 'unknown';

export function accessOf({ status, body }: ActAnswer): Access {
  if (status < 200 || status >= 300) return 'unknown';
  const { allowed } = record(record(body)['status']) as { allowed?: unknown };
  return allowed === true ? 'allowed' : 'denied';
}

/** `delete on statefulsets.apps/web in shop` */
export function questionWords({
  verb,
  group,
  resource,
  subresource,
  namespace,
  name,
}: AccessQuestion): string {
  const full = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  return `${verb} on ${full}${name === '' ? '' : ` ${name}`}${where}`;
}

/** Lists an action's permissions as SelfSubjectAccessReviews, without doubles, and reads the answers. */

import {
  type ActAnswer,
  ActRequest,
  list,
  type OwnerReference,
  parseApiVersion,
  record,
  shownName,
  type TypeCatalog,
  text,
} from '../../model/index.ts';

export interface AccessQuestion {
  readonly verb: 'get' | 'create' | 'update' | 'patch' | 'delete';
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Checked only by an admission plugin that is off by default (docs/kubernetes.md §6); the dry run decides. */
  readonly onlyWith?: 'OwnerReferencesPermissionEnforcement';
}

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

function questionsOf(requests: readonly ActRequest[], catalog: TypeCatalog): AccessQuestion[] {
  const found = new Map<string, AccessQuestion>();
  const ask = (question: AccessQuestion): void => {
    const { onlyWith: _, ...key } = question;
    const known = JSON.stringify(key);
    if (!found.has(known)) found.set(known, question);
  };
  for (const request of requests) {
    const place = ActRequest.placeOf(request.path);
    if (place === undefined) continue;
    const { version: _, ...at } = place;
    // A role in a namespace may cover the Namespace itself (requestinfo.go in apiserver, v0.36).
    const where = at.group === '' && at.resource === 'namespaces' ? { ...at, namespace: at.name } : at;
    ask({ verb: verbs[request.method], ...where });
    // A PUT replaces the whole object, so the object is read first.
    if (request.method === 'PUT') ask({ verb: 'get', ...where, subresource: '' });
    const blocking = newlyBlocking(request);
    if (blocking === undefined) continue;
    const onlyWith = 'OwnerReferencesPermissionEnforcement';
    // The creator of an object chooses its references freely.
    if (request.method !== 'POST') ask({ verb: 'delete', ...where, onlyWith });
    for (const { apiVersion, kind, name } of blocking) {
      const type = catalog.resolveKind(apiVersion, kind);
      if (type === undefined) continue;
      const { group } = parseApiVersion(apiVersion);
      const namespace = type.namespaced ? place.namespace : '';
      const { resource } = type;
      ask({ verb: 'update', group, resource, subresource: 'finalizers', namespace, name, onlyWith });
    }
  }
  return [...found.values()];
}

const REFERENCES = '/metadata/ownerReferences';

/** Returns owner references the request newly makes blocking; undefined if it changes none. */
function newlyBlocking({ method, body }: ActRequest): readonly OwnerReference[] | undefined {
  if (method === 'POST') {
    const references = list(record(record(body)['metadata'])['ownerReferences']).map(reference);
    return references.length === 0 ? undefined : references.filter(blocks);
  }
  const tested = new Map<string, readonly OwnerReference[]>();
  const written: OwnerReference[] = [];
  let isChanged = false;
  for (const operation of (Array.isArray(body) ? (body as readonly unknown[]) : []).map(record)) {
    const path = text(operation['path']);
    if (!path.startsWith(REFERENCES)) continue;
    const { op, value } = operation;
    const values = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(reference);
    if (op === 'test') tested.set(path, values);
    else isChanged = true;
    if (op !== 'add' && op !== 'replace') continue;
    const field = '/blockOwnerDeletion';
    if (!path.endsWith(field)) written.push(...values);
    else if (value === true) {
      const whole = tested.get(path.slice(0, -field.length)) ?? [];
      written.push(...whole.map(each => ({ ...each, blockOwnerDeletion: true })));
    }
  }
  if (!isChanged) return undefined;
  const before = new Set(
    [...tested.values()]
      .flat()
      .filter(blocks)
      .map(({ uid }) => uid),
  );
  return written.filter(each => blocks(each) && !before.has(each.uid));
}

function reference(value: unknown): OwnerReference {
  return record(value) as unknown as OwnerReference;
}

function blocks({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

function reviewRequest(question: AccessQuestion): ActRequest {
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

function aboutAll(question: AccessQuestion): AccessQuestion {
  return { ...question, name: '' };
}

/** - `unknown`: the server didn't answer the review; the dry run decides. */
export type PermissionReview = 'allowed' | 'denied' | 'unknown';

function accessOf({ status, body }: ActAnswer): PermissionReview {
  if (status < 200 || status >= 300) return 'unknown';
  const { allowed } = record(record(body)['status']) as { allowed?: unknown };
  return allowed === true ? 'allowed' : 'denied';
}

/** `delete on statefulsets.apps/web in shop` */
function questionWords({ verb, group, resource, subresource, namespace, name }: AccessQuestion): string {
  const full = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  const where = namespace === '' || resource === 'namespaces' ? '' : ` in namespace ${shownName(namespace)}`;
  return `${verb} on ${full}${name === '' ? '' : ` ${shownName(name)}`}${where}`;
}

export const AccessQuestion = {
  aboutAll,
  access: accessOf,
  of: questionsOf,
  review: reviewRequest,
  words: questionWords,
};

/** An event of an audit log (audit.k8s.io/v1). The log is untrusted, so each field is checked; bodies may be secret. */
import { integer, type JsonRecord, list, record, text, texts, time } from '../json/json.ts';

/** Target of a request; `name` is `''` for a collection. */
export interface AuditObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface AuditOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface AuditEvent {
  readonly id: string;
  /** Time of arrival. */
  readonly at: number;
  readonly level: string;
  readonly verb: string;
  readonly user: string;
  readonly impersonated: string | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly object: AuditObject;
  readonly subresource: string;
  readonly code: number;
  readonly dryRun: boolean;
  /** Requested policy of a deletion; undefined if it had none, or if the log has no bodies. */
  readonly policy: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  /** The object after the request; undefined if the log has no answer. */
  readonly result: AuditResult | undefined;
  readonly named: readonly string[];
  /** Objects deleted with a collection; undefined if the log doesn't list them. */
  readonly collection: readonly (AuditResult & { readonly name: string })[] | undefined;
}

export interface AuditResult {
  readonly uid: string;
  readonly createdAt: number | undefined;
  readonly deletionTimestamp: number | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly finalizers: readonly string[];
  /** Set for a Namespace: the finalizers that the namespace controller removes. */
  readonly specFinalizers: readonly string[];
  readonly owners: readonly AuditOwner[];
}

export function auditEvents(json: unknown): AuditEvent[] {
  const event = record(json);
  if (Array.isArray(event['items'])) return event['items'].flatMap(auditEvents);
  const { stage, auditID, requestReceivedTimestamp, stageTimestamp, objectRef, responseStatus } = event;
  const at = time(requestReceivedTimestamp) ?? time(stageTimestamp);
  if (at === undefined || (stage !== 'ResponseComplete' && stage !== 'Panic')) return [];
  const { user, impersonatedUser, sourceIPs, userAgent, verb, level, requestObject, responseObject } = event;
  const request = record(requestObject);
  const result = resultIn(record(responseObject));
  const query = queryOf(text(event['requestURI']));
  const status = record(responseStatus);
  const about = record(objectRef);
  const details = record(status['details']);
  const answered = record(record(responseObject)['details']);
  const impersonated = text(record(impersonatedUser)['username']);
  return [
    {
      id: text(auditID),
      at,
      level: text(level),
      verb: text(verb),
      user: text(record(user)['username']),
      impersonated: impersonated === '' ? undefined : impersonated,
      sourceIPs: texts(sourceIPs).slice(0, 10),
      userAgent: text(userAgent),
      object: {
        group: text(about['apiGroup']),
        resource: text(about['resource']),
        namespace: text(about['namespace']),
        // A POST of a new object has its name only in the answer.
        name: text(about['name']) || text(record(record(responseObject)['metadata'])['name']),
        uid:
          result?.uid ||
          text(answered['uid']) ||
          text(details['uid']) ||
          text(record(request['preconditions'])['uid']) ||
          text(about['uid']),
      },
      subresource: text(about['subresource']),
      code: integer(status['code']) ?? 0,
      dryRun: list(request['dryRun']).length > 0 || (query.get('dryRun') ?? '') !== '',
      policy: verb === 'delete' || verb === 'deletecollection' ? policyIn(request, query) : undefined,
      gracePeriodSeconds: integer(request['gracePeriodSeconds']) ?? numberIn(query.get('gracePeriodSeconds')),
      result,
      named: ownersIn(record(request['metadata'])).map(({ uid }) => uid),
      collection: verb === 'deletecollection' ? collectionIn(record(responseObject)) : undefined,
    },
  ];
}

function collectionIn({ items }: JsonRecord): AuditEvent['collection'] {
  if (!Array.isArray(items)) return undefined;
  return items.flatMap(each => {
    const result = resultIn(record(each));
    return result === undefined ? [] : [{ ...result, name: text(record(record(each)['metadata'])['name']) }];
  });
}

function policyIn(request: JsonRecord, query: URLSearchParams): string | undefined {
  const asked = text(request['propagationPolicy']) || (query.get('propagationPolicy') ?? '');
  if (asked !== '') return asked;
  const orphan = request['orphanDependents'] ?? query.get('orphanDependents') ?? undefined;
  if (orphan === true || orphan === 'true') return 'Orphan';
  return orphan === false || orphan === 'false' ? 'Background' : undefined;
}

/** Returns undefined for a Status, the API server's answer to many deletions. */
function resultIn(object: JsonRecord): AuditResult | undefined {
  const metadata = record(object['metadata']);
  const uid = text(metadata['uid']);
  if (uid === '') return undefined;
  return {
    uid,
    createdAt: time(metadata['creationTimestamp']),
    deletionTimestamp: time(metadata['deletionTimestamp']),
    deletionGracePeriodSeconds: integer(metadata['deletionGracePeriodSeconds']),
    finalizers: texts(metadata['finalizers']),
    specFinalizers: object['kind'] === 'Namespace' ? texts(record(object['spec'])['finalizers']) : [],
    owners: ownersIn(metadata),
  };
}

function ownersIn(metadata: JsonRecord): AuditOwner[] {
  return list(metadata['ownerReferences']).map(each => {
    const { apiVersion, kind, name, uid } = record(each);
    return { apiVersion: text(apiVersion), kind: text(kind), name: text(name), uid: text(uid) };
  });
}

function queryOf(uri: string): URLSearchParams {
  const at = uri.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : uri.slice(at + 1));
}

function numberIn(value: string | null): number | undefined {
  return value !== null && /^\d{1,9}$/u.test(value) ? Number(value) : undefined;
}

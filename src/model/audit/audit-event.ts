/**
 * An event of an API server's audit log (audit.k8s.io/v1), as far as it tells who deleted what. Apart from reading the log,
 * because what is in it was written by anybody: each field is checked, and nothing of a body is kept that could be secret.
 */
import { integer, type JsonRecord, list, record, text, texts, time } from '../json/json.ts';

/** What a request was about; the name is `''` of a collection. */
export interface AuditObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** `''` where the log doesn't say it. */
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
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly level: string;
  readonly verb: string;
  readonly user: string;
  /** As whom the user acted. */
  readonly impersonated: string | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly object: AuditObject;
  readonly subresource: string;
  /** HTTP's, of the answer. */
  readonly code: number;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Of a deletion: as asked for; undefined where it wasn't, or where the log has no bodies. */
  readonly policy: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  /** What of the object is known after it; undefined where the log has no answer with it. */
  readonly result: AuditResult | undefined;
  /** uids that the body of a request names. */
  readonly named: readonly string[];
  /** What was deleted with a collection; undefined where the log doesn't say it. */
  readonly collection: readonly (AuditResult & { readonly name: string })[] | undefined;
}

export interface AuditResult {
  readonly uid: string;
  readonly createdAt: number | undefined;
  readonly deletionTimestamp: number | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly finalizers: readonly string[];
  /** Of a Namespace, those that the namespace controller works off. */
  readonly specFinalizers: readonly string[];
  readonly owners: readonly AuditOwner[];
}

/** The events in a line of a log; none where it holds none of a finished request. */
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
        // A POST of a new object has its name in the answer alone.
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

/** Of an object; a Status, as the API server answers to many deletions, is none. */
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

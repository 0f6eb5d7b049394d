/** The DeletionHistory document (docs/documents.md): from audit logs, a recording, or the traces of an absent object. */
import type { ActivityEntry, SeenDeletion } from '../../../activity/index.ts';
import { auditActors, type ObjectHistory } from '../../../diagnosis/index.ts';
import type { AuditEvent, ResourceType } from '../../../model/index.ts';
import {
  becauseClause,
  type GoneTraces,
  historyWords,
  type KindOf,
  recordedWords,
  timeText,
} from '../../../text/index.ts';
import { API_VERSION, definedFields, objectRef, optionalTime } from '../basis.ts';
import type {
  AuditedRequest,
  AuditLog,
  DeletionHistory,
  ObjectHistory as HistoryDocument,
  Observation,
  RecordedSpan,
  ResourceRef,
  Traces,
} from '../definitions.ts';

const noLog: AuditLog = { files: [], unreadableLines: 0, metadataOnly: false, truncated: false };
const noRequests = { deletions: [], refused: [], requests: [], effects: [] };

export function deletionHistoryDocument(
  histories: readonly ObjectHistory[],
  log: AuditLog,
  kindOf: KindOf,
): DeletionHistory {
  const items = histories.map(history => auditedHistory(history, kindOf));
  return { apiVersion: API_VERSION, kind: 'DeletionHistory', log, items };
}

/** Observations take the place of audited requests. */
export function recordedDeletionDocument(
  seen: readonly SeenDeletion[],
  recording: RecordedSpan,
): DeletionHistory {
  const items = seen.map(recordedHistory);
  return { apiVersion: API_VERSION, kind: 'DeletionHistory', log: noLog, recording, items };
}

/** `title` is the object's. */
export function goneHistoryDocument(
  title: string,
  { type, ...place }: { readonly type: ResourceType; readonly namespace: string; readonly name: string },
  traces: GoneTraces,
): DeletionHistory {
  const item = { object: resourceRef({ ...type, ...place }), summary: `${title} isn't there.`, owners: [] };
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionHistory',
    log: noLog,
    ...goneDocument(traces),
    items: [{ ...item, ...noRequests }],
  };
}

/** Omits fields without traces. */
export function goneDocument({ journal, byContext, events }: GoneTraces): Traces {
  return {
    ...(journal.length > 0 && {
      journal: {
        clusterKnownBy: byContext ? 'context' : 'uid',
        entries: journal.map(({ at, ...each }) => ({ ...each, at: timeText.timestamp(at) })),
      },
    }),
    ...(events.length > 0 && {
      events: events.map(
        ({ about: { kind, namespace, name }, said: { at, reason, message, count = 1 } }) => ({
          object: { kind, ...(namespace !== '' && { namespace }), name },
          ...(at !== undefined && { at: timeText.timestamp(at) }),
          reason,
          message,
          ...(count > 1 && { count }),
        }),
      ),
    }),
  };
}

function auditedHistory(history: ObjectHistory, kindOf: KindOf): HistoryDocument {
  const { createdAt, owners, end, namespaceDeletion } = history;
  return definedFields({
    object: resourceRef(history),
    summary: historyWords.summary(history, kindOf),
    createdAt: optionalTime(createdAt),
    owners,
    deletions: history.deletions.map(({ event, policy, policyFrom }) =>
      definedFields({ ...requestDocument(event), policy, policyFrom }),
    ),
    refused: history.refused.map(requestDocument),
    namespaceDeletion: namespaceDeletion && requestDocument(namespaceDeletion),
    goneAt: end && timeText.instant(end.at),
    goneWith: end && requestDocument(end),
    requests: history.since.map(requestDocument),
    effects: history.effects.map(({ event, what }) => ({
      effect: what,
      object: resourceRef({ ...event.object, uid: '' }),
      request: requestDocument(event),
    })),
  });
}

function requestDocument(event: AuditEvent): AuditedRequest {
  const { at, verb, subresource, user, impersonated, sourceIPs, userAgent, code, id } = event;
  return definedFields({
    at: timeText.instant(at),
    verb,
    subresource: subresource === '' ? undefined : subresource,
    actor: auditActors.of(event),
    user,
    impersonatedUser: impersonated,
    sourceIPs,
    userAgent,
    code,
    auditID: id,
  });
}

function recordedHistory(seen: SeenDeletion): HistoryDocument {
  const { object, first, action, course, followed, goneAt } = seen;
  const { type, namespace, name, uid, creationTimestamp, owners } = object;
  const { deletions, refused, requests, effects } = noRequests;
  return definedFields({
    object: resourceRef({ ...type, namespace, name, uid }),
    summary: recordedWords.summary(seen),
    createdAt: timeText.timestamp(creationTimestamp),
    owners: owners.map(owner => ({
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.name,
      uid: owner.uid,
    })),
    deletions,
    refused,
    goneAt: timeText.instant(goneAt),
    requests,
    effects,
    observed: [...(first === undefined ? [] : [first]), ...course].map(observationOf),
    observedEffects: followed.map(observationOf),
    action: action && observationOf(action),
  });
}

function observationOf(entry: ActivityEntry): Observation {
  const { at, what, object, policy, by, certainty, because } = entry;
  return definedFields({
    at: timeText.instant(at),
    what,
    object: objectRef(object),
    policy,
    by,
    certainty,
    because: becauseClause(entry),
    reason: because.code,
  });
}

function resourceRef(place: {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}): ResourceRef {
  const { group, resource, namespace, name, uid = '' } = place;
  return { group, resource, ...(namespace !== '' && { namespace }), name, ...(uid !== '' && { uid }) };
}

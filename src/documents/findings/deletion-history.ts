/** The DeletionHistory document (docs/documents.md): deletions of objects from audit logs. */
import { actorOf } from '../../diagnosis/history/actors.ts';
import type { ObjectHistory } from '../../diagnosis/history/deletions.ts';
import type { AuditEvent } from '../../model/audit/audit-event.ts';
import { historySummary, type KindOf } from '../../text/diagnosis/deletion-history.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION } from '../basis.ts';

export interface RequestDocument {
  readonly at: string;
  readonly verb: string;
  readonly subresource?: string;
  readonly actor: string;
  readonly user: string;
  readonly impersonatedUser?: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly code: number;
  readonly auditID: string;
}

export interface LogDocument {
  readonly files: readonly string[];
  /** Span of the checked events; omitted without any. */
  readonly from?: string;
  readonly to?: string;
  readonly unreadableLines: number;
  /** Set if some events have no bodies, so that policies and dependents may be unknown. */
  readonly metadataOnly: boolean;
  readonly truncated: boolean;
}

export function deletionHistoryDocument(
  histories: readonly ObjectHistory[],
  log: LogDocument,
  kindOf: KindOf,
): object {
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionHistory',
    log,
    items: histories.map(history => {
      const { group, resource, namespace, name, uid, createdAt, owners, end, namespaceDeletion } = history;
      return {
        object: { group, resource, ...(namespace !== '' && { namespace }), name, ...(uid !== '' && { uid }) },
        summary: historySummary(history, kindOf),
        ...(createdAt !== undefined && { createdAt: formatTimestamp(createdAt) }),
        owners,
        deletions: history.deletions.map(({ event, policy, policyFrom }) => ({
          ...requestDocument(event),
          ...(policy !== undefined && { policy }),
          ...(policyFrom !== undefined && { policyFrom }),
        })),
        refused: history.refused.map(requestDocument),
        ...(namespaceDeletion !== undefined && { namespaceDeletion: requestDocument(namespaceDeletion) }),
        ...(end !== undefined && { goneAt: precise(end.at), goneWith: requestDocument(end) }),
        requests: history.since.map(requestDocument),
        effects: history.effects.map(({ event, what }) => ({
          effect: what,
          object: {
            group: event.object.group,
            resource: event.object.resource,
            ...(event.object.namespace !== '' && { namespace: event.object.namespace }),
            name: event.object.name,
          },
          request: requestDocument(event),
        })),
      };
    }),
  };
}

function requestDocument(event: AuditEvent): RequestDocument {
  const { at, verb, subresource, user, impersonated, sourceIPs, userAgent, code, id } = event;
  return {
    at: precise(at),
    verb,
    ...(subresource !== '' && { subresource }),
    actor: actorOf(event),
    user,
    ...(impersonated !== undefined && { impersonatedUser: impersonated }),
    sourceIPs,
    userAgent,
    code,
    auditID: id,
  };
}

function precise(at: number): string {
  return new Date(at).toISOString();
}

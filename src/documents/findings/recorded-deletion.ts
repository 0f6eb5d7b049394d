/** The DeletionHistory document of a recording: observations take the place of audit requests. */
import type { ActivityEntry } from '../../activity/entry.ts';
import type { SeenDeletion } from '../../activity/history.ts';
import { becauseClause } from '../../text/activity/because.ts';
import { recordedSummary } from '../../text/diagnosis/recorded-deletion.ts';
import { formatInstant, formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION, objectRef } from '../basis.ts';

export interface RecordingDocument {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly cutOff: boolean;
}

export function recordedDeletionDocument(
  seen: readonly SeenDeletion[],
  recording: RecordingDocument,
): object {
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionHistory',
    log: { files: [], unreadableLines: 0, metadataOnly: false, truncated: false },
    recording,
    items: seen.map(each => {
      const { object, first, action, course, followed, goneAt } = each;
      const { type, namespace, name, uid, creationTimestamp, owners } = object;
      return {
        object: {
          group: type.group,
          resource: type.resource,
          ...(namespace !== '' && { namespace }),
          name,
          uid,
        },
        summary: recordedSummary(each),
        createdAt: formatTimestamp(creationTimestamp),
        owners: owners.map(({ apiVersion, kind, name: owner, uid: id }) => ({
          apiVersion,
          kind,
          name: owner,
          uid: id,
        })),
        deletions: [],
        refused: [],
        goneAt: formatInstant(goneAt),
        requests: [],
        effects: [],
        observed: [...(first === undefined ? [] : [first]), ...course].map(entryDocument),
        observedEffects: followed.map(entryDocument),
        ...(action !== undefined && { action: entryDocument(action) }),
      };
    }),
  };
}

function entryDocument(entry: ActivityEntry): object {
  const { at, what, object, policy, by, certainty, because } = entry;
  return {
    at: formatInstant(at),
    what,
    object: objectRef(object),
    ...(policy !== undefined && { policy }),
    by,
    certainty,
    because: becauseClause(entry),
    reason: because.code,
  };
}

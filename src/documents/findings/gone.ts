/** Prints traces of an object that isn't there as a DeletionHistory, or as fields of a Diagnosis. */
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { GoneTraces } from '../../text/diagnosis/gone.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION } from '../basis.ts';

export interface GoneDocument {
  readonly journal?: {
    /** `context`: by the name of the context alone. */
    readonly clusterKnownBy: 'uid' | 'context';
    readonly entries: readonly {
      readonly entry: string;
      readonly at: string;
      readonly action: string;
      readonly what: string;
      readonly effect: 'yes' | 'perhaps';
    }[];
  };
  readonly events?: readonly {
    readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string };
    readonly at?: string;
    readonly reason: string;
    readonly message: string;
    readonly count?: number;
  }[];
}

/** Without the fields of which nothing tells. */
export function goneDocument({ journal, byContext, events }: GoneTraces): GoneDocument {
  return {
    ...(journal.length > 0 && {
      journal: {
        clusterKnownBy: byContext ? 'context' : 'uid',
        entries: journal.map(({ at, ...each }) => ({ ...each, at: formatTimestamp(at) })),
      },
    }),
    ...(events.length > 0 && {
      events: events.map(
        ({ about: { kind, namespace, name }, said: { at, reason, message, count = 1 } }) => ({
          object: { kind, ...(namespace !== '' && { namespace }), name },
          ...(at !== undefined && { at: formatTimestamp(at) }),
          reason,
          message,
          ...(count > 1 && { count }),
        }),
      ),
    }),
  };
}

/** `title` is the object's. */
export function goneHistoryDocument(
  title: string,
  {
    type,
    namespace,
    name,
  }: { readonly type: ResourceType; readonly namespace: string; readonly name: string },
  traces: GoneTraces,
): object {
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionHistory',
    log: { files: [], unreadableLines: 0, metadataOnly: false, truncated: false },
    ...goneDocument(traces),
    items: [
      {
        object: {
          group: type.group,
          resource: type.resource,
          ...(namespace !== '' && { namespace }),
          name,
        },
        summary: `${title} isn't there.`,
        owners: [],
        deletions: [],
        refused: [],
        requests: [],
        effects: [],
      },
    ],
  };
}

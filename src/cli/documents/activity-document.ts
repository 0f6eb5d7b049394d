/** The ActivityEntry document (docs/documents.md): one change of ownership or deletion, as a line of JSON. */
import { ActivityEntry, type OwnerFate } from '../../activity/index.ts';
import { becauseClause, timeText } from '../../text/index.ts';
import { API_VERSION, objectRef } from './basis.ts';
import type {
  ActivityEntry as ActivityEntryDocument,
  ActivityItem,
  ActivityReason,
  Basis,
  ObjectRef,
} from './definitions.ts';

export function activityDocument(basis: Basis, entry: ActivityEntry): ActivityEntryDocument {
  return { apiVersion: API_VERSION, kind: 'ActivityEntry', basis, ...activityItem(entry) };
}

export function activityItem(entry: ActivityEntry): ActivityItem {
  const { id, at, what, object, policy, by, certainty, because, holds, cause } = entry;
  const root = ActivityEntry.root(entry);
  return {
    id,
    at: timeText.instant(at),
    what,
    object: objectRef(object),
    ...(policy === undefined ? {} : { policy }),
    by,
    certainty,
    because: becauseClause(entry),
    reason: reasonDocument(because),
    ...(holds === undefined
      ? {}
      : {
          waitsFor: {
            finalizers: holds.finalizers,
            dependents: holds.dependents.map(objectRef),
            ...(holds.node === undefined ? {} : { node: holds.node }),
            ...timeOf('graceEnds', holds.graceEnds),
          },
        }),
    action: { id: root.id, what: root.what, object: objectRef(root.object) },
    ...(cause === undefined ? {} : { causedBy: cause.id }),
  };
}

function reasonDocument(because: ActivityEntry['because']): ActivityReason {
  const { code } = because;
  switch (because.code) {
    case 'OwnersGone':
    case 'OwnersWait':
    case 'Asked':
    case 'AnotherOwner':
      return { code, owners: because.owners.map(fateDocument) };
    case 'EmptiedWith': {
      const object = objectRef(because.within);
      return because.owners === undefined
        ? { code, object }
        : { code, object, owners: because.owners.map(fateDocument) };
    }
    case 'OwnerOrphans':
      return { code, owners: [{ object: objectRef(because.owner), ...timeOf('at', because.at) }] };
    case 'Controller': {
      const owners = [{ object: objectRef(because.owner) }];
      return because.selects === undefined ? { code, owners } : { code, owners, selects: because.selects };
    }
    case 'OtherOwners':
    case 'Cycle':
      return { code, owners: because.owners.map(owner => ({ object: objectRef(owner) })) };
    case 'Ended': {
      const finalizers = because.by.how === 'finalizers' ? { finalizers: because.by.finalizers } : {};
      return { code, ended: because.by.how, ...timeOf('at', because.marked), ...finalizers };
    }
    case 'Finalizers':
      return { code, finalizers: because.removed };
    case 'SameName':
      return { code, object: objectRef(because.before), ...timeOf('at', because.goneAt) };
    case 'Waits':
      return { code };
  }
}

function fateDocument({ owner, state, at }: OwnerFate): {
  readonly object: ObjectRef;
  readonly state: OwnerFate['state'];
  readonly at?: string;
} {
  return { object: objectRef(owner), state, ...timeOf('at', at) };
}

function timeOf<K extends string>(key: K, at: number | undefined): { readonly [key in K]?: string } {
  return at === undefined ? {} : ({ [key]: timeText.instant(at) } as { readonly [key in K]?: string });
}

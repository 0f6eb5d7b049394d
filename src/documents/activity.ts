/** The ActivityEntry document (docs/documents.md): one change of ownership or deletion, as a line of JSON. */
import {
  type ActivityEntry,
  type ActivityKind,
  type Actor,
  type Because,
  type Ending,
  type OwnerFate,
  rootOf,
  type SeenPolicy,
} from '../activity/entry.ts';
import type { Certainty } from '../collector/verdict.ts';
import { becauseClause } from '../text/activity/because.ts';
import { formatInstant } from '../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from './basis.ts';

/** Times are RFC 3339, in milliseconds. */
export interface ActivityEntryDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ActivityEntry';
  readonly basis: Basis;
  readonly id: number;
  /** Time of observation; for a deletion from before the start, the time of its request. */
  readonly at: string;
  readonly what: ActivityKind;
  readonly object: ObjectRef;
  readonly policy?: SeenPolicy;
  readonly by: readonly Actor[];
  readonly certainty: Certainty;
  readonly because: string;
  readonly reason: ActivityReasonDocument;
  readonly waitsFor?: {
    readonly finalizers: readonly string[];
    readonly dependents: readonly ObjectRef[];
    readonly node?: string;
    readonly graceEnds?: string;
  };
  /** The first cause; may be the entry itself. */
  readonly action: { readonly id: number; readonly what: ActivityKind; readonly object: ObjectRef };
  readonly causedBy?: number;
}

export interface ActivityReasonDocument {
  readonly code: Because['code'];
  readonly owners?: readonly {
    readonly object: ObjectRef;
    readonly state?: OwnerFate['state'];
    readonly at?: string;
  }[];
  /** Namespace or definition of `EmptiedWith`, predecessor of `SameName`. */
  readonly object?: ObjectRef;
  readonly at?: string;
  /** Set for a controller: if its selector matches the labels. */
  readonly selects?: boolean;
  readonly finalizers?: readonly string[];
  readonly ended?: Ending['how'];
}

export function activityDocument(basis: Basis, entry: ActivityEntry): ActivityEntryDocument {
  const { id, at, what, object, policy, by, certainty, because, holds, cause } = entry;
  const root = rootOf(entry);
  return {
    apiVersion: API_VERSION,
    kind: 'ActivityEntry',
    basis,
    id,
    at: formatInstant(at),
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

function reasonDocument(because: Because): ActivityReasonDocument {
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
    case 'Circle':
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
  return at === undefined ? {} : ({ [key]: formatInstant(at) } as { readonly [key in K]?: string });
}

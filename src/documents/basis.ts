/** What every document shares (docs/documents.md): what it was made from and could not be seen, and how it names an object. */
import type { Identity } from '../graph/node.ts';
import {
  type BlindSpot,
  type CatchUpCause,
  type Connection,
  isBehind,
  type PolledKind,
} from '../model/exchange/changes.ts';
import type { ReadScope } from '../model/exchange/reads.ts';
import { shownUid } from '../model/object-id.ts';
import type { SourceInfo, SourceKind } from '../source/source.ts';
import { formatTimestamp } from '../text/terminal/age.ts';

export const API_VERSION = 'gc-tree.dev/v1alpha1';

export interface Basis {
  readonly source: SourceKind;
  readonly context?: string;
  readonly serverVersion?: string;
  /** RFC 3339, in seconds. */
  readonly takenAt: string;
  /** Of files: whether their objects told that moment, or the time of the files did. */
  readonly takenAtFrom?: 'objects' | 'files';
  /** Every object that the collector watches is known, as far as the scope goes. */
  readonly complete: boolean;
  /** Where less than the whole cluster was read. */
  readonly scope?: BasisScope;
  readonly blindSpots: readonly BlindSpot[];
  /** Kinds that may be up to a minute older than `takenAt`; left out where there are none. */
  readonly polled?: readonly PolledKind[];
  /** Left out where the source is followed, or stands still by itself. */
  readonly connection?: BasisConnection;
}

/** What was read: everything in these namespaces, and what the answer needs beside. */
export interface BasisScope {
  readonly namespaces: readonly string[];
  /** The flag with which everything is read. */
  readonly widerWith: '-A';
}

/** Nothing newer than `since` (RFC 3339) is known. */
export type BasisConnection =
  | { readonly state: 'lost'; readonly reason: string; readonly since: string }
  | { readonly state: 'catchingUp'; readonly cause: CatchUpCause; readonly since: string };

export interface Completeness {
  readonly complete: boolean;
  readonly connection?: Connection;
  readonly scope?: ReadScope | undefined;
  blindSpots(): readonly BlindSpot[];
  polled(): readonly PolledKind[];
}

/** `asOf`: see `momentOf` of the source, in milliseconds since the epoch. */
export function basisOf(info: SourceInfo, view: Completeness, asOf: number): Basis {
  const polled = view.polled().map(({ resource, reason }) => ({ resource, reason }));
  return {
    source: info.source,
    ...(info.context === undefined ? {} : { context: info.context }),
    ...(info.serverVersion === undefined ? {} : { serverVersion: info.serverVersion }),
    takenAt: formatTimestamp(asOf),
    ...(info.takenAtFrom !== undefined && { takenAtFrom: info.takenAtFrom }),
    complete: view.complete,
    ...(view.scope !== undefined && {
      scope: { namespaces: view.scope.namespaces, widerWith: '-A' as const },
    }),
    blindSpots: view.blindSpots().map(({ resource, reason }) => ({ resource, reason })),
    ...(polled.length > 0 && { polled }),
    ...(view.connection !== undefined &&
      isBehind(view.connection) && {
        connection: { ...view.connection, since: formatTimestamp(view.connection.since) },
      }),
  };
}

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** Verbatim, not sanitised: a document is for programs, and the printers escape. */
export function objectRef(identity: Identity): ObjectRef {
  const { apiVersion, kind, namespace, name } = identity;
  const uid = shownUid(identity.uid);
  return {
    apiVersion,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === '' ? {} : { uid }),
  };
}

/** What every document shares (docs/documents.md): what it was made from and could not be seen, and how it names an object. */
import type { ManagedBy } from '../diagnosis/explain/managed-by.ts';
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
import { type CollectorRelease, ServerBehaviour } from '../model/server/server-behaviour.ts';
import type { SourceInfo, SourceKind, VersionOrigin } from '../source/source.ts';
import { formatTimestamp } from '../text/terminal/age.ts';

export const API_VERSION = 'gc-tree.dev/v1alpha1';

export interface Basis {
  readonly source: SourceKind;
  readonly context?: string;
  readonly serverVersion?: string;
  /** Who said that version. */
  readonly serverVersionFrom?: VersionOrigin;
  /** What the files say, where `--server-version` says otherwise. */
  readonly serverVersionInFiles?: string;
  /** Its behaviour wasn't read from the sources of that release, but from the next one to it. */
  readonly serverVersionUnproven?: 'newer' | 'older';
  /** Of a simulated cluster: its garbage collector, where that isn't today's. */
  readonly collector?: CollectorRelease;
  /** RFC 3339, in seconds. */
  readonly takenAt: string;
  /** Of files: whether their objects told that moment, or the time of the files did. */
  readonly takenAtFrom?: 'objects' | 'files';
  /** Of a replay: from when to when was recorded, in RFC 3339; `cutOff` where that was not ended. */
  readonly recording?: { readonly from: string; readonly to: string; readonly cutOff: boolean };
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
    ...versionBasis(info),
    ...(info.collector !== undefined && { collector: info.collector }),
    takenAt: formatTimestamp(asOf),
    ...(info.takenAtFrom !== undefined && { takenAtFrom: info.takenAtFrom }),
    ...(info.recording !== undefined && {
      recording: {
        from: formatTimestamp(info.recording.from),
        to: formatTimestamp(info.recording.to),
        cutOff: info.recording.cutOff,
      },
    }),
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

function versionBasis(info: SourceInfo): Partial<Basis> {
  const { serverVersion, serverVersionFrom = 'server', serverVersionInFiles } = info;
  if (serverVersion === undefined) return {};
  const { unproven } = new ServerBehaviour(serverVersion);
  return {
    serverVersion,
    serverVersionFrom,
    ...(serverVersionInFiles !== undefined && { serverVersionInFiles }),
    ...((unproven === 'newer' || unproven === 'older') && { serverVersionUnproven: unproven }),
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

/** What a tool manages objects by. */
export interface ManagerDocument extends Pick<ManagedBy, 'tool' | 'called' | 'name'> {
  /** The managing object, where there is a kind of it and it was seen. */
  readonly object?: ObjectRef;
  /** Left out where the marks don't tell it. */
  readonly namespace?: string;
}

/** By what a tool manages an object beside its owners. */
export interface ManagedByDocument extends ManagerDocument, Pick<ManagedBy, 'evidence'> {
  /** The topmost controller that it is managed with; left out where its marks are its own. */
  readonly through?: ObjectRef;
}

export function managedByDocument(managed: ManagedBy): ManagedByDocument {
  return { ...managerDocument(managed), ...marksDocument(managed) };
}

export function managerDocument(managed: ManagedBy): ManagerDocument {
  const { tool, called, object, namespace, name } = managed;
  return {
    tool,
    called,
    ...(object === undefined ? {} : { object: objectRef(object) }),
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

/** What says that the object is managed so. */
export function marksDocument({
  evidence,
  through,
}: ManagedBy): Pick<ManagedByDocument, 'evidence' | 'through'> {
  return { evidence, ...(through === undefined ? {} : { through: objectRef(through) }) };
}

/** Common parts of documents (docs/documents.md): source, blind spots, and references to objects. */
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
  readonly serverVersionFrom?: VersionOrigin;
  /** Version in the files, if `--server-version` overrides it. */
  readonly serverVersionInFiles?: string;
  /** Set if that release's sources weren't read; the nearest release's behaviour is used. */
  readonly serverVersionUnproven?: 'newer' | 'older';
  /** Set for a simulated cluster with a former garbage collector. */
  readonly collector?: CollectorRelease;
  readonly takenAt: string;
  readonly takenAtFrom?: 'objects' | 'files';
  /** Recorded span of a replay in RFC 3339; `cutOff` if the recording was interrupted. */
  readonly recording?: { readonly from: string; readonly to: string; readonly cutOff: boolean };
  /** Set if every object in the scope that the collector watches is known. */
  readonly complete: boolean;
  readonly scope?: BasisScope;
  readonly blindSpots: readonly BlindSpot[];
  /** Kinds up to a minute older than `takenAt`; omitted without any. */
  readonly polled?: readonly PolledKind[];
  readonly connection?: BasisConnection;
}

/** Namespaces that were read, with everything else that the answer needs. */
export interface BasisScope {
  readonly namespaces: readonly string[];
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

/** `asOf` is in milliseconds since the epoch; see `momentOf` of the source. */
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

/** Doesn't sanitise: documents are for programs, and printers escape. */
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

export interface ManagerDocument extends Pick<ManagedBy, 'tool' | 'called' | 'name'> {
  readonly object?: ObjectRef;
  readonly namespace?: string;
}

/** Evidence that a tool manages an object in addition to its owners. */
export interface ManagedByDocument extends ManagerDocument, Pick<ManagedBy, 'evidence'> {
  /** Topmost controller that it is managed with; omitted if it has marks of its own. */
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

export function marksDocument({
  evidence,
  through,
}: ManagedBy): Pick<ManagedByDocument, 'evidence' | 'through'> {
  return { evidence, ...(through === undefined ? {} : { through: objectRef(through) }) };
}

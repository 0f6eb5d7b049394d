/** Common parts of documents (docs/documents.md): source, blind spots, and references to objects. */
import type { ManagedBy } from '../../diagnosis/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  type BlindSpot,
  Connection,
  objectIds,
  type PolledKind,
  type ReadScope,
  ServerBehaviour,
} from '../../model/index.ts';
import type { SourceInfo } from '../../source/index.ts';
import { timeText } from '../../text/index.ts';
import type { Basis, ManagedByTool, Manager, ObjectRef } from './definitions.ts';

export const API_VERSION = 'gc-tree.dev/v1alpha1';

export interface Completeness {
  readonly complete: boolean;
  readonly connection?: Connection;
  readonly scope?: ReadScope | undefined;
  blindSpots(): readonly BlindSpot[];
  polled(): readonly PolledKind[];
}

/** `asOf`: see `SourceInfo.moment`. */
export function basisOf(info: SourceInfo, view: Completeness, asOf: number): Basis {
  const polled = view.polled().map(({ resource, reason }) => ({ resource, reason }));
  return {
    source: info.source,
    ...(info.context === undefined ? {} : { context: info.context }),
    ...versionBasis(info),
    ...(info.collector === '1.5' && { collector: info.collector }),
    takenAt: timeText.timestamp(asOf),
    ...(info.takenAtFrom !== undefined && { takenAtFrom: info.takenAtFrom }),
    ...(info.recording !== undefined && {
      recording: {
        from: timeText.timestamp(info.recording.from),
        to: timeText.timestamp(info.recording.to),
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
      Connection.isBehind(view.connection) && {
        connection: { ...view.connection, since: timeText.timestamp(view.connection.since) },
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

type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];
type DefinedFields<T> = Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> };

export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<T>;
}

export function optionalTime(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : timeText.timestamp(milliseconds);
}

/** Doesn't sanitise: documents are for programs, and printers escape. */
export function objectRef(identity: Identity): ObjectRef {
  const { apiVersion, kind, namespace, name } = identity;
  const uid = objectIds.shown(identity.uid);
  return {
    apiVersion,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === '' ? {} : { uid }),
  };
}

export function managedByDocument(managed: ManagedBy): ManagedByTool {
  return { ...managerDocument(managed), ...marksDocument(managed) };
}

export function managerDocument(managed: ManagedBy): Manager {
  const { tool, called, object, namespace, name } = managed;
  return definedFields({ tool, called, object: object && objectRef(object), namespace, name });
}

export function marksDocument({ evidence, through }: ManagedBy): Pick<ManagedByTool, 'evidence' | 'through'> {
  return definedFields({ evidence, through: through && objectRef(through) });
}

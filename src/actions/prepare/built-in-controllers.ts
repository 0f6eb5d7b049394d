import type { ClusterView, Identity } from '../../graph/index.ts';
import { BuiltInKind, type KubeObject, parseApiVersion } from '../../model/index.ts';
import { putBack } from '../../simulation/index.ts';

/** Kinds that built-in controllers create for their objects (pkg/controller, v1.36). */
const made: Readonly<Partial<Record<BuiltInKind, readonly BuiltInKind[]>>> = {
  Deployment: ['ReplicaSet'],
  ReplicaSet: ['Pod'],
  ReplicationController: ['Pod'],
  StatefulSet: ['Pod', 'ControllerRevision', 'PersistentVolumeClaim'],
  DaemonSet: ['Pod', 'ControllerRevision'],
  Job: ['Pod'],
  CronJob: ['Job'],
  Service: ['EndpointSlice'],
  Pod: ['PersistentVolumeClaim'],
  Node: ['Pod', 'Lease'],
};

type Typed = Pick<Identity, 'apiVersion' | 'kind'>;

export function isCreatedFor(owner: Typed, object: Typed): boolean {
  const maker = BuiltInKind.of(owner);
  const kind = BuiltInKind.of(object);
  return maker !== undefined && kind !== undefined && made[maker]?.includes(kind) === true;
}

/** Checks if the controller always creates a new one; forecasts don't follow these controllers. */
export function isAlwaysRecreated(owner: Typed, object: Typed): boolean {
  return (owner.kind === 'Service' || owner.kind === 'Node') && isCreatedFor(owner, object);
}

/**
 * Returns the controller or program that recreates the object so soon that a backup of it is useless. Endpoints whose
 * Service doesn't exist count too.
 */
export function defaultCreator(view: ClusterView, object: KubeObject): string | undefined {
  const row = putBack.of(object);
  // The API server allocates an address for each new Service.
  if (row !== undefined && object.type.kind === 'IPAddress') return row.by;
  if (row === undefined || typeof row.after === 'string' || row.after >= 10_000) return undefined;
  const service = view.catalog.resolveKind('v1', 'Service');
  const isOrphan =
    service !== undefined && view.graph.find(service, object.namespace, object.name) === undefined;
  return putBack.in(view, object) === undefined && !isOrphan ? undefined : row.by;
}

/** Kubernetes' own groups have no dot, or end in `.k8s.io`. */
export function isCustomGroup(apiVersion: string): boolean {
  const { group } = parseApiVersion(apiVersion);
  return group.includes('.') && !group.endsWith('.k8s.io');
}

import type { Identity } from '../../graph/index.ts';
import { BuiltInKind, parseApiVersion } from '../../model/index.ts';

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

/** Created in every namespace and for every Service. */
export function isCreatedByDefault({ apiVersion, kind, name }: Identity): boolean {
  if (apiVersion !== 'v1') return false;
  if (kind === 'Endpoints') return true;
  return (
    (kind === 'ConfigMap' && name === 'kube-root-ca.crt') || (kind === 'ServiceAccount' && name === 'default')
  );
}

/** Groups of Kubernetes itself have no dot, or end in this one. */
export function isCustomGroup(apiVersion: string): boolean {
  const { group } = parseApiVersion(apiVersion);
  return group.includes('.') && !group.endsWith('.k8s.io');
}

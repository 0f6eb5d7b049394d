/** Which objects controllers make anew by themselves, so that nobody has to bring them back. */
import type { Identity } from '../../graph/node.ts';
import { parseApiVersion } from '../../model/types/resource-type.ts';

/** Built-in controllers and what they make for their objects (pkg/controller, v1.36). */
const made: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Deployment', new Set(['ReplicaSet'])],
  ['ReplicaSet', new Set(['Pod'])],
  ['ReplicationController', new Set(['Pod'])],
  ['StatefulSet', new Set(['Pod', 'ControllerRevision', 'PersistentVolumeClaim'])],
  ['DaemonSet', new Set(['Pod', 'ControllerRevision'])],
  ['Job', new Set(['Pod'])],
  ['CronJob', new Set(['Job'])],
  ['Service', new Set(['EndpointSlice'])],
  ['Pod', new Set(['PersistentVolumeClaim'])],
  ['Node', new Set(['Pod', 'Lease'])],
]);

/** Whether a controller that is built in makes such objects for this owner. */
export function isMadeFor(owner: { readonly kind: string }, object: { readonly kind: string }): boolean {
  return made.get(owner.kind)?.has(object.kind) === true;
}

/** Whether it makes another one whatever happens to the one before: forecasts don't follow these controllers. */
export function isAlwaysMadeFor(
  owner: { readonly kind: string },
  object: { readonly kind: string },
): boolean {
  return (owner.kind === 'Service' || owner.kind === 'Node') && isMadeFor(owner, object);
}

/** Made in every namespace and for every Service. */
export function isFurniture({ apiVersion, kind, name }: Identity): boolean {
  if (apiVersion !== 'v1') return false;
  if (kind === 'Endpoints') return true;
  return (
    (kind === 'ConfigMap' && name === 'kube-root-ca.crt') || (kind === 'ServiceAccount' && name === 'default')
  );
}

/** Groups of Kubernetes itself have no dot, or end in this one. */
export function isCustom(apiVersion: string): boolean {
  const { group } = parseApiVersion(apiVersion);
  return group.includes('.') && !group.endsWith('.k8s.io');
}

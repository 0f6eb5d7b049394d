/** Which owners' doings the simulation knows: what others make anew can only be supposed, and has to be said. */
import type { OwnerReference } from '../../model/object.ts';

const modelled: ReadonlySet<string> = new Set([
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
  'batch/v1/Job',
  'batch/v1/CronJob',
  'v1/ReplicationController',
  'v1/Node',
]);

export function isModelled({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  return modelled.has(`${apiVersion}/${kind}`);
}

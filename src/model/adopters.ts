/** Controllers that adopt by selector (docs/kubernetes.md §9; pkg/controller/controller_ref_manager.go, v1.36). */
import type { ResourceType } from './types/resource-type.ts';

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

const DEPLOYMENT: KindName = { apiVersion: 'apps/v1', kind: 'Deployment' };
const REPLICA_SET: KindName = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
const REPLICATION_CONTROLLER: KindName = { apiVersion: 'v1', kind: 'ReplicationController' };
const STATEFUL_SET: KindName = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
const DAEMON_SET: KindName = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
const JOB: KindName = { apiVersion: 'batch/v1', kind: 'Job' };

const adopters: Readonly<Record<string, readonly KindName[]>> = {
  '/Pod': [REPLICA_SET, REPLICATION_CONTROLLER, STATEFUL_SET, DAEMON_SET, JOB],
  'apps/ReplicaSet': [DEPLOYMENT],
  'apps/ControllerRevision': [STATEFUL_SET, DAEMON_SET],
};

export function adoptersOf({ group, kind }: ResourceType): readonly KindName[] {
  return adopters[`${group}/${kind}`] ?? [];
}

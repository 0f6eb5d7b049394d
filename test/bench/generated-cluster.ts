/**
 * The healthy objects of clusters that benches make in memory: Deployments with their pods on ready nodes, in
 * namespaces, as a source would deliver them. The same at each call, so that two runs measure the same.
 */
import type { Change, SourceBatch } from '../../src/model/exchange/changes.ts';
import type { Facts, PodFacts, WorkloadFacts } from '../../src/model/facts/facts.ts';
import { tolerationRules } from '../../src/model/facts/tolerations.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const NAMESPACES = 100;
const NODES = 500;
const AGE = 24 * 3_600_000;

export function typeOf(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  return type;
}

export class Maker {
  readonly objects: KubeObject[] = [];
  readonly #nodeCount: number;

  constructor(nodeCount = NODES) {
    this.#nodeCount = nodeCount;
  }

  add(kind: string, namespace: string, name: string, more: Partial<KubeObject> = {}): KubeObject {
    const made = this.objects.length;
    const object = new KubeObject({
      type: typeOf(kind),
      namespace,
      name,
      uid: `uid-${made}` as Uid,
      resourceVersion: String(made) as ResourceVersion,
      generation: 1,
      creationTimestamp: NOW - AGE,
      ...more,
    });
    this.objects.push(object);
    return object;
  }

  nodesAndNamespaces(): void {
    const node: Facts = { kind: 'Node', unschedulable: false, taints: [], conditions: ready };
    for (let i = 0; i < this.#nodeCount; i++) this.add('Node', '', `node-${i}`, { facts: node });
    const facts: Facts = {
      kind: 'Namespace',
      phase: 'Active',
      specFinalizers: ['kubernetes'],
      conditions: [],
    };
    for (let i = 0; i < NAMESPACES; i++) this.add('Namespace', '', `ns-${i}`, { facts });
  }

  /** A Deployment whose ReplicaSet has so many pods. */
  deployment(namespace: string, name: string, pods: number): KubeObject {
    const labels = ['app', name];
    const top = this.add('Deployment', namespace, name, { facts: workload(pods, labels) });
    const setLabels = [...labels, 'pod-template-hash', 'h'];
    const set = this.add('ReplicaSet', namespace, `${name}-h`, {
      owners: [reference(top)],
      labels: setLabels,
      facts: workload(pods, setLabels),
    });
    for (let i = 0; i < pods; i++) {
      const facts = this.podFacts();
      this.add('Pod', namespace, `${name}-h-${i}`, {
        owners: [reference(set)],
        labels: setLabels,
        facts,
      });
    }
    return top;
  }

  /** A running pod, on one node after the other. */
  podFacts(more: Partial<PodFacts> = {}): PodFacts {
    return {
      kind: 'Pod',
      phase: 'Running',
      reason: '',
      nodeName: `node-${this.objects.length % this.#nodeCount}`,
      terminationGracePeriodSeconds: 30,
      containers: 1,
      readyContainers: 1,
      restarts: 0,
      containerReason: '',
      claims: [],
      ephemeralVolumes: [],
      nodeSelector: [],
      hasEmptyDir: false,
      schedulingGroup: '',
      tolerations: tolerationRules.admitted([]),
      managerFlags: [],
      conditions: ready,
      ...more,
    };
  }

  changes(): Change[] {
    return this.objects.map((object): Change => ({ op: 'upsert', object }));
  }
}

// One for all: a cluster of this size is measured for what the product keeps of it.
const none: readonly never[] = [];
const ready = [{ type: 'Ready', status: 'True', reason: '', message: '', since: undefined }] as const;

export function reference(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { apiVersion, kind } = owner.type;
  const { name, uid } = owner;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true, ...more };
}

export function workload(desired: number, labels: readonly string[]): WorkloadFacts {
  return {
    kind: 'Workload',
    desired,
    current: desired,
    ready: desired,
    updated: desired,
    available: desired,
    selector: { matchLabels: labels, matchExpressions: [] },
    templateLabels: labels,
    serviceAccount: '',
    suspended: false,
    observedGeneration: 1,
    active: 0,
    failed: 0,
    parallelism: 0,
    claimsWhenDeleted: '',
    claimsWhenScaled: '',
    claimTemplates: [],
    ttlSecondsAfterFinished: undefined,
    managedBy: '',
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: 0,
    conditions: none,
  };
}

/** Everything that such a cluster serves. */
export const served: SourceBatch = { changes: [], types: builtInTypes, failedGroups: [] };

/** Every kind is listed whole and watched. */
export const synced: SourceBatch = {
  changes: [],
  statuses: builtInTypes
    .filter(ResourceType.isMonitored)
    .map(type => ({ type, state: 'synced' as const, count: 0, facts: true })),
  connection: { state: 'live' },
};

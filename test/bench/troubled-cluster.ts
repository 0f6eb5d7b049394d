/**
 * A cluster of any size for benches: Deployments of ten pods on nodes in namespaces, and among them so many
 * objects in trouble, of mixed kinds. Made in memory, the same at each call.
 */
import type { Change, SourceBatch } from '../../src/model/changes.ts';
import type { Facts, WorkloadFacts } from '../../src/model/facts.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { isMonitored, type ResourceType } from '../../src/model/resource-type.ts';
import { admittedTolerations } from '../../src/model/tolerations.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const NODES = 500;
const NAMESPACES = 100;
const BATCH = 1000;

function typeOf(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  return type;
}

class Maker {
  readonly objects: KubeObject[] = [];
  readonly nodes: number;

  constructor(nodes = NODES) {
    this.nodes = nodes;
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
      creationTimestamp: NOW - 24 * HOUR,
      ...more,
    });
    this.objects.push(object);
    return object;
  }
}

function reference(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { apiVersion, kind } = owner.type;
  const { name, uid } = owner;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true, ...more };
}

const noConditions: readonly never[] = [];

function workload(desired: number, labels: readonly string[]): WorkloadFacts {
  return {
    kind: 'Workload',
    desired,
    current: desired,
    ready: desired,
    updated: desired,
    available: desired,
    selector: { matchLabels: labels, matchExpressions: [] },
    templateLabels: labels,
    suspended: false,
    observedGeneration: 1,
    active: 0,
    failed: 0,
    parallelism: 0,
    claimsWhenDeleted: '',
    claimsWhenScaled: '',
    claimTemplates: [],
    conditions: noConditions,
  };
}

function podFacts({ objects, nodes }: Maker, claims: readonly string[] = []): Facts {
  return {
    kind: 'Pod',
    phase: 'Running',
    reason: '',
    nodeName: `node-${objects.length % nodes}`,
    terminationGracePeriodSeconds: 30,
    containers: 1,
    readyContainers: 1,
    restarts: 0,
    containerReason: '',
    claims,
    ephemeralVolumes: [],
    tolerations: admittedTolerations([]),
    conditions: noConditions,
  };
}

function deployment(make: Maker, namespace: string, name: string): void {
  const labels = ['app', name];
  const top = make.add('Deployment', namespace, name, { facts: workload(10, labels) });
  const setLabels = [...labels, 'pod-template-hash', 'h'];
  const set = make.add('ReplicaSet', namespace, `${name}-h`, {
    owners: [reference(top)],
    labels: setLabels,
    facts: workload(10, setLabels),
  });
  for (let i = 0; i < 10; i++) {
    const facts = podFacts(make);
    make.add('Pod', namespace, `${name}-h-${i}`, { owners: [reference(set)], labels: setLabels, facts });
  }
}

const deleting = { deletionTimestamp: NOW - HOUR, deletionGracePeriodSeconds: 0 };

/** Each makes at least one finding at its call. */
const troubles: readonly ((make: Maker, namespace: string, name: string) => void)[] = [
  (make, namespace, name) => {
    const owner = make.add('StatefulSet', namespace, name, {
      ...deleting,
      finalizers: ['foregroundDeletion'],
      facts: workload(1, ['app', name]),
    });
    make.add('Pod', namespace, `${name}-0`, {
      ...deleting,
      finalizers: ['example.com/drain'],
      owners: [reference(owner)],
      facts: podFacts(make),
    });
  },
  (make, namespace, name) => {
    const labels = [
      'controller-revision-hash',
      `${name}-h`,
      'statefulset.kubernetes.io/pod-name',
      `${name}-0`,
    ];
    make.add('Pod', namespace, `${name}-0`, { labels, facts: podFacts(make) });
  },
  (make, namespace, name) => {
    const owner = make.add('ConfigMap', 'ns-0', `${name}-owner`);
    make.add('Secret', namespace, name, { owners: [reference(owner)] });
  },
  (make, namespace, name) => {
    const owner = make.add('ConfigMap', namespace, `${name}-owner`);
    make.add('ConfigMap', namespace, name, { owners: [reference(owner, { name: `${name}-misspelt` })] });
  },
  (make, namespace, name) => {
    const owner = make.add('ConfigMap', namespace, `${name}-owner`);
    make.add('ClusterRole', '', name, { owners: [reference(owner)] });
  },
  (make, namespace, name) => {
    const owner = make.add('ConfigMap', namespace, `${name}-owner`);
    make.add('ConfigMap', namespace, name, {
      owners: [reference(owner, { uid: `gone-${name}` as Uid })],
    });
  },
  (make, namespace, name) => {
    make.add('ConfigMap', namespace, name, { ...deleting, finalizers: ['example.com/keep'] });
  },
  (make, namespace, name) => {
    const claim = make.add('PersistentVolumeClaim', namespace, name, {
      ...deleting,
      finalizers: ['kubernetes.io/pvc-protection'],
      facts: {
        kind: 'PersistentVolumeClaim',
        phase: 'Bound',
        volumeName: '',
        storageClassName: '',
        conditions: noConditions,
      },
    });
    make.add('Pod', namespace, `${name}-user`, { facts: podFacts(make, [claim.name]) });
  },
  (make, namespace, name) => {
    const theme = { apiVersion: 'widgets.example.com/v1', kind: 'Widget', name: 'theme' };
    const uid = `theme-${name}` as Uid;
    const owners = [{ ...theme, uid, controller: undefined, blockOwnerDeletion: undefined }];
    make.add('ConfigMap', namespace, name, { owners });
  },
  (make, namespace, name) => {
    make.add('Pod', namespace, name, {
      ...deleting,
      facts: { ...podFacts(make), nodeName: 'gone' } as Facts,
    });
  },
];

function addTroubles(make: Maker, count: number): void {
  for (let i = 0; i < count; i++)
    troubles[i % troubles.length]?.(make, `ns-${1 + (i % (NAMESPACES - 1))}`, `trouble-${i}`);
}

function upserts({ objects }: Maker): Change[] {
  return objects.map((object): Change => ({ op: 'upsert', object }));
}

/** The troubles alone, to be added to what another source holds. */
export function troubleChanges(count: number): Change[] {
  const make = new Maker();
  addTroubles(make, count);
  return upserts(make);
}

/** `total` objects, with so many calls of the troubles among them, as a source would deliver them. */
export function troubledBatches(total: number, troubled: number, nodes?: number): SourceBatch[] {
  const make = new Maker(nodes);
  for (let i = 0; i < make.nodes; i++) {
    const ready = { type: 'Ready', status: 'True', reason: '', message: '', since: undefined };
    const facts: Facts = { kind: 'Node', unschedulable: false, taints: [], conditions: [ready] };
    make.add('Node', '', `node-${i}`, { facts });
  }
  for (let i = 0; i < NAMESPACES; i++) {
    const facts: Facts = {
      kind: 'Namespace',
      phase: 'Active',
      specFinalizers: ['kubernetes'],
      conditions: noConditions,
    };
    make.add('Namespace', '', `ns-${i}`, { facts });
  }
  addTroubles(make, troubled);
  for (let i = 0; make.objects.length < total; i++) deployment(make, `ns-${i % NAMESPACES}`, `app-${i}`);
  const changes = upserts(make);
  const batches: SourceBatch[] = [{ changes: [], types: builtInTypes, failedGroups: [] }];
  for (let i = 0; i < changes.length; i += BATCH) batches.push({ changes: changes.slice(i, i + BATCH) });
  const synced = builtInTypes
    .filter(isMonitored)
    .map(type => ({ type, state: 'synced' as const, count: 0, facts: true }));
  return [...batches, { changes: [], statuses: synced, connection: { state: 'live' } }];
}

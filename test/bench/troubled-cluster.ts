/**
 * A cluster of any size for benches: Deployments of ten pods on nodes in namespaces, and among them so many
 * objects in trouble, of mixed kinds.
 */
import type { Change, SourceBatch } from '../../src/model/exchange/changes.ts';
import type { Uid } from '../../src/model/object.ts';
import { Maker, NAMESPACES, NOW, reference, served, synced, workload } from './generated-cluster.ts';

const HOUR = 3_600_000;
const BATCH = 1000;

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
      facts: make.podFacts(),
    });
  },
  (make, namespace, name) => {
    const labels = [
      'controller-revision-hash',
      `${name}-h`,
      'statefulset.kubernetes.io/pod-name',
      `${name}-0`,
    ];
    make.add('Pod', namespace, `${name}-0`, { labels, facts: make.podFacts() });
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
        dataSource: '',
        dataSourceRef: '',
        attributesClassName: '',
        currentAttributesClassName: '',
        targetAttributesClassName: '',
        conditions: [],
      },
    });
    make.add('Pod', namespace, `${name}-user`, { facts: make.podFacts({ claims: [claim.name] }) });
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
      facts: make.podFacts({ nodeName: 'gone' }),
    });
  },
];

function addTroubles(make: Maker, count: number): void {
  for (let i = 0; i < count; i++)
    troubles[i % troubles.length]?.(make, `ns-${1 + (i % (NAMESPACES - 1))}`, `trouble-${i}`);
}

/** The troubles alone, to be added to what another source holds. */
export function troubleChanges(count: number): Change[] {
  const make = new Maker();
  addTroubles(make, count);
  return make.changes();
}

/** `total` objects, with so many calls of the troubles among them, as a source would deliver them. */
export function troubledBatches(total: number, troubled: number, nodes?: number): SourceBatch[] {
  const make = new Maker(nodes);
  make.nodesAndNamespaces();
  addTroubles(make, troubled);
  for (let i = 0; make.objects.length < total; i++) make.deployment(`ns-${i % NAMESPACES}`, `app-${i}`, 10);
  const changes = make.changes();
  const batches = [served];
  for (let i = 0; i < changes.length; i += BATCH) batches.push({ changes: changes.slice(i, i + BATCH) });
  return [...batches, synced];
}

/**
 * Random clusters of objects that are being deleted and wait: for each other, for an operator in any state, for kubelets,
 * the collector and dependents that are recreated; and simulated clusters after random actions.
 */
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { arrive } from '../../conformance/truth/state.ts';
import { truthScenario } from '../../conformance/truth/worlds.ts';
import { DELETED, listOf, now, operator, plant } from '../../diagnosis/waits/planted.ts';
import { batchOf } from '../../hostile/renamed.ts';
import { readText } from '../../source/files/reading.ts';
import type { ScopedSource } from '../scoped-source.ts';

export interface WaitingCluster {
  readonly whole: SourceBatch;
  readonly contentOf: ConstructorParameters<typeof ScopedSource>[2];
  readonly now: number;
}

/** Seeds from which simulated clusters have more deletions. */
const SIMULATED = 100;

/** Milliseconds after the last action in a simulated cluster. */
const moments = [0, 20_000, 70_000, 3_600_000] as const;

/** Every fourth one is a simulated cluster. */
export async function waitingCluster(seed: number): Promise<WaitingCluster> {
  if (seed % 4 === 3) {
    const { world } = await arrive(truthScenario(SIMULATED + seed), moments[new Random(seed).below(4)]);
    return { whole: batchOf(world.cluster, '', 'absent owners'), contentOf: undefined, now: world.now };
  }
  const random = new Random(seed);
  const namespaces = Array.from({ length: 1 + random.below(3) }, (_, nth) => `shop-${nth}`);
  const objects = [
    ...operatorIn(random),
    ...['Secret', 'Deployment', 'StatefulSet', 'DaemonSet'].map(kind =>
      listOf(kind === 'Secret' ? 'v1' : 'apps/v1', kind),
    ),
    ...nodes,
    ...['kube-system', 'ops'].map(name => namespaceObject(name, false)),
    ...namespaces.flatMap(each => contentOf(each, random)),
  ];
  const text = objects.map(each => JSON.stringify(each)).join('\n---\n');
  const { source, view } = await readText(text, { closedWorld: true });
  const { types } = view.catalog;
  return {
    whole: {
      types,
      changes: [...view.graph.nodes()].flatMap(({ object }) =>
        object === undefined ? [] : { op: 'upsert' as const, object },
      ),
      statuses: types
        .filter(ResourceType.isMonitored)
        .map(type => ({ type, state: 'synced', count: 0, facts: true })),
      failedGroups: [],
      connection: { state: 'live' },
    },
    contentOf: object => source.content(object),
    now,
  };
}

export function objectsOf({ whole }: WaitingCluster): ReadonlyMap<Uid, KubeObject> {
  const all = whole.changes.flatMap(change => (change.op === 'upsert' ? [change.object] : []));
  return new Map(all.map(object => [object.uid, object]));
}

function operatorIn(random: Random): JsonRecord[] {
  const state = random.below(6);
  if (state === 0) return [];
  return [state === 1 ? { ...operator, status: { replicas: 1, readyReplicas: 0 } } : operator];
}

const nodes: readonly JsonRecord[] = ['True', 'Unknown'].map((status, nth) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `node-${nth}`, uid: `node-${nth}` },
  status: { conditions: [{ type: 'Ready', status, lastTransitionTime: DELETED }] },
}));

function contentOf(namespace: string, random: Random): readonly JsonRecord[] {
  const [keeper, { status, ...root } = {}, ...waiters] = plant(namespace, random, 6).objects;
  // Without a status nothing but its operator holds it.
  const planted = [keeper, random.below(2) === 0 ? root : { ...root, status }, ...waiters];
  const objects = [
    ...planted,
    ...(random.below(3) === 0 ? [] : podWithClaim(namespace, random)),
    ...(random.below(3) === 0 ? inForeground(namespace, random) : []),
    namespaceObject(namespace, random.below(16) === 0),
  ];
  const since = new Date(now - [5_000, 40_000, 90_000, 86_400_000][random.below(4)]!).toISOString();
  const text = JSON.stringify(objects).replaceAll(DELETED, since.replace('.000', ''));
  return JSON.parse(text) as JsonRecord[];
}

const deletion = { deletionTimestamp: DELETED };

function podWithClaim(namespace: string, random: Random): JsonRecord[] {
  const metadata = (name: string) => ({ namespace, name, uid: `${namespace}-${name}` });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata('reader'),
        ...(random.below(3) === 0 ? {} : { ...deletion, deletionGracePeriodSeconds: random.below(2) * 30 }),
        ...(random.below(4) === 0 ? { finalizers: ['nobody.example.com/hold'] } : {}),
      },
      spec: { nodeName: `node-${random.below(2)}`, containers: [{ name: 'app', image: 'a' }], volumes },
      status: { phase: 'Running' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...metadata('data'), ...deletion, finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { accessModes: ['ReadWriteOnce'] },
    },
  ];
}

/** A ConfigMap in foreground deletion with a dependent, which may be younger than the deletion. */
function inForeground(namespace: string, random: Random): JsonRecord[] {
  const owner = { namespace, name: 'owner', uid: `${namespace}-owner` };
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.name, uid: owner.uid };
  const created = new Date(now - [1_000, 50_000, 86_000_000][random.below(3)]!).toISOString();
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...owner, ...deletion, finalizers: ['foregroundDeletion'] },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        namespace,
        name: 'part',
        uid: `${namespace}-part`,
        creationTimestamp: created.replace('.000', ''),
        ownerReferences: [{ ...reference, blockOwnerDeletion: random.below(4) > 0 }],
        ...(random.below(2) === 0 ? deletion : {}),
        ...(random.below(4) === 0 ? { finalizers: ['nobody.example.com/hold'] } : {}),
      },
    },
  ];
}

function namespaceObject(name: string, isGoing: boolean): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: name, ...(isGoing ? deletion : {}) },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: isGoing ? 'Terminating' : 'Active' },
  };
}

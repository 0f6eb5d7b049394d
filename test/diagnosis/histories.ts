/**
 * Random histories of a small cluster with facts: workloads, pods, volumes, nodes and namespaces that come, go,
 * begin to be deleted and lose or gain owners. For properties of the diagnosis that hold after any of them.
 */
import fc from 'fast-check';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { JsonRecord } from '../../src/model/json/json.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now } from '../cli/documents/cluster.ts';

function builtIn(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no type ${kind}`);
  return type;
}

interface Role {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Specs and statuses that it may have. */
  readonly bodies: readonly JsonRecord[];
}

const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: {} };
const set = { spec: { replicas: 1, selector, template, serviceName: 'web' }, status: { replicas: 1 } };

function pod(nodeName: string, phase: string): JsonRecord {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }];
  return { spec: { nodeName, volumes, containers: [{ name: 'main' }] }, status: { phase } };
}

const ready = (status: string): JsonRecord => ({ status: { conditions: [{ type: 'Ready', status }] } });

function role(kind: string, namespace: string, name: string, ...bodies: readonly JsonRecord[]): Role {
  return { kind, namespace, name, uid: `${kind}-${namespace}-${name}`, bodies };
}

const cast: readonly Role[] = [
  role('StatefulSet', 'shop', 'web', set, {
    ...set,
    spec: { ...set.spec, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } },
  }),
  { ...role('StatefulSet', 'shop', 'web', set), uid: 'another-web' },
  role('Deployment', 'shop', 'api', { spec: { replicas: 1, selector, template } }),
  role('ReplicaSet', 'shop', 'api-1', { spec: { replicas: 1, selector, template } }),
  role('Job', 'shop', 'import', { spec: { selector, template } }),
  role('Pod', 'shop', 'web-0', pod('node-1', 'Running'), pod('node-1', 'Succeeded'), pod('', 'Pending')),
  role('Pod', 'shop', 'api-1-x', pod('node-2', 'Running'), pod('node-gone', 'Running')),
  role('Pod', 'infra', 'agent', pod('node-1', 'Running')),
  role('ControllerRevision', 'shop', 'web-1', {}),
  role('ConfigMap', 'shop', 'settings', {}),
  role('Secret', 'infra', 'token', {}),
  role('ClusterRole', '', 'reader', {}),
  role('PersistentVolumeClaim', 'shop', 'data-web-0', { spec: { volumeName: 'volume' } }),
  role('PersistentVolume', '', 'volume', {
    spec: { claimRef: { namespace: 'shop', name: 'data-web-0' } },
    status: { phase: 'Bound' },
  }),
  role('Node', '', 'node-1', ready('True'), ready('Unknown'), {
    ...ready('False'),
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  }),
  role('Node', '', 'node-2', ready('True')),
  role('Service', 'shop', 'web', {}),
  role(
    'Namespace',
    '',
    'shop',
    { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    {
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating', conditions: [{ type: 'NamespaceContentRemaining', status: 'True' }] },
    },
    { spec: { finalizers: [] }, status: { phase: 'Terminating' } },
  ),
];

const labels = [
  {},
  { app: 'web' },
  {
    app: 'web',
    'controller-revision-hash': 'web-1',
    'statefulset.kubernetes.io/pod-name': 'web-0',
    'apps.kubernetes.io/pod-index': '0',
  },
  { app: 'web', 'batch.kubernetes.io/job-name': 'import' },
  { app: 'other', 'pod-template-hash': '1' },
];

const finalizers = [
  [],
  [],
  ['foregroundDeletion'],
  ['orphan'],
  ['example.com/hold'],
  ['kubernetes.io/pvc-protection'],
  ['kubernetes.io/pv-protection'],
  ['batch.kubernetes.io/job-tracking'],
  ['service.kubernetes.io/load-balancer-cleanup'],
  ['foregroundDeletion', 'example.com/hold'],
];

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const anyReference = fc
  .record({
    owner: fc.constantFrom(...cast),
    name: rarely(fc.constant('other')),
    kind: rarely(fc.constantFrom('Wrong', 'Secret')),
    apiVersion: rarely(fc.constantFrom('core/v1', 'gone.example.com/v1')),
    uid: rarely(fc.constant('never-seen')),
    controller: fc.constantFrom(true, undefined),
    blockOwnerDeletion: fc.constantFrom(true, true, false),
  })
  .map(({ owner, name, kind, apiVersion, uid, ...flags }) => ({
    apiVersion: apiVersion ?? builtIn(owner.kind).apiVersion,
    kind: kind ?? owner.kind,
    name: name ?? owner.name,
    uid: uid ?? owner.uid,
    ...flags,
  }));

const MINUTE = 60_000;
const ages = [10_000, 45_000, 3 * MINUTE, 30 * MINUTE];

const anyObject: fc.Arbitrary<KubeObject> = fc
  .constantFrom(...cast)
  .chain(each =>
    fc.record({
      each: fc.constant(each),
      body: fc.constantFrom(...each.bodies),
      ownerReferences: fc.array(anyReference, { maxLength: 2 }),
      deletedFor: fc.constantFrom(undefined, undefined, ...ages),
      finalizers: fc.constantFrom(...finalizers),
      labels: fc.constantFrom(...labels),
      resourceVersion: fc.nat(99).map(String),
    }),
  )
  .map(({ each, body, deletedFor, ...metadata }) => {
    const object = objectJson.read(builtIn(each.kind), {
      ...body,
      metadata: {
        ...metadata,
        name: each.name,
        namespace: each.namespace,
        uid: each.uid,
        creationTimestamp: new Date(now - 60 * MINUTE).toISOString(),
        ...(deletedFor === undefined
          ? {}
          : {
              deletionTimestamp: new Date(now - deletedFor).toISOString(),
              deletionGracePeriodSeconds: 0,
            }),
      },
    });
    if (object === undefined) throw new Error(`no object of ${each.name}`);
    return object;
  });

/** Two objects cannot have one name: the former one is gone before another is made. */
function made(object: KubeObject): readonly Change[] {
  const former = cast.filter(
    ({ kind, namespace, name, uid }) =>
      kind === object.type.kind &&
      namespace === object.namespace &&
      name === object.name &&
      uid !== object.uid,
  );
  return [
    ...former.map(({ uid }) => ({ op: 'delete', uid: uid as KubeObject['uid'], type: object.type }) as const),
    { op: 'upsert', object },
  ];
}

const anyChange: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { weight: 5, arbitrary: anyObject.map(made) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...cast)
      .map(
        ({ uid, kind }) => [{ op: 'delete', uid: uid as KubeObject['uid'], type: builtIn(kind) }] as const,
      ),
  },
);

export interface Moment {
  readonly changes: readonly Change[];
  /** Milliseconds since the moment before. */
  readonly after: number;
}

export const anyHistory: fc.Arbitrary<readonly Moment[]> = fc.array(
  fc.record({
    changes: fc.array(anyChange, { maxLength: 4 }).map(each => each.flat()),
    after: fc.constantFrom(0, 0, 20_000, 2 * MINUTE, 20 * MINUTE),
  }),
  { maxLength: 14 },
);

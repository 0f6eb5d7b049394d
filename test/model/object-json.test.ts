import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonRecord } from '../../src/model/json/json.ts';
import { objectJson } from '../../src/model/object-json.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';

function typeOf(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no type ${kind}`);
  return type;
}

function facts(kind: string, yaml: string): unknown {
  const json = parse(yaml) as JsonRecord;
  return objectJson.read(typeOf(kind), { ...json, metadata: { name: 'x', uid: 'u' } })?.facts;
}

test('metadata is read whole', () => {
  const object = objectJson.read(
    typeOf('Pod'),
    parse(`
metadata:
  name: web-0
  namespace: shop
  uid: u1
  resourceVersion: "17"
  generation: 2
  creationTimestamp: 2026-11-12T09:00:00Z
  deletionTimestamp: "2026-11-21T11:48:30Z"
  deletionGracePeriodSeconds: 30
  finalizers: [example.com/drain]
  labels: {app: web, tier: front}
  ownerReferences:
  - {apiVersion: apps/v1, kind: StatefulSet, name: web, uid: o1, controller: true, blockOwnerDeletion: false}
  - {apiVersion: v1, kind: ConfigMap, name: lease, uid: o2}
`) as JsonRecord,
  );
  expect(object).toMatchObject({
    namespace: 'shop',
    name: 'web-0',
    uid: 'u1',
    resourceVersion: '17',
    generation: 2,
    deletionTimestamp: Date.UTC(2026, 10, 21, 11, 48, 30),
    deletionGracePeriodSeconds: 30,
    finalizers: ['example.com/drain'],
    labels: ['app', 'web', 'tier', 'front'],
    owners: [
      { name: 'web', uid: 'o1', controller: true, blockOwnerDeletion: false },
      { name: 'lease', uid: 'o2', controller: undefined, blockOwnerDeletion: undefined },
    ],
  });
});

test('an object without a name or uid is none', () => {
  expect(objectJson.read(typeOf('Pod'), { metadata: { name: 'x' } })).toBeUndefined();
  expect(objectJson.read(typeOf('Pod'), { metadata: { uid: 'x' } })).toBeUndefined();
  expect(objectJson.read(typeOf('Pod'), {})).toBeUndefined();
});

test('a namespace on a cluster-scoped object is ignored', () => {
  const node = objectJson.read(typeOf('Node'), { metadata: { name: 'n', uid: 'u', namespace: 'shop' } });
  expect(node?.namespace).toBe('');
});

test("a pod's mounted claims, ephemeral volumes and containers are counted", () => {
  expect(
    facts(
      'Pod',
      `
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 30
  containers: [{name: a}, {name: b}]
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-web-0}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {}}}
  - {name: config, configMap: {name: c}}
status:
  phase: Running
  conditions:
  - {type: Ready, status: "True", lastTransitionTime: "2026-11-12T09:00:00Z"}
  - {type: ContainersReady, status: "False", lastTransitionTime: "2026-11-12T09:00:00Z"}
  containerStatuses:
  - {name: a, ready: true, restartCount: 2, state: {running: {}}}
  - {name: b, ready: false, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}
`,
    ),
  ).toMatchObject({
    kind: 'Pod',
    nodeName: 'node-1',
    containers: 2,
    readyContainers: 1,
    restarts: 5,
    containerReason: 'CrashLoopBackOff',
    claims: ['data-web-0'],
    ephemeralVolumes: ['scratch'],
    conditions: [
      { type: 'Ready', since: undefined },
      { type: 'ContainersReady', since: Date.UTC(2026, 10, 12, 9) },
    ],
  });
});

test('the numbers of each workload are those that its kind counts by', () => {
  expect(facts('Deployment', '{}')).toMatchObject({ desired: 1, ready: 0, claimsWhenDeleted: '' });
  expect(
    facts('DaemonSet', '{status: {desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1}}'),
  ).toMatchObject({
    desired: 3,
    current: 2,
    ready: 1,
  });
  expect(
    facts('Job', '{spec: {completions: 5}, status: {active: 1, succeeded: 2, failed: 1}}'),
  ).toMatchObject({
    desired: 5,
    current: 4,
    ready: 2,
    active: 1,
    failed: 1,
    parallelism: 1,
  });
  expect(
    facts(
      'CronJob',
      '{spec: {suspend: true, jobTemplate: {spec: {template: {metadata: {labels: {a: b}}}}}}, status: {active: [{}, {}]}}',
    ),
  ).toMatchObject({ suspended: true, active: 2, templateLabels: ['a', 'b'], selector: undefined });
  expect(
    facts('StatefulSet', '{spec: {replicas: 0, volumeClaimTemplates: [{metadata: {name: data}}]}}'),
  ).toMatchObject({
    desired: 0,
    claimsWhenDeleted: 'Retain',
    claimsWhenScaled: 'Retain',
    claimTemplates: ['data'],
  });
});

test('a selector keeps apart nothing, everything and a bare map', () => {
  expect(facts('ReplicaSet', '{spec: {}}')).toMatchObject({ selector: undefined });
  expect(facts('ReplicaSet', '{spec: {selector: {}}}')).toMatchObject({
    selector: { matchLabels: [], matchExpressions: [] },
  });
  expect(facts('ReplicationController', '{spec: {selector: {a: b}}}')).toMatchObject({
    selector: { matchLabels: ['a', 'b'], matchExpressions: [] },
  });
});

test('any JSON at all is read without an exception, and strings stay strings', () => {
  const kinds = [
    'Pod',
    'Node',
    'Namespace',
    'Job',
    'StatefulSet',
    'PersistentVolume',
    'APIService',
    'CustomResourceDefinition',
  ];
  const odd = fc.jsonValue();
  fc.assert(
    fc.property(fc.constantFrom(...kinds), odd, odd, odd, odd, (kind, spec, status, labels, owners) => {
      const object = objectJson.read(typeOf(kind), {
        metadata: { name: 'x', uid: 'u', labels, ownerReferences: owners, finalizers: owners },
        spec,
        status,
      });
      expect(object?.finalizers.every(each => typeof each === 'string')).toBe(true);
      expect(object?.facts).toBeDefined();
    }),
  );
  // Also where the nesting is right and only the leaves are wrong.
  const wrong = { conditions: [7, null], containerStatuses: [[], { state: 'x', ready: 'yes' }], phase: {} };
  const pod = objectJson.read(typeOf('Pod'), {
    metadata: { name: 'x', uid: 'u', creationTimestamp: 'yesterday', generation: '3' },
    spec: { volumes: [null, { ephemeral: 1 }], containers: {} },
    status: wrong,
  });
  expect(pod?.facts).toMatchObject({ phase: 'Pending', containers: 0, readyContainers: 0 });
  expect(pod?.creationTimestamp).toBe(0);
});

test('a taint without a time equals one that the simulation adds', () => {
  const taint = { key: 'example.com/maintenance', value: '', effect: 'NoSchedule' };
  expect(facts('Node', JSON.stringify({ spec: { taints: [taint] } }))).toStrictEqual({
    kind: 'Node',
    unschedulable: false,
    taints: [taint],
    conditions: [],
  });
});

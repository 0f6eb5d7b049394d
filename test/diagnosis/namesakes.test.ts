/** Kinds of other groups with the names of Kubernetes' own: nothing about one is taken for the other. */
import { expect, test } from 'vitest';
import { isAlwaysRecreated, isCreatedFor } from '../../src/actions/prepare/built-in-controllers.ts';
import { uidsBelow } from '../../src/actions/prepare/expectations.ts';
import { type Prepared, prepare } from '../../src/actions/prepare/prepare.ts';
import { promises } from '../../src/actions/prepare/promise.ts';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import { Forecaster, forecast } from '../../src/forecast/compose/forecaster.ts';
import { recreatedObjects } from '../../src/forecast/plan/run-ends.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { KubeObject, type Uid } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { planWords } from '../../src/text/plan/plan-lines.ts';
import { listedBatch, listedView, now, objects } from '../cli/documents/cluster.ts';
import { deployment, nodes } from '../forecast/fixtures.ts';
import { emptiableWorld } from '../forecast/random-world.ts';

const foreign = new Map<ResourceType, ResourceType>();

function foreignType(type: ResourceType): ResourceType {
  let found = foreign.get(type);
  if (found === undefined) {
    found = { ...type, group: 'other.io', version: 'v1', apiVersion: 'other.io/v1', preferred: true };
    foreign.set(type, found);
  }
  return found;
}

const uidOf = (uid: string): Uid => `${uid}-namesake` as Uid;

/** Like the object in all but its group; owned by the namesakes of its owners. */
function namesake(object: KubeObject): KubeObject {
  return new KubeObject({
    ...object,
    type: foreignType(object.type),
    uid: uidOf(object.uid),
    owners: object.owners.map(owner => ({
      ...owner,
      apiVersion: 'other.io/v1',
      uid: uidOf(owner.uid),
    })),
    facts: undefined,
  });
}

function viewWith(given: readonly KubeObject[]): ClusterView {
  const view = listedView();
  const types = [...foreign.values()];
  const { statuses = [], ...batch } = listedBatch(given.map(object => ({ op: 'upsert', object }) as const));
  view.apply(
    {
      ...batch,
      types: [...builtInTypes, ...types],
      statuses: [
        ...statuses,
        ...types.map(type => ({ type, state: 'synced', count: 0, facts: false }) as const),
      ],
    },
    0,
  );
  return view;
}

const told = (view: ClusterView, at: number): string[] =>
  [...diagnoseCluster(view, at).all()]
    .filter(({ object }) => !object.uid.endsWith('-namesake'))
    .map(({ id, severity, message, remedies }) =>
      [id, severity, message, ...remedies().map(each => `${each.risk} ${each.id}`)].join('\n'),
    )
    .sort();

/** Codes of rules about one kind of Kubernetes' own. */
const ofOneKind =
  /^(?:Pod(?!.*Blocked)|Namespace(?!d|Gone)|Volume|LoadBalancer|CustomResourceCleanup|ConversionWebhook|AdmissionWebhook|Job|StatefulSet|ReplicaSet|Drain|WillBeAdopted)/u;

const stuck = `
- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Node, name: ready, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: silent, status: {conditions: [{type: Ready, status: "Unknown"}]}}
- {kind: StatefulSet, name: web, spec: {replicas: 2, selector: {matchLabels: {app: web}}}, status: {replicas: 2}}
- {kind: Pod, name: web-0, labels: {app: web}, owners: [apps/v1 StatefulSet web web +c +b], DELETED, deletionGracePeriodSeconds: 0, finalizers: [foregroundDeletion], spec: {nodeName: silent, containers: [{name: main}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 Pod web-0 web-0 +b], DELETED, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-1}, status: {phase: Bound}}
- {kind: PersistentVolume, name: pv-1, namespace: "", DELETED, finalizers: [kubernetes.io/pv-protection], spec: {claimRef: {namespace: shop, name: data, uid: data}}}
- {kind: PersistentVolumeClaim, name: kept, owners: [apps/v1 StatefulSet web web], spec: {volumeName: pv-2}, status: {phase: Bound}}
- {kind: Pod, name: web-1, labels: {app: web, statefulset.kubernetes.io/pod-name: web-1, controller-revision-hash: web-5}, spec: {nodeName: gone, containers: [{name: main}]}, status: {phase: Running}}
- {kind: ReplicaSet, name: api-5d8, labels: {app: api, pod-template-hash: 5d8}, spec: {replicas: 1, selector: {matchLabels: {pod-template-hash: 5d8}}}, status: {replicas: 1}}
- {kind: Service, name: lb, DELETED, finalizers: [service.kubernetes.io/load-balancer-cleanup]}
- {kind: Job, name: once, DELETED, finalizers: [foregroundDeletion]}
- {kind: CustomResourceDefinition, name: widgets.example.org, DELETED, finalizers: [customresourcecleanup.apiextensions.k8s.io], spec: {group: example.org, names: {kind: Widget, plural: widgets}, scope: Namespaced, versions: [{name: v1, served: true, storage: true}]}}
`.replaceAll('DELETED', 'deletionTimestamp: "2026-11-21T11:30:00Z"');

const fixed = objects(stuck).flatMap(change => (change.op === 'upsert' ? [change.object] : []));

/** Some of a random world and of what is stuck, part of it being deleted. */
function given(seed: number): KubeObject[] {
  const random = new Random(seed);
  const some = [...emptiableWorld(random), ...fixed].filter(() => random.below(4) > 0);
  const deletable = (object: KubeObject): boolean =>
    object.type.kind !== 'Namespace' && (object.finalizers.length > 0 || object.type.kind === 'Pod');
  return some.map(object =>
    object.deletionTimestamp === undefined && deletable(object) && random.below(2) === 0
      ? object.with({ deletionTimestamp: object.creationTimestamp, deletionGracePeriodSeconds: 0 })
      : object,
  );
}

test('findings about the kinds of Kubernetes stay as they are beside namesakes in other groups', () => {
  const codes = new Set<string>();
  for (let seed = 1; seed <= 25; seed++) {
    const alone = given(seed);
    const namesakes = alone.map(namesake);
    const view = viewWith([...alone, ...namesakes]);
    expect(told(view, now), `seed ${seed}`).toEqual(told(viewWith(alone), now));
    for (const { code, object } of diagnoseCluster(view, now).all()) {
      codes.add(code);
      if (object.uid.endsWith('-namesake')) expect(code, `seed ${seed}`).not.toMatch(ofOneKind);
    }
  }
  expect([...codes].filter(code => ofOneKind.test(code)).length).toBeGreaterThan(6);
});

test('forecasts about the kinds of Kubernetes stay as they are beside namesakes in other groups', () => {
  const plan = (view: ClusterView, target: KubeObject): unknown => {
    const forecasted = forecast(view, { verb: 'delete', cascade: 'background', targets: [target] }, { now });
    const { deleted, terminating, changed, recreated } = forecasted;
    const uids = [deleted, terminating, changed].map(list =>
      list.flatMap(({ object: { uid } }) => (uid.endsWith('-namesake') ? [] : [uid])).sort(),
    );
    return { uids, recreated: recreated.map(({ kind, count }) => `${count} ${kind}`) };
  };
  for (let seed = 1; seed <= 6; seed++) {
    const alone = given(seed);
    const target = alone[new Random(seed).below(alone.length)];
    // With a Namespace the namesakes in it are deleted.
    if (target === undefined || target.type.kind === 'Namespace') continue;
    const view = viewWith([...alone, ...alone.map(namesake)]);
    expect(plan(view, target), `seed ${seed}`).toEqual(plan(viewWith(alone), target));
  }
});

test('a namesake in another group is neither recreated by a controller of Kubernetes nor one of its own', () => {
  const typed = (apiVersion: string, kind: string) => ({ apiVersion, kind });
  expect(isAlwaysRecreated(typed('v1', 'Node'), typed('coordination.k8s.io/v1', 'Lease'))).toBe(true);
  expect(isAlwaysRecreated(typed('longhorn.io/v1beta2', 'Node'), typed('v1', 'Pod'))).toBe(false);
  expect(isCreatedFor(typed('apps/v1', 'StatefulSet'), typed('example.com/v1', 'Pod'))).toBe(false);
  expect(isCreatedFor(typed('extensions/v1beta1', 'ReplicaSet'), typed('v1', 'Pod'))).toBe(true);
});

function observed(yaml: string): KubeObject[] {
  return objects(yaml).flatMap(change => (change.op === 'upsert' ? [change.object] : []));
}

/** Objects, and the namesake of one of them, which has the same controller. */
function viewBeside(yaml: string, uid: string): ClusterView {
  const given = observed(yaml);
  return viewWith([
    ...given,
    ...given
      .filter(each => each.uid === uid)
      .map(each => new KubeObject({ ...namesake(each), owners: each.owners })),
  ]);
}

function deleting(view: ClusterView, ...uids: readonly string[]): Prepared {
  const targets = uids.map(uid => {
    const object = view.graph.get(uid as Uid)?.object;
    if (object === undefined) throw new Error(`no ${uid}`);
    return object;
  });
  const intent = { verb: 'delete', cascade: 'background', targets } as const;
  return prepare(Forecaster.create(view, { now }), intent, { secretData: false });
}

test('what is recreated makes up for no namesake that is deleted with it', () => {
  const idle = `${nodes}${deployment('api', 0)}`;
  const before = deleting(viewBeside(idle, 'api-h'), 'api-h', 'api-h-namesake');
  expect(before.forecast.recreated.map(({ count, kind }) => `${count} ${kind}`)).toEqual(['1 ReplicaSet']);
  const alone = idle.replace(/owners: \[apps.v1 Deployment[^\]]*\], /u, '');
  const after = deleting(viewWith(observed(alone)), 'api-h');
  expect(after.forecast.recreated).toEqual([]);
  expect(promises.areNoWorse(before, after)).toBe(false);
});

test('no namesake counts as the pod that is to be created', () => {
  const view = viewBeside(`${nodes}${deployment('api', 1)}`, 'api-h-0');
  const owner = view.graph.get('api-h' as Uid);
  const found = owner && uidsBelow(owner, { apiVersion: 'v1', kind: 'Pod' });
  expect([...(found ?? [])]).toEqual(['api-h-0']);
  const created = new Map(
    ['api-h-0', 'api-h-0-namesake'].map(uid => [
      uid as Uid,
      { before: undefined, after: view.graph.get(uid as Uid)?.object },
    ]),
  );
  expect(recreatedObjects(created, () => undefined, undefined)).toMatchObject([
    { apiVersion: 'other.io/v1', kind: 'Pod', count: 1 },
    { apiVersion: 'v1', kind: 'Pod', count: 1 },
  ]);
});

test('pods of a Node that is deleted with its namesake are shown with their node', () => {
  const [machine, node, ...pods] = observed(
    `- {kind: Node, name: machine}\n- {kind: Node, name: n1, owners: [other.io/v1 Node machine machine-namesake +c +b]}\n- {kind: Pod, name: p, spec: {nodeName: n1}, status: {phase: Running}}\n`,
  );
  if (machine === undefined || node === undefined) throw new Error('no nodes');
  const view = viewWith([namesake(machine), node, ...pods]);
  const { forecast: planned } = deleting(view, 'machine-namesake');
  const lines = [...planWords.lines(planned, { wide: false, steps: false })];
  const text = lines.map(({ spans }) => spans.map(each => each.text).join('')).join('\n');
  expect(text).toContain('p on n1');
});

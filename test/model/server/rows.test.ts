/** What each row of the table changes, seen where it is decided, on the last server without it and the first with it. */
import { describe, expect, it } from 'vitest';
import { Judgement } from '../../../src/collector/verdict.ts';
import { undecodableAdvice } from '../../../src/diagnosis/rules/apis/undecodable.ts';
import { OwnershipGraph } from '../../../src/graph/graph.ts';
import type { KubeObject, OwnerReference } from '../../../src/model/object.ts';
import type { BehaviourName } from '../../../src/model/server/behaviours.ts';
import { behaviours } from '../../../src/model/server/behaviours.ts';
import { ServerBehaviour } from '../../../src/model/server/server-behaviour.ts';
import { grace } from '../../../src/simulation/api/delete-rules.ts';
import { CollectorRequests, CollectorWorkers } from '../../../src/simulation/collector/collector-workers.ts';
import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import { DaemonSetController } from '../../../src/simulation/controllers/workloads/daemonset.ts';
import { JobController } from '../../../src/simulation/controllers/workloads/job.ts';
import { ReplicaSetController } from '../../../src/simulation/controllers/workloads/replicaset.ts';
import { StatefulSetController } from '../../../src/simulation/controllers/workloads/statefulset.ts';
import type { Controller } from '../../../src/simulation/runtime/controller.ts';
import { gang, nodes, planDelete, titles, typesWithGates, viewOf } from '../../forecast/fixtures.ts';
import { blockingRefTo, object, refTo, type, types } from '../../graph/fixtures.ts';
import { condition } from '../../podgc/fixtures.ts';
import { named, runningPod, workload, world } from '../../simulation/controllers/world.ts';
import { builtIn, cluster, NOW, names } from '../../simulation/fixtures.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';
const { pod: pods, configMap: configMaps } = types;
const widgets = type({ group: 'example.com', kind: 'Widget', resource: 'widgets' });

function of(version: string): ServerBehaviour {
  return new ServerBehaviour(version);
}

function collecting(version: string, kinds: readonly (typeof pods)[], objects: readonly KubeObject[]) {
  return cluster({
    behaviour: of(version),
    types: kinds,
    objects,
    processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
  });
}

/** Whether a change in a group is heard of that could not be discovered for a while. */
function heardOfFailedGroup(version: string): boolean {
  const owner = object({ type: widgets, uid: 'owner' });
  const running = collecting(
    version,
    [pods, widgets, configMaps],
    [owner, object({ type: pods, uid: 'pod', owners: [refTo(owner)] })],
  );
  running.start();
  running.run();
  running.discovery.setAvailability(widgets, 'undiscoverable');
  running.runFor(31_000);
  const collector = running.controller('garbage-collector');
  return (
    collector instanceof GarbageCollector &&
    collector.collectorState().monitors.some(({ resource }) => resource === 'widgets.example.com')
  );
}

/** What is left after a start while a kind cannot be listed, and once it can. */
function leftUnsynced(version: string): readonly (readonly string[])[] {
  const orphan = object({
    type: pods,
    uid: 'orphan',
    owners: [refTo(object({ type: configMaps, uid: 'gone' }))],
  });
  const running = collecting(version, [pods, configMaps, widgets], [orphan]);
  running.discovery.setAvailability(widgets, 'failing');
  running.start();
  running.runFor(3_600_000);
  const before = names(running.store.all());
  running.discovery.setAvailability(widgets, 'served');
  running.runFor(60_000);
  return [before, names(running.store.all())];
}

function leftOfMissingComponent(version: string): readonly string[] {
  const components = type({ kind: 'ComponentStatus', resource: 'componentstatuses', namespaced: false });
  const dependent = object({
    type: pods,
    uid: 'dependent',
    owners: [refTo(object({ type: components, uid: 'gone' }))],
  });
  const running = collecting(version, [pods, components], [dependent]);
  running.start();
  running.runFor(3_600_000);
  return names(running.store.all());
}

/** What a worker makes of an object that `meanwhile` changes between its look and its DELETE. */
function overtaken(
  version: string,
  meanwhile: (running: ReturnType<typeof cluster>, item: KubeObject) => void,
) {
  const owner = object({ type: types.controller, uid: 'owner' });
  const item = object({ type: pods, uid: 'item', owners: [refTo(owner)] });
  const running = cluster({
    behaviour: of(version),
    types: [pods, types.controller, configMaps],
    objects: [item],
  });
  const graph = new OwnershipGraph({ virtualOwners: 'until-collected', absentOwners: 500 });
  graph.process({ op: 'upsert', object: item, old: undefined });
  const worker = new CollectorWorkers({
    requests: new CollectorRequests({
      api: running.as('garbage-collector'),
      behaviour: running.api.behaviour,
      cache: running.store,
      resolve: (apiVersion, kind) => running.discovery.catalog.resolveKind(apiVersion, kind),
      watches: () => true,
    }),
    absent: graph.absent,
    queueDelete: () => {},
  });
  const node = graph.get(item.uid);
  if (node === undefined) throw new Error('no node');
  const decided = worker.attemptToDelete(node);
  meanwhile(running, item);
  return {
    outcome: typeof decided === 'string' ? decided : decided.go(),
    left: names(running.store.list(pods)),
  };
}

/** What stays in a namespace that is deleted while a finalizer holds a pod in it. */
function leftInNamespace(version: string): readonly string[] {
  const view = viewOf(`
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Pod, name: held, finalizers: [example.com/hold], spec: {containers: [{name: main}]}, status: {phase: Pending}}
- {kind: ConfigMap, name: settings}
- {kind: PersistentVolumeClaim, name: data}`);
  view.settings = { ...view.settings, serverVersion: version };
  const plan = planDelete(view, 'shop');
  return titles(plan.deleted);
}

/** The owners that a StatefulSet with whenDeleted Delete writes. */
function claimOwners(version: string, owners: readonly OwnerReference[] = []): readonly string[] {
  const set = workload('StatefulSet', 'db', {
    desired: 1,
    claimTemplates: ['data'],
    claimsWhenDeleted: 'Delete',
  });
  const claim = object({
    uid: 'uid-claim',
    name: 'data-db-0',
    namespace: 'default',
    type: builtIn('PersistentVolumeClaim'),
    owners,
  });
  const running = world([set, runningPod('db-0', set), claim], () => [new StatefulSetController()], {
    behaviour: of(version),
  });
  running.start('replay');
  running.run();
  return named(running, 'PersistentVolumeClaim', 'data-db-0').owners.map(
    ({ kind, controller, blockOwnerDeletion }) => `${kind} ${controller} ${blockOwnerDeletion}`,
  );
}

/** The finalizers of a pod that is being deleted and whose Job another controller manages. */
function guardsOfForeignJob(version: string): readonly string[] {
  const job = workload('Job', 'task', { parallelism: 1, active: 1, managedBy: 'example.com/controller' });
  const pod = runningPod('task-a', job, { finalizers: [TRACKING] });
  const running = world([job, pod], () => [new JobController()], { behaviour: of(version) });
  running.start('resume');
  running.as('user').delete(pod);
  running.runFor(9_000);
  return named(running, 'Pod', 'task-a').finalizers;
}

/** The finalizers of a pod whose Job is seen to finish. */
function guardsOfFinishedJob(version: string): readonly string[] {
  const job = workload('Job', 'task', { parallelism: 1, active: 1 });
  const pod = runningPod('task-a', job, { finalizers: [TRACKING] });
  const running = world([job, pod], () => [new JobController()], { behaviour: of(version) });
  running.start('resume');
  const { facts } = job;
  if (facts?.kind !== 'Workload') throw new Error('no Job');
  const finished = { ...facts, conditions: [condition('Complete', 'True')] };
  running.as('user').patch(job, { facts: finished }, { subresource: 'status' });
  running.runFor(9_000);
  return named(running, 'Pod', 'task-a').finalizers;
}

/** Who owns a pod that no selector matches, and whose controller reference has the right UID and another kind. */
function ownersOfMisnamed(
  version: string,
  owner: KubeObject,
  controller: () => Controller,
): readonly string[] {
  const owners = [{ ...blockingRefTo(owner), apiVersion: 'v1', kind: 'ConfigMap' }];
  const pod = runningPod('pod', undefined, { owners, labels: [] });
  const running = world([owner, pod], () => [controller()], { behaviour: of(version) });
  running.start('replay');
  running.run();
  return named(running, 'Pod', 'pod').owners.map(({ kind }) => kind);
}

function shortened(version: string) {
  const pod = object({ uid: 'pod', deletionTimestamp: NOW - 60_000, deletionGracePeriodSeconds: 60 });
  return grace(pod, { gracePeriodSeconds: 50 }, NOW, of(version));
}

function adviceOnUnreadable(version: string): string {
  const undecodable = { keys: [], resources: [], isDeletable: false };
  return undecodableAdvice(undecodable, undefined, of(version))
    .map(({ id }) => id)
    .join(' ');
}

const ownerReturns = (running: ReturnType<typeof cluster>, item: KubeObject): void => {
  const owner = object({ type: configMaps, uid: 'late' });
  running.store.put(owner);
  running.as('user').patch(item, { owners: [...item.owners, refTo(owner)] });
};
const somebodyDeletes = (running: ReturnType<typeof cluster>, item: KubeObject): void => {
  running.as('user').delete(item, { propagationPolicy: 'Background' });
};

/** How sure it is that the collector leaves a cluster-scoped object with a namespaced owner alone. */
function certaintyOfNamespacedOwner(serverVersion: string): string | undefined {
  const view = viewOf(
    '- {kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1, name: item, namespace: "", owners: [v1 ConfigMap owner owner]}',
  );
  view.settings = { ...view.settings, serverVersion };
  const node = view.graph.get('item' as KubeObject['uid']);
  return node && Judgement.of(view, node).certainty;
}

interface Row {
  readonly shows: (version: string) => unknown;
  /** The last version without it by default, and what it shows. */
  readonly before: readonly [version: string, shown: unknown];
  readonly since: readonly [version: string, shown: unknown];
}

/** Rows that other tests hold to their versions. */
const elsewhere = {
  podGcQuarantine: 'test/podgc/passes/rules-of-version.test.ts',
  podGcOutOfService: 'test/podgc/passes/rules-of-version.test.ts',
  podGcMarksFailed: 'test/podgc/passes/rules-of-version.test.ts',
  podGcEvictedFirst: 'test/podgc/passes/rules-of-version.test.ts',
  podGcMarksGeneration: 'test/podgc/passes/rules-of-version.test.ts',
  consistentListFromCache: 'test/kube/watch/reflector.long.test.ts',
} as const;

const rows: Readonly<Record<Exclude<BehaviourName, keyof typeof elsewhere>, Row>> = {
  leavesNamespacedOwners: {
    shows: certaintyOfNamespacedOwner,
    before: ['v1.19.16', 'assumed'],
    since: ['v1.20.0', 'exact'],
  },
  keepsFailedGroups: { shows: heardOfFailedGroup, before: ['v1.28.15', false], since: ['v1.29.0', true] },
  worksUnsynced: {
    shows: leftUnsynced,
    before: ['v1.31.14', [['orphan'], []]],
    since: ['v1.32.0', [[], []]],
  },
  deletesByResourceVersion: {
    shows: version => overtaken(version, ownerReturns),
    before: ['v1.33.13', { outcome: 'done', left: [] }],
    since: ['v1.34.0', { outcome: 'retry', left: ['item'] }],
  },
  believesNotFound: {
    shows: version => overtaken(version, somebodyDeletes).outcome,
    before: ['v1.35.4', 'retry'],
    since: ['v1.36.0', 'virtualDelete'],
  },
  missesComponentStatuses: {
    shows: leftOfMissingComponent,
    before: ['v1.32.13', ['dependent']],
    since: ['v1.33.0', []],
  },
  orderedNamespaceDeletion: {
    shows: leftInNamespace,
    before: ['v1.32.13', ['ConfigMap settings', 'PersistentVolumeClaim data']],
    since: ['v1.33.0', []],
  },
  claimRetention: {
    shows: claimOwners,
    before: ['v1.26.15', []],
    since: ['v1.27.0', ['StatefulSet undefined undefined']],
  },
  claimRetentionControls: {
    shows: claimOwners,
    before: ['v1.30.3', ['StatefulSet undefined undefined']],
    since: ['v1.31.0', ['StatefulSet true true']],
  },
  // Where the gate is off, the API server drops the field: who has it has the gate.
  jobManagedBy: { shows: guardsOfForeignJob, before: ['v1.29.6', []], since: ['v1.30.0', [TRACKING]] },
  jobReleasesFinishedPods: {
    shows: guardsOfFinishedJob,
    before: ['v1.28.15', [TRACKING]],
    since: ['v1.29.0', []],
  },
  startedJobsLackPodGroups: {
    shows: version => {
      const view = viewOf(`${nodes}${gang()}`, typesWithGates);
      view.settings = { ...view.settings, serverVersion: version };
      return planDelete(view, 'gang worker')
        .recreated.map(({ kind }) => kind)
        .sort();
    },
    before: ['v1.36.3', ['Pod', 'PodGroup']],
    since: ['v1.37.0', ['Pod']],
  },
  podsByReference: {
    shows: version =>
      ownersOfMisnamed(
        version,
        workload('ReplicaSet', 'set', { desired: 0 }),
        () => new ReplicaSetController('ReplicaSet'),
      ),
    before: ['v1.33.13', []],
    since: ['v1.34.0', ['ConfigMap']],
  },
  daemonPodsByReference: {
    shows: version =>
      ownersOfMisnamed(version, workload('DaemonSet', 'set'), () => new DaemonSetController()),
    before: ['v1.32.13', []],
    since: ['v1.33.0', ['ConfigMap']],
  },
  graceEndsNow: {
    shows: shortened,
    before: ['v1.32.13', { kind: 'graceful', at: NOW - 70_000, seconds: 50 }],
    since: ['v1.33.0', { kind: 'graceful', at: NOW, seconds: 1 }],
  },
  unreadDeletion: {
    shows: adviceOnUnreadable,
    before: ['v1.31.14', 'restore-object find-undecodable-in-etcd'],
    since: ['v1.32.0', 'restore-object name-undecodable'],
  },
};

describe('a row of the table', () => {
  it.each(Object.entries(rows))('%s shows', (_name, { shows, before, since }) => {
    expect(shows(before[0])).toEqual(before[1]);
    expect(shows(since[0])).toEqual(since[1]);
  });

  it('is shown, each of them', () => {
    expect(Object.keys({ ...rows, ...elsewhere }).sort()).toEqual(Object.keys(behaviours).sort());
  });
});

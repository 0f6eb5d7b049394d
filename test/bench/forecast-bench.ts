/**
 * `node --expose-gc test/bench/forecast-bench.ts`: what a forecast costs over a tree of 10,000 objects inside a
 * snapshot of 150,000, what many small ones on one forecaster do, and the memory beyond the snapshot.
 */

import { type Cascade, type DeleteAction } from '../../src/forecast/action.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { createForecaster } from '../../src/forecast/forecaster.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/changes.ts';
import type { Facts, PodFacts, WorkloadFacts } from '../../src/model/facts.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { isMonitored, type ResourceType } from '../../src/model/resource-type.ts';
import { admittedTolerations } from '../../src/model/tolerations.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { median } from './figures.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const NODES = 500;
const ROUNDS = 7;

function typeOf(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  return type;
}

let made = 0;

function object(kind: string, namespace: string, name: string, more: Partial<KubeObject> = {}): KubeObject {
  made++;
  return new KubeObject({
    type: typeOf(kind),
    namespace,
    name,
    uid: `uid-${made}` as Uid,
    resourceVersion: String(made) as ResourceVersion,
    generation: 1,
    creationTimestamp: NOW - 3_600_000,
    ...more,
  });
}

function ownedBy(owner: KubeObject): { readonly owners: readonly OwnerReference[] } {
  const { apiVersion, kind } = owner.type;
  const { name, uid } = owner;
  return { owners: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }] };
}

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
    conditions: [],
  };
}

const ready: Facts = {
  kind: 'Node',
  unschedulable: false,
  taints: [],
  conditions: [{ type: 'Ready', status: 'True', reason: '', message: '', since: undefined }],
};

function pod(index: number): PodFacts {
  return {
    kind: 'Pod',
    phase: 'Running',
    reason: '',
    nodeName: `node-${index % NODES}`,
    terminationGracePeriodSeconds: 30,
    containers: 1,
    readyContainers: 1,
    restarts: 0,
    containerReason: '',
    claims: [],
    ephemeralVolumes: [],
    tolerations: admittedTolerations([]),
    conditions: [{ type: 'Ready', status: 'True', reason: '', message: '', since: undefined }],
  };
}

/** A Deployment whose ReplicaSet has so many pods. */
function* deployment(namespace: string, name: string, pods: number): Generator<KubeObject> {
  const labels = ['app', name];
  const top = object('Deployment', namespace, name, { facts: workload(pods, labels) });
  yield top;
  const setLabels = [...labels, 'pod-template-hash', 'h'];
  const set = object('ReplicaSet', namespace, `${name}-h`, {
    ...ownedBy(top),
    labels: setLabels,
    facts: workload(pods, setLabels),
  });
  yield set;
  for (let i = 0; i < pods; i++) {
    yield object('Pod', namespace, `${name}-h-${i}`, { ...ownedBy(set), labels: setLabels, facts: pod(i) });
  }
}

/** The first Deployment has the large tree; the others fill the cluster. */
function snapshot(tree: number, total: number): { readonly view: ClusterView; readonly target: KubeObject } {
  const objects: KubeObject[] = [];
  for (let i = 0; i < NODES; i++) objects.push(object('Node', '', `node-${i}`, { facts: ready }));
  for (let i = 0; i < 100; i++) {
    const facts: Facts = {
      kind: 'Namespace',
      phase: 'Active',
      specFinalizers: ['kubernetes'],
      conditions: [],
    };
    objects.push(object('Namespace', '', `ns-${i}`, { facts }));
  }
  const large = [...deployment('ns-0', 'large', tree - 2)];
  const [target] = large;
  if (target === undefined) throw new Error('no target');
  objects.push(...large);
  for (let i = 0; objects.length < total; i++)
    objects.push(...deployment(`ns-${1 + (i % 99)}`, `app-${i}`, 10));
  const view = new ClusterView();
  view.apply({
    changes: objects.map((each): Change => ({ op: 'upsert', object: each })),
    types: builtInTypes,
    failedGroups: [],
    statuses: builtInTypes
      .filter(isMonitored)
      .map(type => ({ type, state: 'synced', count: 0, facts: true })),
    connection: { state: 'live' },
  });
  return { view, target };
}

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const out = (text: string): void => void process.stdout.write(`${text}\n`);

const { view, target } = snapshot(10_000, 150_000);
const held = memory();
out(`snapshot of ${view.graph.size} objects, ${held.toFixed(0)} MB`);
for (const cascade of ['background', 'foreground', 'orphan'] as const satisfies readonly Cascade[]) {
  const action: DeleteAction = { verb: 'delete', cascade, targets: [target] };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    forecast(view, action, { now: NOW });
    times.push(performance.now() - from);
  }
  const first = times[0] ?? 0;
  out(
    `${cascade.padEnd(11)} tree of 10,000      first ${first.toFixed(0)} ms, median ${median(times).toFixed(0)} ms`,
  );
}
manySmall(view);
out(`${(memory() - held).toFixed(1)} MB more than the snapshot in the end`);

/** Many small actions on one forecaster, as a diagnosis asks for them. */
function manySmall(view: ClusterView): void {
  const targets = [...view.graph.ofType(typeOf('Deployment'))]
    .slice(1)
    .filter((_, index) => index % 20 === 0);
  const from = performance.now();
  const forecaster = createForecaster(view, { now: NOW, scope: 'action' });
  out(`one forecaster, prepared in ${(performance.now() - from).toFixed(0)} ms`);
  for (const cascade of ['background', 'foreground', 'orphan'] as const satisfies readonly Cascade[]) {
    const times: number[] = [];
    for (const { object } of targets) {
      if (object === undefined) continue;
      const start = performance.now();
      forecaster.forecast({ verb: 'delete', cascade, targets: [object] });
      times.push(performance.now() - start);
    }
    out(
      `${cascade.padEnd(11)} ${times.length} trees of 12, each ${median(times).toFixed(2)} ms in the median, ${Math.max(...times).toFixed(0)} ms at most`,
    );
  }
}

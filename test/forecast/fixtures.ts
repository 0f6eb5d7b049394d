/** Small clusters for forecasts, from YAML briefs, and forecasts in words that tests can compare. */

import { TrackedView } from '../../src/diagnosis/engine/tracked-view.ts';
import { genericRemedy } from '../../src/diagnosis/remedies/generic.ts';
import { createHandledForecaster } from '../../src/diagnosis/waits/aftermath.ts';
import type { Action, ApplicableRemedy, Cascade } from '../../src/forecast/action.ts';
import { type ForecasterOptions, forecast } from '../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Identity } from '../../src/graph/node.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

export { now, viewOf };

const [like] = builtInTypes.filter(({ kind }) => kind === 'PodDisruptionBudget');

/** A kind of scheduling.k8s.io that is served with the feature gate GenericWorkload alone. */
function gated(kind: string): ResourceType {
  return {
    ...(like as ResourceType),
    group: 'scheduling.k8s.io',
    version: 'v1alpha2',
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind,
    resource: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
  };
}

export const typesWithGates = [...builtInTypes, gated('PodGroup'), gated('Workload')];

const gangJob = 'batch/v1 Job train train +c +b';
export const podGroup = (owners = ''): string =>
  `- {kind: PodGroup, name: gang, finalizers: [scheduling.k8s.io/podgroup-protection], owners: [${owners}]}\n`;
export const gangMember = (phase: string, owners = ''): string =>
  `- {kind: Pod, name: worker, owners: [${owners}], labels: {job: train}, spec: {schedulingGroup: {podGroupName: gang}, containers: [{name: main}]}, status: {phase: ${phase}}}\n`;

/** A Job with a PodGroup and a pending pod and, unless told, the Workload of both. */
export function gang(workload = true): string {
  const owners = `${gangJob}${workload ? ', scheduling.k8s.io/v1alpha2 Workload train-w train-w' : ''}`;
  return `
- {kind: Job, name: train, spec: {parallelism: 1, completions: 1, selector: {matchLabels: {job: train}}, template: {metadata: {labels: {job: train}}}}, status: {active: 1}}
${workload ? `- {kind: Workload, name: train-w, owners: [${gangJob}]}` : ''}
${podGroup(owners)}
${gangMember('Pending', gangJob).replace('labels:', 'finalizers: [batch.kubernetes.io/job-tracking], labels:')}`;
}

export const nodes = `
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: node-2, status: {conditions: [{type: Ready, status: "Unknown"}]}}
- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
`;

/** A running pod on node-1 with more fields in flow style: `, finalizers: [a/b]`. */
export function pod(name: string, owners: string, more = ''): string {
  return `
- {kind: Pod, name: ${name}, owners: [${owners}], spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}${more}}`;
}

/** A Deployment with one ReplicaSet and so many pods. */
export function deployment(name: string, replicas: number): string {
  const labels = `{app: ${name}, pod-template-hash: h}`;
  const pods = Array.from({ length: replicas }, (_, index) =>
    pod(`${name}-h-${index}`, `apps/v1 ReplicaSet ${name}-h ${name}-h +c +b`, `, labels: ${labels}`),
  );
  return `
- {kind: Deployment, name: ${name}, generation: 1, spec: {replicas: ${replicas}, selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}}}}
- {kind: ReplicaSet, name: ${name}-h, generation: 1, labels: ${labels}, owners: [apps/v1 Deployment ${name} ${name} +c +b], spec: {replicas: ${replicas}, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: ${replicas}}}${pods.join('')}
`;
}

export function objectOf(view: ClusterView, uid: string): KubeObject {
  const object = view.graph.get(uid as Uid)?.object;
  if (object === undefined) throw new Error(`no ${uid}`);
  return object;
}

export function planDelete(
  view: ClusterView,
  targets: string,
  cascade: Cascade = 'background',
  options: Partial<ForecasterOptions> = {},
): Forecast {
  const action: Action = {
    verb: 'delete',
    cascade,
    targets: targets.split(' ').map(uid => objectOf(view, uid)),
  };
  return forecast(view, action, { now, ...options });
}

/** The same by a forecaster that knows who removes finalizers; `none` where there are no targets. */
export function planHandled(view: ClusterView, targets = '', cascade: Cascade = 'background'): Forecast {
  const uids = targets.split(' ').filter(uid => uid !== '');
  const action: Action =
    uids.length === 0
      ? { verb: 'none' }
      : { verb: 'delete', cascade, targets: uids.map(uid => objectOf(view, uid)) };
  return createHandledForecaster(view, { now }).forecast(action);
}

/** The Namespace `ops` with a Deployment that carries a label of example.com, with so many ready pods. */
export function operator(ready: number, namespace = 'ops', name = 'drain-operator'): string {
  return `
- {kind: Namespace, name: ops, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Deployment, name: ${name}, namespace: ${namespace}, generation: 1, labels: {example.com/part: all}, spec: {replicas: 1, selector: {matchLabels: {app: o}}, template: {metadata: {labels: {app: o}}}}, status: {replicas: 1, readyReplicas: ${ready}, observedGeneration: 1}}
`;
}

export function plan(view: ClusterView, verb: 'none' | 'restart'): Forecast {
  return forecast(view, { verb }, { now });
}

export function planUnblock(view: ClusterView, target: string, remedy: string): Forecast {
  const object = objectOf(view, target);
  return forecast(view, { verb: 'unblock', target: object, remedy: remedyOf(view, object, remedy) }, { now });
}

/** Of those that the object as it is gives cause for. */
export function remedyOf(view: ClusterView, object: KubeObject, id: string): ApplicableRemedy {
  const remedy = genericRemedy(new TrackedView(view, now), object, id);
  if (remedy === undefined) throw new Error(`${object.name} gives no cause for ${id}`);
  return remedy;
}

/** `Pod web-0` */
export function title({ kind, name }: Identity): string {
  return `${kind} ${name}`;
}

export function titles(list: readonly { readonly object: Identity }[]): string[] {
  return list.map(({ object }) => title(object));
}

/** What a terminating object waits for; undefined where it isn't in the list. */
export function waits(plan: Forecast, wanted: string): readonly string[] | undefined {
  return plan.terminating.find(({ object }) => title(object) === wanted)?.waitingFor;
}

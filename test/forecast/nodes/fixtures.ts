/** A cluster with a node that answers, one that doesn't, and something of every kind on each. */
import type { Action } from '../../../src/forecast/action.ts';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast, NodeEffects } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { podGcNodes } from '../../../src/podgc/passes/node-condition.ts';
import { now, objectOf } from '../fixtures.ts';

/** `ready: "True"` where the kubelet answers; taints in flow style. */
export function node(name: string, ready: string, taints = ''): string {
  return `
- {kind: Node, name: ${name}, spec: {taints: [${taints}]}, status: {conditions: [{type: Ready, status: "${ready}"}]}}`;
}

export interface PodOn {
  readonly node: string;
  readonly owners?: string;
  /** More fields of the metadata in flow style: `finalizers: [a/b]`. */
  readonly more?: string;
  /** More fields of the spec. */
  readonly spec?: string;
  readonly phase?: string;
}

export function podOn(name: string, { node: nodeName, owners = '', more, spec, phase }: PodOn): string {
  return `
- {kind: Pod, name: ${name}, owners: [${owners}], spec: {nodeName: ${nodeName}, terminationGracePeriodSeconds: 30, containers: [{name: main}]${spec === undefined ? '' : `, ${spec}`}}, status: {phase: ${phase ?? 'Running'}, conditions: [{type: Ready, status: "True"}]}${more === undefined ? '' : `, ${more}`}}`;
}

/** A StatefulSet of one pod, `NAME-0`, with the claim `data-NAME-0`. */
export function statefulSet(name: string, nodeName: string, more = ''): string {
  const labels = `{app: ${name}}`;
  return `
- {kind: StatefulSet, name: ${name}, spec: {replicas: 1, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}, volumeClaimTemplates: [{metadata: {name: data}}]}, status: {replicas: 1}}
- {kind: PersistentVolumeClaim, name: data-${name}-0, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-${name}}, status: {phase: Bound}}${podOn(`${name}-0`, { node: nodeName, owners: `apps/v1 StatefulSet ${name} ${name} +c +b`, more: `labels: ${labels}${more}`, spec: `volumes: [{name: data, persistentVolumeClaim: {claimName: data-${name}-0}}]` })}`;
}

export const namespace = `
- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Active}}`;

export function planTaint(view: ClusterView, nodes: string, effect = 'NoExecute'): Forecast {
  const action: Action = {
    verb: 'taint',
    taint: { ...podGcNodes.outOfServiceTaint, effect },
    targets: nodes.split(' ').map(uid => objectOf(view, uid)),
  };
  return forecast(view, action, { now });
}

export function effectsOf({ nodes }: Forecast): NodeEffects {
  if (nodes === undefined) throw new Error('the action touches no node');
  return nodes;
}

/** `db-0 Deleted by pod-garbage-collector 40..80`, in seconds from now. */
export function fates(plan: Forecast): string[] {
  return effectsOf(plan).pods.map(({ pod, fate, by, when, heldBy }) => {
    const seconds = (at: number): number => Math.round((at - now) / 1000);
    const span = when === undefined ? '' : ` ${seconds(when.earliest)}..${seconds(when.latest)}`;
    const held = heldBy.length === 0 ? '' : ` held by ${heldBy.join(', ')}`;
    return `${pod.name} ${fate}${by === undefined ? '' : ` by ${by}`}${span}${held}`;
  });
}

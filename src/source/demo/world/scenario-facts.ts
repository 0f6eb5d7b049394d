/**
 * Facts that nothing in the simulation writes, such as defaults and node conditions
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36).
 */
import {
  type Condition,
  type Facts,
  factsJson,
  type JsonRecord,
  KubeObject,
  type Labels,
  list,
  type NodeFacts,
  type PodFacts,
  type ResourceVersion,
  record,
  type Taint,
  text,
  tolerationRules,
  type Uid,
} from '../../../model/index.ts';
import { deleteRules } from '../../../simulation/index.ts';
import { builtInTypes } from '../../built-in-types.ts';

/** Selects a Job's pods by its uid by default (pkg/registry/batch/job/strategy.go, v1.36). */
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

export function withDefaults(facts: Facts | undefined, uid: string, kind: string): Facts | undefined {
  if (facts?.kind === 'Pod') {
    const terminationGracePeriodSeconds = facts.terminationGracePeriodSeconds ?? 30;
    const tolerations = tolerationRules.admitted(facts.tolerations);
    return { ...facts, phase: facts.phase || 'Pending', terminationGracePeriodSeconds, tolerations };
  }
  if (facts?.kind === 'Workload' && kind === 'Job' && facts.selector === undefined) {
    const labels = [CONTROLLER_UID, uid];
    const selector = { matchLabels: labels, matchExpressions: [] };
    return { ...facts, selector, templateLabels: [...facts.templateLabels, ...labels] };
  }
  if (facts?.kind === 'PersistentVolumeClaim') return { ...facts, phase: facts.phase || 'Pending' };
  return facts;
}

/** Applies a JSON merge patch to labels: null removes a label. */
export function mergedLabels(labels: Labels, patch: unknown): Labels {
  const merged = new Map<string, string>();
  for (let i = 0; i < labels.length; i += 2) merged.set(labels[i] ?? '', labels[i + 1] ?? '');
  for (const [key, value] of Object.entries(record(patch))) {
    if (value === null) merged.delete(key);
    else merged.set(key, text(value));
  }
  return [...merged].flat();
}

function templateLabels(spec: JsonRecord): unknown {
  return record(record(spec['template'])['metadata'])['labels'];
}

export function patchedWorkload(current: KubeObject, patch: JsonRecord): Facts | undefined {
  const { facts, type } = current;
  const spec = record(patch['spec']);
  const wanted = factsJson.read(type, patch);
  if (facts?.kind !== 'Workload' || wanted?.kind !== 'Workload') return facts;
  const retention = 'persistentVolumeClaimRetentionPolicy' in spec;
  return {
    ...facts,
    ...('replicas' in spec ? { desired: wanted.desired } : {}),
    ...('template' in spec
      ? { templateLabels: mergedLabels(facts.templateLabels, templateLabels(spec)) }
      : {}),
    ...('suspend' in spec || 'paused' in spec ? { suspended: wanted.suspended } : {}),
    ...(retention
      ? { claimsWhenDeleted: wanted.claimsWhenDeleted, claimsWhenScaled: wanted.claimsWhenScaled }
      : {}),
  };
}

/** Applies a merge patch to a pod's status, a budget's counts or a ResourceClaim's reservations. */
export function patchedStatus({ facts, type }: KubeObject, patch: JsonRecord): Facts | undefined {
  if (facts?.kind === 'ResourceClaim') return factsJson.read(type, patch);
  if (facts?.kind === 'PodDisruptionBudget') return { ...facts, ...countsIn(record(patch['status'])) };
  if (facts?.kind !== 'Pod') return facts;
  const { phase, reason } = record(patch['status']);
  return {
    ...facts,
    ...(phase === undefined ? {} : { phase: text(phase) }),
    ...(reason === undefined ? {} : { reason: text(reason) }),
  };
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

function countsIn(status: JsonRecord): Partial<Record<(typeof counts)[number], number>> {
  return Object.fromEntries(counts.flatMap(key => (key in status ? [[key, Number(status[key])]] : [])));
}

export function patchedFinalizers({ facts }: KubeObject, patch: JsonRecord): Facts | undefined {
  if (facts?.kind !== 'Namespace') return facts;
  return { ...facts, specFinalizers: list(record(patch['spec'])['finalizers']).map(text) };
}

const UNREACHABLE = 'node.kubernetes.io/unreachable';

function unreachable(since: number): readonly Taint[] {
  return ['NoSchedule', 'NoExecute'].map(effect => ({
    key: UNREACHABLE,
    value: '',
    effect,
    timeAdded: deleteRules.wholeSeconds(since),
  }));
}

const outOfService: Taint = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

/** Facts of a node whose kubelet reports. Times are milliseconds since the epoch. */
export function readyNodeFacts(since: number): NodeFacts {
  return {
    kind: 'Node',
    unschedulable: false,
    taints: [],
    conditions: [
      ready({ status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }, since),
    ],
  };
}

export function readyNode(name: string, since: number): KubeObject {
  const type = builtInTypes.find(each => each.kind === 'Node' && each.preferred);
  if (type === undefined) throw new Error('nodes are not among the built-in types');
  return new KubeObject({
    type,
    name,
    // Branded here, because no API server identifies these nodes.
    uid: name as Uid,
    resourceVersion: '1' as ResourceVersion,
    creationTimestamp: since,
    labels: ['kubernetes.io/hostname', name],
    facts: readyNodeFacts(since),
  });
}

/** Marks the node unreachable after long silence of its kubelet. */
export function stoppedNodeFacts(facts: NodeFacts, since: number): NodeFacts {
  const silent = {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  };
  const taints = facts.taints.filter(({ key }) => key !== UNREACHABLE);
  return {
    ...facts,
    taints: [...taints, ...unreachable(since)],
    conditions: withReady(facts, ready(silent, since)),
  };
}

/** Marks the node ready again. Taints set by a person stay. */
export function startedNodeFacts(facts: NodeFacts, since: number): NodeFacts {
  const taints = facts.taints.filter(({ key }) => key !== UNREACHABLE);
  return { ...facts, taints, conditions: readyNodeFacts(since).conditions };
}

export function cordonedNodeFacts(facts: NodeFacts): NodeFacts {
  return { ...facts, unschedulable: true };
}

/** Adds the out-of-service taint, as a person would (docs/kubernetes.md §7). */
export function taintedNodeFacts(facts: NodeFacts, effect = outOfService.effect): NodeFacts {
  const taints = facts.taints.filter(({ key }) => key !== outOfService.key);
  return { ...facts, taints: [...taints, { ...outOfService, effect }] };
}

/** Sets a running pod's readiness from the state of its node. */
export function readinessOnNode(facts: PodFacts, isReady: boolean, since: number): PodFacts {
  const condition: Condition = isReady
    ? { type: 'Ready', status: 'True', reason: '', message: '', since: undefined }
    : { type: 'Ready', status: 'False', reason: 'NodeNotReady', message: '', since };
  return {
    ...facts,
    readyContainers: isReady ? facts.containers : 0,
    conditions: withReady(facts, condition),
  };
}

function ready(is: Pick<Condition, 'status' | 'reason' | 'message'>, since: number): Condition {
  return { type: 'Ready', ...is, since };
}

function withReady(facts: NodeFacts | PodFacts, condition: Condition): readonly Condition[] {
  return [...facts.conditions.filter(({ type }) => type !== 'Ready'), condition];
}

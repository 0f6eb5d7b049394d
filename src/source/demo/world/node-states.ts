/**
 * What a Node object says when its kubelet works, falls silent, or somebody declares it out of service: the
 * facts that the kubelet and the node lifecycle controller write
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36). The simulation has no machines, so a
 * scenario says what becomes of them.
 */
import type { Condition, NodeFacts, PodFacts, Taint } from '../../../model/facts/facts.ts';
import { KubeObject, type ResourceVersion, type Uid } from '../../../model/object.ts';
import { wholeSeconds } from '../../../simulation/api/deletion.ts';
import { builtInTypes } from '../../built-in-types.ts';

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** As the node lifecycle controller writes them. */
function unreachable(since: number): readonly Taint[] {
  return ['NoSchedule', 'NoExecute'].map(effect => ({
    key: UNREACHABLE,
    value: '',
    effect,
    timeAdded: wholeSeconds(since),
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

/** `node-1` and so on, ready. */
export function readyNode(name: string, since: number): KubeObject {
  const type = builtInTypes.find(each => each.kind === 'Node' && each.preferred);
  if (type === undefined) throw new Error('nodes are not among the built-in types');
  return new KubeObject({
    type,
    name,
    // Branded here, because no API server gives these nodes their identity.
    uid: name as Uid,
    resourceVersion: '1' as ResourceVersion,
    creationTimestamp: since,
    labels: ['kubernetes.io/hostname', name],
    facts: readyNodeFacts(since),
  });
}

/** Its kubelet was not heard of for so long that the node counts as unreachable. */
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

/** Its kubelet is back. Taints that a person set stay. */
export function startedNodeFacts(facts: NodeFacts, since: number): NodeFacts {
  const taints = facts.taints.filter(({ key }) => key !== UNREACHABLE);
  return { ...facts, taints, conditions: readyNodeFacts(since).conditions };
}

/** A person declares that it won't come back (docs/kubernetes.md §7). */
export function taintedNodeFacts(facts: NodeFacts, effect = outOfService.effect): NodeFacts {
  const taints = facts.taints.filter(({ key }) => key !== outOfService.key);
  return { ...facts, taints: [...taints, { ...outOfService, effect }] };
}

/** A running pod's readiness as the state of its node decides it. */
export function readinessOnNode(facts: PodFacts, isReady: boolean, since: number): PodFacts {
  const condition: Condition = isReady
    ? { type: 'Ready', status: 'True', reason: '', message: '', since: undefined }
    : { type: 'Ready', status: 'False', reason: 'NodeNotReady', message: '', since };
  return {
    ...facts,
    readyContainers: isReady ? facts.containers : 0,
    conditions: [...facts.conditions.filter(({ type }) => type !== 'Ready'), condition],
  };
}

function ready(is: Pick<Condition, 'status' | 'reason' | 'message'>, since: number): Condition {
  return { type: 'Ready', ...is, since };
}

function withReady(facts: NodeFacts, condition: Condition): readonly Condition[] {
  return [...facts.conditions.filter(({ type }) => type !== 'Ready'), condition];
}

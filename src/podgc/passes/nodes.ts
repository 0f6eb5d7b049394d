/** Nodes as PodGC sees them, the state of their kubelets, and pods that the taint evicts. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import type { Taint } from '../../model/facts/facts.ts';
import { tolerates } from '../../model/facts/tolerations.ts';
import { isNodeReady, type KubeObject, nodeFacts, podFacts } from '../../model/object.ts';
import { hasOutOfServiceTaint, OUT_OF_SERVICE_TAINT } from './passes.ts';

export type NodeCondition =
  /** The kubelet reports, so it decides about its pods. */
  | 'Ready'
  | 'NotReady'
  | 'OutOfService'
  | 'TaintedButReady'
  /** No such Node object exists. */
  | 'Missing';

export function nodeCondition(node: KubeObject): NodeCondition {
  const ready = isNodeReady(node);
  if (hasOutOfServiceTaint(node)) return ready ? 'TaintedButReady' : 'OutOfService';
  return ready ? 'Ready' : 'NotReady';
}

/**
 * Activity of a node's kubelet. `Reports`: it reports itself not ready, so it runs and may stop containers; for a
 * silent one the node lifecycle controller writes Unknown.
 */
export type KubeletState = 'Ready' | 'Reports' | 'Silent';

export function kubeletOf(node: KubeObject): KubeletState {
  if (isNodeReady(node)) return 'Ready';
  const ready = nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? 'Reports' : 'Silent';
}

/** Example from Kubernetes' documentation; PodGC and the attach/detach controller only check the key. */
export const outOfServiceTaint: Taint = {
  key: OUT_OF_SERVICE_TAINT,
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

export function evictablePods(pods: readonly KubeObject[]): readonly KubeObject[] {
  return pods.filter(pod => {
    const facts = podFacts(pod);
    return facts !== undefined && !isDeleting(pod) && !tolerates(facts.tolerations, outOfServiceTaint);
  });
}

/** Looks up each missing node once; `isWanted` selects the namespaces of pods. */
export function missingNodes(view: ClusterView, isWanted: (namespace: string) => boolean): readonly LookUp[] {
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const podType = view.catalog.resolveKind('v1', 'Pod');
  if (nodeType === undefined || podType === undefined) return [];
  // Within a scope, answers request the nodes they need.
  if (view.scope !== undefined || !view.sees(nodeType, '')) return [];
  const found = new Map<string, LookUp>();
  for (const { object } of view.graph.ofType(podType)) {
    const name = (object && podFacts(object)?.nodeName) ?? '';
    if (object === undefined || name === '' || found.has(name) || !isWanted(object.namespace)) continue;
    if (view.graph.find(nodeType, '', name) !== undefined) continue;
    found.set(name, nodeLookUp(name));
  }
  return [...found.values()];
}

export function nodeLookUp(name: string): LookUp {
  return { of: 'object', apiVersion: 'v1', kind: 'Node', namespace: '', name, uid: '' };
}

/** Nodes as PodGC looks at them: ready, out of service or missing, what their kubelet does, and whom the taint evicts. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import type { Taint } from '../../model/facts/facts.ts';
import { tolerates } from '../../model/facts/tolerations.ts';
import { isNodeReady, type KubeObject, nodeFacts, podFacts } from '../../model/object.ts';
import { hasOutOfServiceTaint, OUT_OF_SERVICE_TAINT } from './passes.ts';

/** As PodGC's rules see a node. */
export type NodeCondition =
  /** Its kubelet reports, so it has the last word on its pods. */
  | 'Ready'
  | 'NotReady'
  /** Not ready and tainted out of service. */
  | 'OutOfService'
  /** Tainted out of service, and ready all the same. */
  | 'TaintedButReady'
  /** There is no such Node object. */
  | 'Missing';

export function nodeCondition(node: KubeObject): NodeCondition {
  const ready = isNodeReady(node);
  if (hasOutOfServiceTaint(node)) return ready ? 'TaintedButReady' : 'OutOfService';
  return ready ? 'Ready' : 'NotReady';
}

/**
 * Whether the kubelet of a node answers. `Reports`: it says itself that it isn't ready, so its machine runs, and it may
 * well stop containers; the node lifecycle controller would have written Unknown for one that has fallen silent.
 */
export type KubeletState = 'Ready' | 'Reports' | 'Silent';

export function kubeletOf(node: KubeObject): KubeletState {
  if (isNodeReady(node)) return 'Ready';
  const ready = nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? 'Reports' : 'Silent';
}

/** As Kubernetes' documentation writes it; PodGC and the attach/detach controller look at the key alone. */
export const outOfServiceTaint: Taint = {
  key: OUT_OF_SERVICE_TAINT,
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

/** The pods that the taint evicts: they aren't being deleted yet and don't tolerate it. */
export function evictablePods(pods: readonly KubeObject[]): readonly KubeObject[] {
  return pods.filter(pod => {
    const facts = podFacts(pod);
    return facts !== undefined && !isDeleting(pod) && !tolerates(facts.tolerations, outOfServiceTaint);
  });
}

/** Each once. `isWanted`: of which namespaces pods count. */
export function missingNodes(view: ClusterView, isWanted: (namespace: string) => boolean): readonly LookUp[] {
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const podType = view.catalog.resolveKind('v1', 'Pod');
  if (nodeType === undefined || podType === undefined) return [];
  // Of the nodes of a scope those are looked up that an answer needs.
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

/** Nodes as PodGC sees them, the state of their kubelets, and pods that the taint evicts. */
import { type ClusterView, isDeleting } from '../../graph/index.ts';
import {
  type KubeObject,
  type LookUp,
  nodeFacts,
  objectState,
  podFacts,
  type Taint,
  tolerationRules,
} from '../../model/index.ts';
import { outOfServiceNodes } from './select-pods.ts';

export type NodeCondition =
  /** The kubelet reports, so it decides about its pods. */
  | 'Ready'
  | 'NotReady'
  | 'OutOfService'
  | 'TaintedButReady'
  /** No such Node object exists. */
  | 'Missing';

export function nodeCondition(node: KubeObject): NodeCondition {
  const ready = objectState.isNodeReady(node);
  if (outOfServiceNodes.isOn(node)) return ready ? 'TaintedButReady' : 'OutOfService';
  return ready ? 'Ready' : 'NotReady';
}

/**
 * Activity of a node's kubelet. `Reports`: it reports itself not ready, so it runs and may stop containers; for a
 * silent one the node lifecycle controller writes Unknown.
 */
export type KubeletState = 'Ready' | 'Reports' | 'Silent';

function kubeletOf(node: KubeObject): KubeletState {
  if (objectState.isNodeReady(node)) return 'Ready';
  const ready = nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? 'Reports' : 'Silent';
}

/** Example from Kubernetes' documentation; PodGC and the attach/detach controller only check the key. */
const outOfServiceTaint: Taint = {
  key: outOfServiceNodes.key,
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

export function evictablePods(pods: readonly KubeObject[]): readonly KubeObject[] {
  return pods.filter(pod => {
    const facts = podFacts(pod);
    return (
      facts !== undefined &&
      !isDeleting(pod) &&
      !tolerationRules.tolerates(facts.tolerations, outOfServiceTaint)
    );
  });
}

/** Looks up each missing node once; `isWanted` selects the namespaces of pods. */
function missingNodes(view: ClusterView, isWanted: (namespace: string) => boolean): readonly LookUp[] {
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

function nodeLookUp(name: string): LookUp {
  return { of: 'object', apiVersion: 'v1', kind: 'Node', namespace: '', name, uid: '' };
}

export const podGcNodes = { outOfServiceTaint, missing: missingNodes, lookUp: nodeLookUp };

export const KubeletState = { of: kubeletOf };

/** Decides which nodes have a running kubelet; in a source without nodes, every one has. */
import {
  type KubeObject,
  labelRules,
  nodeFacts,
  objectState,
  type PodFacts,
  type Taint,
  tolerationRules,
} from '../../../model/index.ts';
import type { ControllerContext } from '../../runtime/controller.ts';

export interface NodeOptions {
  /** False if the source cannot list nodes: an absent node then proves nothing. */
  readonly nodesKnown?: boolean;
  readonly isDeaf?: (node: string) => boolean;
}

/** Returns true if the node is ready and exists, even if only finalizers hold it. */
export function hasKubelet(context: ControllerContext, name: string, options: NodeOptions): boolean {
  if (options.isDeaf?.(name) === true) return false;
  const node = context.find('Node', '', name);
  if (options.nodesKnown === false && (node === undefined || nodeFacts(node) === undefined))
    return name !== '';
  return node !== undefined && objectState.isNodeReady(node);
}

/**
 * Follows TaintToleration, NodeUnschedulable and, of NodeAffinity, the pod's nodeSelector; an unready node counts as tainted, as its controller would taint it.
 */
export function isSchedulable(
  node: KubeObject,
  { tolerations, nodeSelector }: Pick<PodFacts, 'tolerations' | 'nodeSelector'>,
): boolean {
  const facts = nodeFacts(node);
  if (facts === undefined) return false;
  if (!labelRules.selects({ matchLabels: nodeSelector, matchExpressions: [] }, node.labels)) return false;
  const taints = facts.taints.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (facts.unschedulable) taints.push(noSchedule('node.kubernetes.io/unschedulable'));
  if (!objectState.isNodeReady(node)) taints.push(noSchedule('node.kubernetes.io/not-ready'));
  return taints.every(taint => tolerationRules.tolerates(tolerations, taint));
}

function noSchedule(key: string): Taint {
  return { key, value: '', effect: 'NoSchedule' };
}

/**
 * Which nodes have a kubelet at work, as scheduler, kubelets and DaemonSets have to agree on it. Apart from them
 * because a source may hold no nodes at all, and then every node is taken to be at work.
 */
import type { Taint, Toleration } from '../../../model/facts/facts.ts';
import { tolerates } from '../../../model/facts/tolerations.ts';
import { isNodeReady, type KubeObject, nodeFacts } from '../../../model/object.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import type { ControllerContext } from '../../runtime/controller.ts';

export interface NodeOptions {
  /** Off where the source cannot list nodes: then nothing is concluded from a node that isn't there. */
  readonly nodesKnown?: boolean;
  /** Whether the kubelet of a node that is ready starts and stops no containers all the same; none unless told. */
  readonly isDeaf?: (node: string) => boolean;
}

export function isNode(type: ResourceType): boolean {
  return type.group === '' && type.kind === 'Node';
}

/** The cached node of this name. */
export function nodeNamed(context: ControllerContext, name: string): KubeObject | undefined {
  const type = context.type('v1', 'Node');
  return type === undefined ? undefined : context.cache.find(type, '', name);
}

export function cachedNodes(context: ControllerContext): readonly KubeObject[] {
  const type = context.type('v1', 'Node');
  return type === undefined ? [] : context.cache.list(type);
}

/** Whether a kubelet on this node acts on its pods: the node is ready, and exists, if only by its finalizers. */
export function hasKubelet(context: ControllerContext, name: string, options: NodeOptions): boolean {
  if (options.isDeaf?.(name) === true) return false;
  const node = nodeNamed(context, name);
  // Nodes may be known one by one.
  if (options.nodesKnown === false && (node === undefined || nodeFacts(node) === undefined))
    return name !== '';
  return node !== undefined && isNodeReady(node);
}

/**
 * Whether a new pod with these tolerations may go there (the scheduler's TaintToleration and NodeUnschedulable): a node
 * that isn't ready counts as tainted so, as the node lifecycle controller will have it.
 */
export function isSchedulable(node: KubeObject, tolerations: readonly Toleration[]): boolean {
  const facts = nodeFacts(node);
  if (facts === undefined) return false;
  const taints = facts.taints.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (facts.unschedulable) taints.push(noSchedule('node.kubernetes.io/unschedulable'));
  if (!isNodeReady(node)) taints.push(noSchedule('node.kubernetes.io/not-ready'));
  return taints.every(taint => tolerates(tolerations, taint));
}

function noSchedule(key: string): Taint {
  return { key, value: '', effect: 'NoSchedule' };
}

/** What the kubelet of a node is known to do, by the condition that it keeps up or that was written in its place. */

import { isNodeReady, type KubeObject, nodeFacts } from '../../model/object.ts';

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

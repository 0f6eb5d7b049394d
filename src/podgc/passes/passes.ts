/**
 * Which pods each of PodGC's passes selects, and in what order it deletes them (docs/kubernetes.md §7;
 * pkg/controller/podgc/gc_controller.go, v1.36). Pure: what the controller's caches hold comes in.
 */
import { isDeleting } from '../../graph/deletion.ts';
import { compareBytes } from '../../graph/node.ts';
import {
  isFinished,
  isNodeReady,
  isTerminated,
  type KubeObject,
  nodeFacts,
  podFacts,
} from '../../model/object.ts';
import { newestRules, type PodGcRules } from './rules-of-version.ts';

/** The taint that tells PodGC that a node is gone for good though its object still exists; any value, any effect. */
export const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

export function hasOutOfServiceTaint(node: KubeObject): boolean {
  return nodeFacts(node)?.taints.some(({ key }) => key === OUT_OF_SERVICE_TAINT) ?? false;
}

function isEvicted(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  return facts?.phase === 'Failed' && facts.reason === 'Evicted';
}

/** Evicted pods first where the version knows that, then by age, then by name; 0 where PodGC's order leaves it open. */
export function compareForDeletion(a: KubeObject, b: KubeObject, { evictedFirst }: PodGcRules): number {
  return (
    (evictedFirst ? Number(isEvicted(b)) - Number(isEvicted(a)) : 0) ||
    a.creationTimestamp - b.creationTimestamp ||
    compareBytes(a.name, b.name)
  );
}

/** The order in which PodGC deletes. */
export function inOrderOfDeletion(pods: Iterable<KubeObject>, rules: PodGcRules): readonly KubeObject[] {
  return [...pods].sort((a, b) => compareForDeletion(a, b, rules));
}

/**
 * Pods beyond the threshold, cluster-wide, the first to go first. `threshold` is a number of pods; zero or
 * less turns the pass off.
 */
export function surplusTerminatedPods(
  pods: Iterable<KubeObject>,
  threshold: number,
  rules: PodGcRules = newestRules,
): readonly KubeObject[] {
  if (threshold <= 0) return [];
  const terminated = [...pods].filter(isTerminated);
  if (terminated.length <= threshold) return [];
  return inOrderOfDeletion(terminated, rules).slice(0, terminated.length - threshold);
}

/**
 * Deleting pods on nodes that are out of service, whether the version has that pass or not. `nodeNamed` reads the
 * controller's cache.
 */
export function terminatingPodsOutOfService(
  pods: Iterable<KubeObject>,
  nodeNamed: (name: string) => KubeObject | undefined,
  rules: PodGcRules = newestRules,
): readonly KubeObject[] {
  const selected = [...pods].filter(isDeleting).filter(pod => {
    const node = nodeNamed(podFacts(pod)?.nodeName ?? '');
    return node !== undefined && !isNodeReady(node) && hasOutOfServiceTaint(node);
  });
  return inOrderOfDeletion(selected, rules);
}

/** Deleting pods that no node was ever chosen for, so that no kubelet will confirm their end. */
export function unscheduledTerminatingPods(pods: Iterable<KubeObject>): readonly KubeObject[] {
  return [...pods].filter(pod => pod.deletionTimestamp !== undefined && podFacts(pod)?.nodeName === '');
}

/** Without grace left and in its final phase, so that a request of PodGC changes nothing any more. */
export function isTaken(pod: KubeObject, { marksFailed }: PodGcRules): boolean {
  if (!isDeleting(pod) || (pod.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return isFinished(pod) || !marksFailed;
}

/** Selection and order of PodGC's passes (docs/kubernetes.md §7; pkg/controller/podgc/gc_controller.go, v1.36). */
import { compareBytes, isDeleting } from '../../graph/index.ts';
import { type KubeObject, nodeFacts, objectState, podFacts } from '../../model/index.ts';
import { PodGcRules } from './rules-of-version.ts';

/** Taint, with any value and effect, of a node that is gone for good although its object exists. */
const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

function hasOutOfServiceTaint(node: KubeObject): boolean {
  return nodeFacts(node)?.taints.some(({ key }) => key === OUT_OF_SERVICE_TAINT) ?? false;
}

function isEvicted(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  return facts?.phase === 'Failed' && facts.reason === 'Evicted';
}

/** Compares evicted first if the version does so, then age, then name; 0 if PodGC's order is undefined. */
export function compareForDeletion(a: KubeObject, b: KubeObject, { evictedFirst }: PodGcRules): number {
  return (
    (evictedFirst ? Number(isEvicted(b)) - Number(isEvicted(a)) : 0) ||
    a.creationTimestamp - b.creationTimestamp ||
    compareBytes(a.name, b.name)
  );
}

export function inOrderOfDeletion(pods: Iterable<KubeObject>, rules: PodGcRules): readonly KubeObject[] {
  return [...pods].sort((a, b) => compareForDeletion(a, b, rules));
}

/** Returns pods beyond the cluster-wide threshold, in order; zero or less turns the pass off. */
export function surplusTerminatedPods(
  pods: Iterable<KubeObject>,
  threshold: number,
  rules: PodGcRules = PodGcRules.newest,
): readonly KubeObject[] {
  if (threshold <= 0) return [];
  const terminated = [...pods].filter(objectState.isTerminated);
  if (terminated.length <= threshold) return [];
  return inOrderOfDeletion(terminated, rules).slice(0, terminated.length - threshold);
}

/** Returns deleting pods on nodes that are out of service, even if the version has no such pass. */
export function terminatingPodsOutOfService(
  pods: Iterable<KubeObject>,
  nodeNamed: (name: string) => KubeObject | undefined,
  rules: PodGcRules = PodGcRules.newest,
): readonly KubeObject[] {
  const selected = [...pods].filter(isDeleting).filter(pod => {
    const node = nodeNamed(podFacts(pod)?.nodeName ?? '');
    return node !== undefined && !objectState.isNodeReady(node) && hasOutOfServiceTaint(node);
  });
  return inOrderOfDeletion(selected, rules);
}

/** Returns deleting pods that were never scheduled, so no kubelet will confirm their end. */
export function unscheduledTerminatingPods(pods: Iterable<KubeObject>): readonly KubeObject[] {
  return [...pods].filter(pod => pod.deletionTimestamp !== undefined && podFacts(pod)?.nodeName === '');
}

/** Reports whether the pod has no grace left and its final phase, so PodGC's requests change nothing. */
export function isTaken(pod: KubeObject, { marksFailed }: PodGcRules): boolean {
  if (!isDeleting(pod) || (pod.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return objectState.isFinished(pod) || !marksFailed;
}

export const outOfServiceNodes = { key: OUT_OF_SERVICE_TAINT, isOn: hasOutOfServiceTaint };

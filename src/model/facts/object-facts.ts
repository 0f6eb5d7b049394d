/** What is known of an object by its kind, looked up in one place; and what follows from it alone. */

import type { KubeObject, OwnerReference } from '../object.ts';
import type { NodeFacts, PodFacts, WorkloadFacts } from './facts.ts';

/** The pod's facts; undefined while only its metadata is known, and for other kinds. */
export function podFacts(pod: KubeObject): PodFacts | undefined {
  return pod.facts?.kind === 'Pod' ? pod.facts : undefined;
}

/** The node's facts; undefined while only its metadata is known, and for other kinds. */
export function nodeFacts(node: KubeObject): NodeFacts | undefined {
  return node.facts?.kind === 'Node' ? node.facts : undefined;
}

/** A workload's facts; undefined while only its metadata is known, and for other kinds. */
export function workloadFacts(workload: KubeObject): WorkloadFacts | undefined {
  return workload.facts?.kind === 'Workload' ? workload.facts : undefined;
}

/** Whether the pod's containers have finished for good: phase Succeeded or Failed. */
export function isFinished(pod: KubeObject): boolean {
  const phase = podFacts(pod)?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether a kubelet reports to be there. A node without a Ready condition isn't ready. */
export function isNodeReady(node: KubeObject): boolean {
  return nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** The first reference that says `controller: true` (metav1.GetControllerOf, v1.36). */
export function controllerOf(object: {
  readonly owners: readonly OwnerReference[];
}): OwnerReference | undefined {
  return object.owners.find(({ controller }) => controller === true);
}

/** Claims that a pod names, and those that Kubernetes makes for its generic ephemeral volumes. */
export function claimsOfPod(pod: KubeObject): readonly string[] {
  const facts = podFacts(pod);
  if (facts === undefined) return [];
  if (facts.ephemeralVolumes.length === 0) return facts.claims;
  return [...facts.claims, ...facts.ephemeralVolumes.map(volume => `${pod.name}-${volume}`)];
}

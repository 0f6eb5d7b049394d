/**
 * Who uses a PersistentVolumeClaim, and which pods wait for a claim that waits for them
 * (docs/kubernetes.md §10 rows 7 and 32).
 */
import { blocksDeletion, isDeleting, isForeground } from '../../../graph/deletion.ts';
import { claimsOfPod, type KubeObject } from '../../../model/object.ts';
import { usesClaim } from '../../../simulation/controllers/volumes/claim-users.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';

/** Pods that keep the claim protected: those that mount it and have a node, finished or not. In order of their names. */
export function usersOf(tracked: TrackedView, claim: KubeObject): readonly KubeObject[] {
  const { namespace } = claim;
  const byClaim = tracked.once(`pods by claim in ${namespace}`, () => indexPods(tracked, namespace));
  const users = (byClaim.get(claim.name) ?? []).filter(pod => usesClaim(pod, claim));
  return users.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Many claims of a namespace may be asked about, and each look through its pods costs as many as there are. */
function indexPods(tracked: TrackedView, namespace: string): ReadonlyMap<string, readonly KubeObject[]> {
  const byClaim = new Map<string, KubeObject[]>();
  const type = tracked.type('v1', 'Pod');
  if (type === undefined) return byClaim;
  for (const pod of tracked.list(type, namespace)) {
    for (const claim of claimsOfPod(pod)) {
      const pods = byClaim.get(claim);
      if (pods === undefined) byClaim.set(claim, [pod]);
      else pods.push(pod);
    }
  }
  return byClaim;
}

/**
 * Whether a pod and a claim wait for each other: the pod's containers have stopped, it waits in the foreground for
 * the claim that it owns, and the claim is protected because the pod mounts it. Claims of generic ephemeral volumes
 * are free by then, which `usesClaim` knows.
 */
export function isDeadlocked(pod: KubeObject, claim: KubeObject): boolean {
  return (
    isForeground(pod) &&
    pod.deletionGracePeriodSeconds === 0 &&
    isDeleting(claim) &&
    claim.finalizers.includes(CLAIM_PROTECTION) &&
    claim.namespace === pod.namespace &&
    blocksDeletion(claim, pod.uid) &&
    usesClaim(pod, claim)
  );
}

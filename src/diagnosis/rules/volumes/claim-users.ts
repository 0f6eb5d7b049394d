/** Which pods keep a claim. Apart from the findings on that, because whoever handles the finalizer of a claim is asked too. */
import { getOrInsert } from '../../../model/maps.ts';
import { claimsOfPod, type KubeObject } from '../../../model/object.ts';
import { usesClaim } from '../../../simulation/controllers/volumes.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

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
  for (const pod of tracked.list(type, namespace))
    for (const claim of claimsOfPod(pod)) getOrInsert(byClaim, claim, () => []).push(pod);
  return byClaim;
}

/** Pods that keep a claim, for findings on claims and for the handler of their finalizer. */
import { getOrInsert, type KubeObject, objectState } from '../../model/index.ts';
import { usesClaim } from '../../simulation/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

/** Lists the pods that protect the claim, by name: those that mount it and have a node, finished or not. */
export function usersOf(tracked: TrackedView, claim: KubeObject): readonly KubeObject[] {
  const { namespace } = claim;
  const byClaim = tracked.once(`pods by claim in ${namespace}`, () => indexPods(tracked, namespace));
  const users = (byClaim.get(claim.name) ?? []).filter(pod => usesClaim(pod, claim));
  return users.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Many claims may be looked up, and each scan would visit all pods of the namespace. */
function indexPods(tracked: TrackedView, namespace: string): ReadonlyMap<string, readonly KubeObject[]> {
  const byClaim = new Map<string, KubeObject[]>();
  const type = tracked.type('v1', 'Pod');
  if (type === undefined) return byClaim;
  for (const pod of tracked.list(type, namespace))
    for (const claim of objectState.claims(pod)) getOrInsert(byClaim, claim, () => []).push(pod);
  return byClaim;
}

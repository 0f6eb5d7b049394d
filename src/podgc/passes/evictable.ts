/** Which pods of a node a taint makes leave; apart, because PodGC's rule itself looks at no toleration. */
import { isDeleting } from '../../graph/deletion.ts';
import type { Taint } from '../../model/facts/facts.ts';
import { tolerates } from '../../model/facts/tolerations.ts';
import { type KubeObject, podFacts } from '../../model/object.ts';

/** Those that aren't being deleted yet and don't tolerate a taint whose effect is NoExecute. */
export function evictablePods(pods: readonly KubeObject[], taint: Taint): readonly KubeObject[] {
  return pods.filter(pod => {
    const facts = podFacts(pod);
    return facts !== undefined && !isDeleting(pod) && !tolerates(facts.tolerations, taint);
  });
}

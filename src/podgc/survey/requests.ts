/** How long the requests of one cycle take: PodGC's client may send only so many a second. */

import { type KubeObject, podFacts } from '../../model/object.ts';
import type { NodeRecords } from './node-records.ts';

// kube-controller-manager's --kube-api-burst and --kube-api-qps.
const AT_ONCE = 30;
const A_SECOND = 20;
/** A patch and a DELETE. */
const PER_POD = 2;

export interface CycleWork {
  /** Finished pods beyond the threshold, which need the DELETE alone. */
  readonly surplus: number;
  readonly deleting: Iterable<KubeObject>;
  readonly records: NodeRecords;
}

/** Milliseconds, at most. What a finalizer holds is asked for in every cycle anew. */
export function requestsMs({ surplus, deleting, records }: CycleWork): number {
  let pods = 0;
  for (const [name, { size }] of records.troubled()) if (records.get(name)?.state === 'Missing') pods += size;
  for (const pod of deleting) {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName === '' || records.get(nodeName)?.state === 'OutOfService') pods += 1;
  }
  return (Math.max(0, surplus + PER_POD * pods - AT_ONCE) / A_SECOND) * 1_000;
}

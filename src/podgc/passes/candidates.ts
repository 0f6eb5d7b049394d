/**
 * Of all that the survey looks at, what is told, and in which order. Apart from the survey, which knows where pods come
 * from, and from the outlook, which knows one pod at a time.
 */

import { compareBytes } from '../../graph/node.ts';
import type { KubeObject } from '../../model/object.ts';
import type { PodOutlook } from '../survey/outlook.ts';
import type { PodGcRule } from './rules-of-version.ts';

/** The order in which PodGC's passes run. */
const passOrder: readonly PodGcRule[] = ['Terminated', 'OutOfService', 'Orphaned', 'UnscheduledTerminating'];

/**
 * What is due in the order of the passes, those of one pass as they were handed in; then by name what only looks as if
 * it were.
 */
export function inOrder(outlooks: readonly PodOutlook[]): readonly PodOutlook[] {
  const told = outlooks.filter(isWorthTelling);
  const isDue = ({ due }: PodOutlook): boolean => due.when !== 'no';
  // The sort is stable.
  const due = told.filter(isDue).sort((a, b) => passOrder.indexOf(a.rule) - passOrder.indexOf(b.rule));
  const others = told.filter(each => !isDue(each)).sort((a, b) => byName(a.pod, b.pod));
  return [...due, ...others];
}

export function byName(a: KubeObject, b: KubeObject): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

/** What looks like a candidate; a pod that merely ends as pods do doesn't. */
function isWorthTelling({ due, reason, heldBy }: PodOutlook): boolean {
  if (due.when !== 'no') return true;
  switch (reason.kind) {
    case 'NotTainted':
    case 'TaintedButReady':
    case 'RuleUnknownToServer':
    case 'NodesUnseen':
      return true;
    case 'Taken':
      return heldBy.length > 0;
    case 'NodeReady':
      return reason.graceOver;
    case 'NotDeleting':
      return reason.nodeState === 'OutOfService';
    case 'OverThreshold':
    case 'NodeOutOfService':
    case 'NodeGone':
    case 'NeverScheduled':
    case 'BelowThreshold':
    case 'PodsUnseen':
    case 'LimitOff':
    case 'WaitsForNode':
    case 'Live':
      return false;
  }
}

/** What the printers ask about nodes and references, bound to one view of the cluster; the collector answers. */
import type { OwnerStatus } from '../collector/status.ts';
import { type Judgement, ownerStatus, verdict } from '../collector/verdict.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import type { GraphNode } from '../graph/node.ts';
import type { OwnerReference } from '../model/object.ts';

export interface Judge {
  verdict(node: GraphNode): Judgement;
  ownerStatus(node: GraphNode, reference: OwnerReference): OwnerStatus;
}

export function judgeOf(view: ClusterView): Judge {
  return {
    verdict: node => verdict(view, node),
    ownerStatus: (node, reference) => ownerStatus(view, node, reference),
  };
}

/** What the printers ask about nodes and references, bound to one view of the cluster; the collector answers. */
import { type Judgement, type OwnerStanding, ownerStanding, verdict } from '../../collector/verdict.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { OwnerReference } from '../../model/object.ts';

export interface Judge {
  verdict(node: GraphNode): Judgement;
  ownerStanding(node: GraphNode, reference: OwnerReference): OwnerStanding;
}

export function judgeOf(view: ClusterView): Judge {
  return {
    verdict: node => verdict(view, node),
    ownerStanding: (node, reference) => ownerStanding(view, node, reference),
  };
}

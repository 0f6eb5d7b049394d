/** What the printers ask about nodes and references; the collector answers. */
import type { Certainty, OwnerStatus, Verdict } from '../collector/status.ts';
import type { GraphNode } from '../graph/node.ts';
import type { OwnerReference } from '../model/object.ts';

export interface Judgement {
  readonly verdict: Verdict;
  readonly certainty: Certainty;
}

export interface Judge {
  verdict(node: GraphNode): Judgement;
  ownerStatus(node: GraphNode, reference: OwnerReference): OwnerStatus;
}

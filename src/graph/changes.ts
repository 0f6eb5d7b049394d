/** What one batch did to the graph, for everything that keeps its own picture of it. */
import type { GraphNode } from './node.ts';

export interface GraphChanges {
  /** Nodes added or changed, and their neighbours where the change shows on them too (a new or lost owner or
   * dependent, an owner that began to wait). Nodes are replaced when their identity is: compare uids. */
  readonly touched: ReadonlySet<GraphNode>;
  readonly removed: ReadonlySet<GraphNode>;
}

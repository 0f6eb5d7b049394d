/** Counts objects per namespace, updated with each change. */
import type { GraphChanges, GraphNode, OwnershipGraph } from '../../graph/index.ts';
import { getOrInsert } from '../../model/index.ts';

export class NamespaceCounts {
  readonly #counted = new Map<string, Set<GraphNode>>();

  constructor(graph: OwnershipGraph) {
    for (const node of graph.nodes()) this.#add(node);
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const node of removed) this.#counted.get(node.object?.namespace ?? '')?.delete(node);
    for (const node of touched) this.#add(node);
  }

  /** Counts a namespace's objects; `''` stands for cluster-scoped ones. */
  of(namespace: string): number {
    return this.#counted.get(namespace)?.size ?? 0;
  }

  #add(node: GraphNode): void {
    if (node.object !== undefined) getOrInsert(this.#counted, node.object.namespace, newSet).add(node);
  }
}

const newSet = (): Set<GraphNode> => new Set();

/** How many objects there are in each namespace, kept change by change. */
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { GraphChanges, GraphNode } from '../../graph/node.ts';

export class NamespaceCounts {
  readonly #counted = new Set<GraphNode>();
  readonly #counts = new Map<string, number>();

  constructor(graph: OwnershipGraph) {
    for (const node of graph.nodes()) this.#add(node);
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const node of removed) if (this.#counted.delete(node)) this.#change(node, -1);
    for (const node of touched) this.#add(node);
  }

  /** `''` is what is in no namespace. */
  of(namespace: string): number {
    return this.#counts.get(namespace) ?? 0;
  }

  #add(node: GraphNode): void {
    if (node.object === undefined || this.#counted.has(node)) return;
    this.#counted.add(node);
    this.#change(node, 1);
  }

  #change({ object }: GraphNode, by: 1 | -1): void {
    if (object === undefined) return;
    this.#counts.set(object.namespace, this.of(object.namespace) + by);
  }
}

/** Counts objects and deletions per namespace, updated with each change. */
import {
  type GraphChanges,
  type GraphNode,
  isDeleting,
  type OwnershipGraph,
  objectDeletion,
} from '../../graph/index.ts';
import { getOrInsert, type Uid } from '../../model/index.ts';
import type { Trouble } from './problems.ts';

export interface NamespaceSummary {
  readonly name: string;
  readonly uid: Uid | undefined;
  /** Undefined if none of it could be listed. */
  readonly objects: number | undefined;
  readonly terminating: boolean;
  /** Number of objects that are being deleted. */
  readonly ending: number;
  /** The earliest request that deletes one of them or the Namespace. */
  readonly deletion: number | undefined;
  /** Findings; undefined until the whole cluster is judged. */
  readonly trouble: Trouble | undefined;
}

interface NamespaceCount {
  readonly objects: number;
  readonly ending: ReadonlySet<GraphNode>;
}

const none: ReadonlySet<GraphNode> = new Set();

export class NamespaceCounts {
  readonly #counted = new Map<string, Set<GraphNode>>();
  readonly #ending = new Map<string, Set<GraphNode>>();

  constructor(graph: OwnershipGraph) {
    for (const node of graph.nodes()) this.#add(node);
  }

  apply({ touched, removed }: GraphChanges): void {
    for (const node of removed) {
      const namespace = node.object?.namespace ?? '';
      this.#counted.get(namespace)?.delete(node);
      this.#ending.get(namespace)?.delete(node);
    }
    for (const node of touched) this.#add(node);
  }

  /** Counts a namespace's objects; `''` stands for cluster-scoped ones. */
  of(namespace: string): NamespaceCount {
    return {
      objects: this.#counted.get(namespace)?.size ?? 0,
      ending: this.#ending.get(namespace) ?? none,
    };
  }

  /** Returns namespaces that have objects or exist, each with its Namespace if that is seen. */
  namespaces(): Map<string, GraphNode | undefined> {
    const found = new Map<string, GraphNode | undefined>();
    for (const [name, { size }] of this.#counted) if (name !== '' && size > 0) found.set(name, undefined);
    for (const node of this.#counted.get('') ?? none) {
      const { object } = node;
      if (object?.type.kind === 'Namespace' && object.type.group === '') found.set(object.name, node);
    }
    return found;
  }

  #add(node: GraphNode): void {
    const { object } = node;
    if (object === undefined) return;
    getOrInsert(this.#counted, object.namespace, newSet).add(node);
    if (isDeleting(object)) getOrInsert(this.#ending, object.namespace, newSet).add(node);
  }
}

const newSet = (): Set<GraphNode> => new Set();

/** Returns the time of the request that deletes the object. */
export function deletionOf({ object }: GraphNode): number | undefined {
  return object && objectDeletion.requestedAt(object);
}

/**
 * The part of a snapshot's ownership graph that the simulated collector has taken over. A component (objects
 * connected by owner references, in either direction) is copied when one of its members is first touched, so
 * that a forecast's memory follows the action and not the cluster.
 */
import type { OwnershipGraph } from '../../graph/graph.ts';
import { type GraphNode, matchesCoordinates } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';

export class SnapshotComponents {
  readonly #base: OwnershipGraph;
  readonly #taken = new Set<Uid>();

  constructor(base: OwnershipGraph) {
    this.#base = base;
  }

  /** The members of a uid's component; empty where it isn't in the snapshot or was taken before. */
  take(uid: Uid): readonly GraphNode[] {
    if (this.#taken.has(uid)) return [];
    const first = this.#base.get(uid);
    if (first === undefined) return [];
    const members: GraphNode[] = [first];
    this.#taken.add(uid);
    const reach = (node: GraphNode | undefined): void => {
      if (node === undefined || this.#taken.has(node.identity.uid)) return;
      this.#taken.add(node.identity.uid);
      members.push(node);
    };
    for (const node of members) {
      for (const owner of node.owners) reach(this.#base.get(owner.uid));
      for (const dependent of node.dependents) reach(dependent);
    }
    return members;
  }

  /**
   * Members of components in which a collector that sees them for the first time could have something to do:
   * something is being deleted, an owner is missing, or a reference disagrees with its owner. A full scan.
   */
  *suspects(): IterableIterator<Uid> {
    for (const node of this.#base.nodes()) {
      if (
        node.virtual ||
        node.beingDeleted ||
        node.owners.some(reference => this.#disagrees(node, reference))
      ) {
        yield node.identity.uid;
      }
    }
  }

  #disagrees(node: GraphNode, reference: GraphNode['owners'][number]): boolean {
    const owner = this.#base.get(reference.uid);
    if (owner === undefined || !matchesCoordinates(reference, owner.identity)) return true;
    const { namespace } = owner.identity;
    return namespace !== '' && namespace !== node.identity.namespace;
  }
}

/** The graph's invariant, and a picture of a graph that two graphs can be compared by. */
import type { OwnershipGraph } from '../../src/graph/graph.ts';
import type { GraphNode, Identity } from '../../src/graph/node.ts';

/**
 * X is in owner.dependents exactly where X.owners names the owner's uid, except that an owner may be missing
 * from the index; and every dependent is the node that the index holds. Returns what contradicts it.
 *
 * `ownersMayForget`: in the collector, when an owner was deleted and a later dependent brings its uid back as
 * a virtual node, that node doesn't know the earlier dependents.
 */
export function violations(graph: OwnershipGraph, ownersMayForget = false): string[] {
  const found: string[] = [];
  for (const node of graph.nodes()) {
    const { uid } = node.identity;
    if (graph.get(uid) !== node) found.push(`${uid} is not indexed under its uid`);
    for (const owner of node.owners) {
      const ownerNode = graph.get(owner.uid);
      if (ownerNode !== undefined && !ownersMayForget && !ownerNode.dependents.has(node)) {
        found.push(`${owner.uid} lacks its dependent ${uid}`);
      }
    }
    for (const dependent of node.dependents) {
      if (graph.get(dependent.identity.uid) !== dependent) {
        found.push(`${uid} has a dependent ${dependent.identity.uid} that is not in the graph`);
      }
      if (!dependent.owners.some(owner => owner.uid === uid)) {
        found.push(`${uid} has a dependent ${dependent.identity.uid} that does not refer to it`);
      }
    }
  }
  return found;
}

export function picture(graph: OwnershipGraph): Record<string, unknown> {
  const nodes = [...graph.nodes()].sort((a, b) => (a.identity.uid < b.identity.uid ? -1 : 1));
  return Object.fromEntries(
    nodes.map(node => [
      node.identity.uid,
      {
        ...node.identity,
        virtual: node.virtual,
        beingDeleted: node.beingDeleted,
        deletingDependents: node.deletingDependents,
        owners: node.owners,
        dependents: [...node.dependents].map(uidOf).sort(),
        resourceVersion: node.object?.resourceVersion,
      },
    ]),
  );
}

export function uidOf(node: GraphNode): string {
  return node.identity.uid;
}

/** `v1/Pod ns1/web-0`, with `virtual ` before it where nobody observed it. */
export function label(node: GraphNode): string {
  return labelOf(node.identity, node.virtual);
}

export function labelOf({ apiVersion, kind, namespace, name }: Identity, virtual: boolean): string {
  return `${virtual ? 'virtual ' : ''}${apiVersion}/${kind} ${namespace === '' ? '-' : namespace}/${name}`;
}

/**
 * Owners that somebody refers to and that aren't in the graph, each as its references name it. Made when somebody asks
 * first, which is when the lists are there: while they arrive, nearly every owner is missing for a moment.
 */
import type { LookUp } from '../../model/exchange/look-up.ts';
import { keyOfLookUp } from '../../model/exchange/look-up.ts';
import type { OwnerReference, Uid } from '../../model/object.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import type { GraphChanges } from '../changes.ts';
import type { OwnershipGraph } from '../graph.ts';
import type { GraphNode } from '../node.ts';

export class MissingOwners {
  readonly #graph: OwnershipGraph;
  readonly #catalog: TypeCatalog;
  readonly #claims = new Map<Uid, Map<string, LookUp>>();

  constructor(graph: OwnershipGraph, catalog: TypeCatalog) {
    this.#graph = graph;
    this.#catalog = catalog;
    for (const { virtual, dependents } of graph.nodes())
      if (virtual) for (const dependent of dependents) this.#note(dependent);
  }

  /** Takes in what a batch did; true where other owners are missing than before, as far as is known. */
  apply({ touched, removed }: GraphChanges): boolean {
    let isNews = false;
    for (const node of touched) {
      if (node.object === undefined) continue;
      isNews = this.#claims.delete(node.identity.uid) || isNews;
      isNews = this.#note(node) || isNews;
    }
    for (const { identity } of removed)
      if (this.#graph.get(identity.uid) === undefined) isNews = this.#claims.delete(identity.uid) || isNews;
    return isNews;
  }

  /** Nobody may refer to one by these very coordinates any more. */
  *[Symbol.iterator](): IterableIterator<LookUp> {
    for (const claims of this.#claims.values()) yield* claims.values();
  }

  /** Those that a node refers to. */
  #note(node: GraphNode): boolean {
    let isNews = false;
    for (const reference of node.owners) {
      if (this.#graph.get(reference.uid)?.virtual !== true) continue;
      const lookUp = ownerLookUp(this.#catalog, reference, (node.object ?? node.identity).namespace);
      if (lookUp === undefined) continue;
      const key = keyOfLookUp(lookUp);
      const claims = this.#claims.get(reference.uid);
      if (claims === undefined) this.#claims.set(reference.uid, new Map([[key, lookUp]]));
      else if (claims.has(key)) continue;
      else claims.set(key, lookUp);
      isNews = true;
    }
    return isNews;
  }
}

/**
 * Where the collector looks for the owner of an object in this namespace (docs/kubernetes.md §2.3); undefined where
 * it doesn't, because the kind isn't served, or is namespaced and the object isn't.
 */
function ownerLookUp(
  catalog: TypeCatalog,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): LookUp | undefined {
  const type = catalog.resolveKind(apiVersion, kind);
  if (type === undefined || (type.namespaced && namespace === '')) return undefined;
  return { of: 'object', apiVersion, kind, namespace: type.namespaced ? namespace : '', name, uid };
}

/**
 * How much of a cluster is read: all of it, or the namespaces that a question is about and what its answer turns out to
 * need beside. Owner references can't leave a namespace (docs/kubernetes.md §2.3), so that this is enough for most.
 */

import type { ResourceType } from '../types/resource-type.ts';
import type { TypeCatalog } from '../types/type-catalog.ts';

/** Namespaced kinds are read in these namespaces alone, cluster-scoped ones not at all before they are wanted. */
export interface ReadScope {
  readonly namespaces: readonly string[];
}

/**
 * What lies outside of a scope and an answer needs: one object, all of a kind, or those of one name in every namespace. The
 * last are answered as one look-up in the namespace `ANY_NAMESPACE`.
 */
export interface Want {
  readonly type: ResourceType;
  /** `''` for a cluster-scoped kind; undefined for a namespaced one in every namespace. */
  readonly namespace: string | undefined;
  /** Undefined for all of them. */
  readonly name: string | undefined;
}

/** In place of a namespace, in which it is no name. */
export const ANY_NAMESPACE = '*';

export interface ReadPlan {
  /**
   * Asked once it is known what is served, before anything else is read; undefined reads everything. What it throws ends
   * the reading, unless what is served was only remembered: then it is asked again.
   */
  readonly scope?: (catalog: TypeCatalog) => ReadScope | undefined;
  /**
   * Where everything is read, the namespace that is read before the rest. Until all of a namespaced kind is in, its status
   * is `listing`, with this namespace among `namespaces` as soon as everything in it is known, facts included.
   */
  readonly first?: string;
  /**
   * Called when all of `first` was told, as far as it can be listed. The rest is asked for when what it returns has
   * resolved, and two seconds after the start at the latest: until it has been shown, nothing shall compete with it.
   */
  readonly afterFirst?: () => Promise<void>;
  /** False where one answer is wanted: everything is listed and nothing is watched. */
  readonly follows?: boolean;
  /** False where the ownership graph is enough: every kind is read as metadata. */
  readonly facts?: boolean;
}

/** Equal for equal wants. */
export function keyOfWant({ type, namespace, name }: Want): string {
  return JSON.stringify([type.group, type.resource, namespace ?? null, name ?? null]);
}

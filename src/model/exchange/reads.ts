/** Scope of a read. Owner references can't leave a namespace (docs/kubernetes.md §2.3), so one usually suffices. */

import type { ResourceType } from '../types/resource-type.ts';
import type { TypeCatalog } from '../types/type-catalog.ts';

/** Namespaced kinds are read only in these namespaces, cluster-scoped kinds only on demand. */
export interface ReadScope {
  readonly namespaces: readonly string[];
}

/** An object, a kind, or a name in every namespace that an answer needs from outside of the scope. */
export interface Want {
  readonly type: ResourceType;
  /** `''` for a cluster-scoped kind; undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined for all names. */
  readonly name: string | undefined;
}

/** Namespace of the one look-up that covers a name in every namespace. */
const ANY_NAMESPACE = '*';

export interface ReadPlan {
  /** Undefined reads everything. Repeated after an error with cached types; any other error ends the reading. */
  readonly scope?: (catalog: TypeCatalog) => ReadScope | undefined;
  /** Namespace to read first; `listing` kinds have it in `namespaces` once all of it is known, facts included. */
  readonly first?: string;
  /** Called once `first` is read; the rest waits for its promise, for two seconds from the start at most. */
  readonly afterFirst?: () => Promise<void>;
  /** False lists everything and watches nothing, for a single answer. */
  readonly follows?: boolean;
  /** False reads every kind as metadata only, if the ownership graph is enough. */
  readonly facts?: boolean;
  /** True also reads the state of custom resources, which takes their whole JSON; kinds of many objects stay without. */
  readonly states?: boolean;
}

function keyOfWant({ type, namespace, name }: Want): string {
  return JSON.stringify([type.group, type.resource, namespace ?? null, name ?? null]);
}

export const ReadScope = { anyNamespace: ANY_NAMESPACE };

export const Want = { key: keyOfWant };

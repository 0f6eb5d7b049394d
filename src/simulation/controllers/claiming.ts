/**
 * Decides which objects a workload controller adopts and releases (docs/kubernetes.md §9, claiming;
 * pkg/controller/controller_ref_manager.go, v1.36).
 */

import {
  controllerOf,
  getOrInsert,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { ObjectReader } from '../api/object-store.ts';
import { deleteOwners, mergeOwners } from '../api/strategic-merge.ts';

/**
 * `adopt`: the child matches without a controller; write `adoptedOwners`. `release`: it is ours and no longer matches;
 * write `releasedOwners`. `ignore`: it has another controller (even a deleted one), doesn't match, or may not be
 * changed because of a deletion.
 */
export type Claim = 'keep' | 'adopt' | 'release' | 'ignore';

/** Before an adoption, an uncached read must find the controller with the same uid and not deleting. */
export function claim(controller: KubeObject, child: KubeObject, matches: boolean): Claim {
  const current = controllerOf(child);
  const deleting = controller.deletionTimestamp !== undefined;
  if (current !== undefined) {
    if (current.uid !== controller.uid) return 'ignore';
    if (matches) return 'keep';
    return deleting ? 'ignore' : 'release';
  }
  if (deleting || !matches || child.deletionTimestamp !== undefined) return 'ignore';
  if (controller.namespace !== '' && controller.namespace !== child.namespace) return 'ignore';
  return 'adopt';
}

export function plainReference({ type, name, uid }: KubeObject): OwnerReference {
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    name,
    uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
  };
}

export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind } = owner.type;
  return { apiVersion, kind, name: owner.name, uid: owner.uid, controller: true, blockOwnerDeletion: true };
}

export function adoptedOwners(child: KubeObject, controller: KubeObject): readonly OwnerReference[] {
  return mergeOwners(child.owners, [controllerReference(controller)]);
}

export function releasedOwners(child: KubeObject, controller: KubeObject): readonly OwnerReference[] {
  return deleteOwners(child.owners, uid => uid === controller.uid);
}

export function adoptedFinalizers(child: KubeObject, added: readonly string[]): readonly string[] {
  const missing = added.filter(finalizer => !child.finalizers.includes(finalizer));
  return missing.length === 0 ? child.finalizers : [...missing, ...child.finalizers];
}

export function releasedFinalizers(child: KubeObject, removed: readonly string[]): readonly string[] {
  return child.finalizers.filter(finalizer => !removed.includes(finalizer));
}

/** One type's objects without a controller. Each namespace is read once and kept current by events. */
export class OrphanIndex {
  readonly #reader: ObjectReader;
  readonly #type: ResourceType;
  readonly #namespaces = new Map<string, Map<Uid, KubeObject>>();

  constructor(reader: ObjectReader, type: ResourceType) {
    this.#reader = reader;
    this.#type = type;
  }

  observe(object: KubeObject): void {
    const orphans = this.#namespaces.get(object.namespace);
    if (controllerOf(object) !== undefined) orphans?.delete(object.uid);
    else orphans?.set(object.uid, object);
  }

  forget(object: KubeObject): void {
    this.#namespaces.get(object.namespace)?.delete(object.uid);
  }

  in(namespace: string): Iterable<KubeObject> {
    const orphans = getOrInsert(this.#namespaces, namespace, () => {
      const listed = this.#reader.list(this.#type, namespace);
      return new Map(listed.filter(each => controllerOf(each) === undefined).map(each => [each.uid, each]));
    });
    return orphans.values();
  }
}

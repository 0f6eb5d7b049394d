/**
 * Which objects a workload controller takes for its own, adopts and releases (docs/kubernetes.md §9, claiming;
 * pkg/controller/controller_ref_manager.go, v1.36). Pure: whether the child matches comes in, because
 * selectors, name prefixes and pod phases differ from controller to controller.
 */

import { getOrInsert } from '../../model/maps.ts';
import { controllerOf, type KubeObject, type OwnerReference, type Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { ObjectReader } from '../api/store.ts';

/**
 * - `keep`: it is ours and matches.
 * - `adopt`: nobody controls it and it matches; write `adoptedOwners`.
 * - `release`: it is ours and no longer matches; write `releasedOwners`.
 * - `ignore`: it is somebody else's (even of an owner that no longer exists), doesn't match, or may not be
 *   changed because it or the controller is being deleted.
 */
export type Claim = 'keep' | 'adopt' | 'release' | 'ignore';

/**
 * What `controller` does about `child`. An adoption has to be preceded by an uncached read that finds the
 * controller with the same uid and not deleting.
 */
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

/** A reference that names an owner and nothing more. */
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

/** The reference that a controller puts on what it creates and adopts. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind } = owner.type;
  return { apiVersion, kind, name: owner.name, uid: owner.uid, controller: true, blockOwnerDeletion: true };
}

/** A child's references after its adoption: the strategic merge replaces one that has our uid already. */
export function adoptedOwners(child: KubeObject, controller: KubeObject): readonly OwnerReference[] {
  const reference = controllerReference(controller);
  const index = child.owners.findIndex(({ uid }) => uid === controller.uid);
  // What a strategic merge patch adds to a list comes before what was there.
  return index < 0 ? [reference, ...child.owners] : child.owners.with(index, reference);
}

/** A child's references after its release. */
export function releasedOwners(child: KubeObject, controller: KubeObject): readonly OwnerReference[] {
  return child.owners.filter(({ uid }) => uid !== controller.uid);
}

/** A child's finalizers after its adoption by a controller that guards its children with finalizers of its own. */
export function adoptedFinalizers(child: KubeObject, added: readonly string[]): readonly string[] {
  const missing = added.filter(finalizer => !child.finalizers.includes(finalizer));
  return missing.length === 0 ? child.finalizers : [...missing, ...child.finalizers];
}

/** A child's finalizers after its release by such a controller: its own go, all others stay. */
export function releasedFinalizers(child: KubeObject, removed: readonly string[]): readonly string[] {
  return child.finalizers.filter(finalizer => !removed.includes(finalizer));
}

/** One type's objects that nobody controls. Each namespace is read once, and kept current from events. */
export class OrphanIndex {
  readonly #reader: ObjectReader;
  readonly #type: ResourceType;
  readonly #namespaces = new Map<string, Map<Uid, KubeObject>>();

  constructor(reader: ObjectReader, type: ResourceType) {
    this.#reader = reader;
    this.#type = type;
  }

  /** The object was added or changed. */
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

/**
 * Objects without a controller, by namespace: those that a workload may adopt. An index of its own, because a
 * look through all pods of a namespace at every sync of every workload in it would cost their product.
 */

import { controllerOf, type KubeObject, type Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { ObjectReader } from '../api/store.ts';

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
    let orphans = this.#namespaces.get(namespace);
    if (orphans === undefined) {
      orphans = new Map();
      for (const object of this.#reader.list(this.#type, namespace)) {
        if (controllerOf(object) === undefined) orphans.set(object.uid, object);
      }
      this.#namespaces.set(namespace, orphans);
    }
    return orphans.values();
  }
}

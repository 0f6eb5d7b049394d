/**
 * What a controller has done and not yet seen: pods it created or deleted that its cache doesn't show. Without
 * it a controller would create the same pod twice (pkg/controller/controller_utils.go, expectations, v1.36).
 */
import type { KubeObject, Uid } from '../../../model/object.ts';

interface Pending {
  readonly created: Set<Uid>;
  readonly deleted: Set<Uid>;
}

export class Expectations {
  readonly #pending = new Map<Uid, Pending>();

  created(owner: Uid, child: Uid): void {
    this.#of(owner).created.add(child);
  }

  deleted(owner: Uid, child: Uid): void {
    this.#of(owner).deleted.add(child);
  }

  /** The cache shows the child, with its deletion timestamp if it has one. */
  seen(owner: Uid, child: KubeObject): void {
    const pending = this.#pending.get(owner);
    pending?.created.delete(child.uid);
    if (child.deletionTimestamp !== undefined) pending?.deleted.delete(child.uid);
  }

  gone(owner: Uid, child: Uid): void {
    const pending = this.#pending.get(owner);
    pending?.created.delete(child);
    pending?.deleted.delete(child);
  }

  /** The cache shows all that was done, so that counting it gives the truth. */
  satisfied(owner: Uid): boolean {
    const pending = this.#pending.get(owner);
    return pending === undefined || (pending.created.size === 0 && pending.deleted.size === 0);
  }

  forget(owner: Uid): void {
    this.#pending.delete(owner);
  }

  #of(owner: Uid): Pending {
    let pending = this.#pending.get(owner);
    if (pending === undefined) {
      pending = { created: new Set(), deleted: new Set() };
      this.#pending.set(owner, pending);
    }
    return pending;
  }
}

/** Conflicting claims of dependents on an owner's identity, and which to try next (docs/kubernetes.md §1.4). */
import type { OwnerReference } from '../../model/index.ts';
import { Identity } from '../node.ts';

export interface Claimant {
  readonly namespace: string;
  readonly owners: readonly OwnerReference[];
}

export interface Partition<T> {
  readonly matching: readonly T[];
  /** Dependents that list the uid twice can be in both. */
  readonly nonmatching: readonly T[];
}

/** Splits dependents by their reference: to `identity`, or to another identity with its uid. */
export function partitionDependents<T extends Claimant>(
  dependents: Iterable<T>,
  identity: Identity,
): Partition<T> {
  const matching: T[] = [];
  const nonmatching: T[] = [];
  for (const dependent of dependents) {
    let match = false;
    let mismatch = false;
    if (identity.namespace !== '' && identity.namespace !== dependent.namespace) {
      mismatch = true;
    } else {
      for (const reference of dependent.owners) {
        if (reference.uid !== identity.uid) continue;
        if (Identity.matches(reference, identity)) match = true;
        else mismatch = true;
      }
    }
    if (match) matching.push(dependent);
    if (mismatch) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/** Returns the next claim after an absent one in the collector's order, else the first; undefined without another. */
export function alternateIdentity(dependents: Iterable<Claimant>, absent: Identity): Identity | undefined {
  const absentIsClusterScoped = absent.namespace === '';
  let first: Identity | undefined;
  let following: Identity | undefined;
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue;
      if (
        Identity.matches(reference, absent) &&
        (absentIsClusterScoped || dependent.namespace === absent.namespace)
      ) {
        continue;
      }
      // `absent` shows that the kind is cluster-scoped, so the dependent's namespace is irrelevant.
      const scopeIsKnown =
        absentIsClusterScoped && reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const claim = Identity.claimed(reference, scopeIsKnown ? '' : dependent.namespace);
      if (Identity.isSame(claim, absent)) continue;
      if (first === undefined || Identity.compare(claim, first) < 0) first = claim;
      if (
        Identity.compare(claim, absent) > 0 &&
        (following === undefined || Identity.compare(claim, following) < 0)
      ) {
        following = claim;
      }
    }
  }
  return following ?? first;
}

/** Reports whether a dependent in the identity's namespace claims it exactly. */
export function isClaimed(dependents: Iterable<Claimant>, identity: Identity): boolean {
  for (const dependent of dependents) {
    if (dependent.namespace !== identity.namespace) continue;
    for (const reference of dependent.owners) if (Identity.matches(reference, identity)) return true;
  }
  return false;
}

/** Returns the smallest claim on a uid in the collector's order; undefined without references. */
export function smallestClaim(dependents: Iterable<Claimant>, uid: string): Identity | undefined {
  let smallest: Identity | undefined;
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== uid) continue;
      const claim = Identity.claimed(reference, dependent.namespace);
      if (smallest === undefined || Identity.compare(claim, smallest) < 0) smallest = claim;
    }
  }
  return smallest;
}

/** Size of the collector's cache (garbagecollector.go, v1.36). */
const ABSENT_OWNERS = 500;

/** LRU cache of full identities; a read counts as use (docs/kubernetes.md §1.1). */
export class AbsentOwners {
  readonly limit: number;
  readonly #entries = new Map<string, Identity>();

  constructor(limit: number = ABSENT_OWNERS) {
    this.limit = limit;
  }

  add(identity: Identity): void {
    const key = keyOf(identity);
    this.#entries.delete(key);
    this.#entries.set(key, identity);
    if (this.#entries.size > this.limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  /** Checks for an entry as the collector does, and makes it the most recent. */
  has(identity: Identity): boolean {
    const key = keyOf(identity);
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return true;
  }

  /** Checks for an entry without counting as use. */
  peek(identity: Identity): boolean {
    return this.#entries.size > 0 && this.#entries.has(keyOf(identity));
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  values(): IterableIterator<Identity> {
    return this.#entries.values();
  }
}

/** Returns JSON, because a reference's name may contain any separator. */
function keyOf(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

/**
 * What dependents claim their owner to be, where they disagree: which of them agree with an identity, and
 * which other identity to try next (docs/kubernetes.md §1.4).
 */
import type { OwnerReference } from '../../model/object.ts';
import {
  claimedIdentity,
  compareIdentities,
  type Identity,
  matchesCoordinates,
  sameIdentity,
} from '../node.ts';

/** What of a dependent matters here. */
export interface Claimant {
  readonly namespace: string;
  readonly owners: readonly OwnerReference[];
}

export interface Partition<T> {
  readonly matching: readonly T[];
  /** A dependent that lists the uid twice can be in both. */
  readonly nonmatching: readonly T[];
}

/** Splits dependents into those that refer to `identity` and those that mean something else by its uid. */
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
        if (matchesCoordinates(reference, identity)) match = true;
        else mismatch = true;
      }
    }
    if (match) matching.push(dependent);
    if (mismatch) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * The identity to try after `absent` was proven absent: the next claim in the collector's order, or the first
 * one when `absent` was the last; undefined when nobody claims another.
 */
export function alternateIdentity(dependents: Iterable<Claimant>, absent: Identity): Identity | undefined {
  const absentIsClusterScoped = absent.namespace === '';
  let first: Identity | undefined;
  let following: Identity | undefined;
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue;
      if (
        matchesCoordinates(reference, absent) &&
        (absentIsClusterScoped || dependent.namespace === absent.namespace)
      ) {
        continue;
      }
      // `absent` shows that this kind is cluster-scoped, so the holder's namespace says nothing.
      const scopeIsKnown =
        absentIsClusterScoped && reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const claim = claimedIdentity(reference, scopeIsKnown ? '' : dependent.namespace);
      if (sameIdentity(claim, absent)) continue;
      if (first === undefined || compareIdentities(claim, first) < 0) first = claim;
      if (
        compareIdentities(claim, absent) > 0 &&
        (following === undefined || compareIdentities(claim, following) < 0)
      ) {
        following = claim;
      }
    }
  }
  return following ?? first;
}

/** Whether some dependent claims exactly this identity, the namespace being its own. */
export function isClaimed(dependents: Iterable<Claimant>, identity: Identity): boolean {
  for (const dependent of dependents) {
    if (dependent.namespace !== identity.namespace) continue;
    for (const reference of dependent.owners) if (matchesCoordinates(reference, identity)) return true;
  }
  return false;
}

/** The smallest claim on a uid in the collector's order; undefined when nobody refers to it. */
export function smallestClaim(dependents: Iterable<Claimant>, uid: string): Identity | undefined {
  let smallest: Identity | undefined;
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== uid) continue;
      const claim = claimedIdentity(reference, dependent.namespace);
      if (smallest === undefined || compareIdentities(claim, smallest) < 0) smallest = claim;
    }
  }
  return smallest;
}

/** Size of the collector's cache (garbagecollector.go, v1.36). */
const ABSENT_OWNERS = 500;

/** Least recently used, keyed by the full identity; a read counts as use (docs/kubernetes.md §1.1). */
export class AbsentOwners {
  /** So many entries are kept. */
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

  /** The collector's own look-up: makes the entry the most recent one. */
  has(identity: Identity): boolean {
    const key = keyOf(identity);
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return true;
  }

  /** Looks without counting as use, for onlookers. */
  peek(identity: Identity): boolean {
    return this.#entries.size > 0 && this.#entries.has(keyOf(identity));
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** From the least to the most recently used. */
  values(): IterableIterator<Identity> {
    return this.#entries.values();
  }
}

/** JSON, because nothing forbids a separator within a reference's name. */
function keyOf(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

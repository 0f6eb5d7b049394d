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

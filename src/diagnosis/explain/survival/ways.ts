/** What is said of an object that outlived its owner. Apart from `survival.ts`, whose parts all speak of it. */

import type { Certainty } from '../../../collector/verdict.ts';
import type { Identity } from '../../../graph/node.ts';

/**
 * - `orphaned`: the owner is gone, and the reference to it was removed before.
 * - `detached`: the owner is gone, and it alone of all that the owner had lost the reference.
 * - `being-orphaned`: the owner is being deleted that way at this moment.
 * - `released`: the owner lives and let go of it, because it doesn't match the selector any more.
 * - `to-be-adopted`: nobody controls it, and a live controller is about to take it.
 * - `dangling`: the reference is still there and the owner isn't; the collector hasn't come to it yet.
 * - `owner-recreated`: the same, and another object has the owner's name.
 * - `second-owner`: its controller is gone, and another owner keeps it.
 * - `unresolvable-owner`: an owner's kind isn't served, so that the collector cannot decide.
 * - `held`: it is being deleted, and finalizers hold it.
 * - `owner-still-there`: the owner is being deleted and held itself; until it is gone nothing follows it.
 * - `adopted`: its owner is younger than it is: it survived an earlier one and was taken over.
 * - `recreated`: it is none: its owner was recreated under the same name, and created it.
 * - `kept-by-survivor`: its owner survived its own.
 * - `kept-claim`: a StatefulSet's claim, which such a set keeps unless it is told otherwise.
 */
export type SurvivalWay =
  | OwnerlessWay
  | 'dangling'
  | 'owner-recreated'
  | 'second-owner'
  | 'unresolvable-owner'
  | 'owner-still-there'
  | 'adopted'
  | 'recreated'
  | 'kept-by-survivor'
  | 'kept-claim';

/** Those of an object that no reference controls. */
export type OwnerlessWay = 'orphaned' | 'detached' | 'being-orphaned' | 'released' | 'to-be-adopted' | 'held';

/** Whom it survived, or belongs to. */
export interface SurvivedOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface Survival {
  readonly way: SurvivalWay;
  readonly owner: SurvivedOwner;
  /** One whole sentence: that it survived whom, and how. */
  readonly summary: string;
  /** The same for a column. */
  readonly brief: string;
  /** What tells; a clause each. */
  readonly because: readonly string[];
  /**
   * What API server, garbage collector and kubelet did, and left undone; whole sentences. Empty where
   * `because` says it all.
   */
  readonly course: readonly string[];
  /** What happens to it next, in whole sentences; `Nothing.` is one. */
  readonly next: string;
  /** Objects that have to do with it, the deciding one first. */
  readonly related: readonly Identity[];
  readonly certainty: Certainty;
}

/**
 * What a forecast says, in the product's own types; the Plan document of the contract is made from it. Every
 * list is sorted, so that equal snapshots give equal forecasts.
 */
import type { Identity } from '../graph/node.ts';
import type { Uid } from '../model/object.ts';
import type { Cascade } from './action.ts';

/**
 * - `Completes`: everything that the action asked for has happened when nothing moves any more.
 * - `Stuck`: something that was to go still exists at the end, in one possible order at least.
 * - `NoChange`: nothing happens.
 * - `Refused`: the API server takes no request of the action.
 */
export type Outcome = 'Completes' | 'Stuck' | 'NoChange' | 'Refused';

/** Set where the same happens if nobody acts. */
interface Anyway {
  readonly anyway: boolean;
}

export interface DeletedObject extends Anyway {
  readonly object: Identity;
  /** The component that asked for its deletion; for one that was being deleted before, that removed it. */
  readonly by: string;
  readonly reason: string;
}

export interface TerminatingObject extends Anyway {
  readonly object: Identity;
  /** Of the metadata; a namespace's `spec.finalizers` come first. */
  readonly finalizers: readonly string[];
  /** In words, each naming one thing. */
  readonly waitingFor: readonly string[];
}

export interface ChangedObject extends Anyway {
  readonly object: Identity;
  readonly ownerReferencesRemoved: readonly Uid[];
  /** How many are left at the end. */
  readonly ownerReferencesLeft: number;
  /** Of several references to one owner some were removed and some are left. */
  readonly keepsRemovedOwner: boolean;
  readonly ownerReferencesUnblocked: readonly Uid[];
  readonly ownerReferencesAdded: readonly Uid[];
  /** Still there, and saying something else than that they no longer block. */
  readonly ownerReferencesAltered: readonly Uid[];
  readonly finalizersAdded: readonly string[];
  readonly finalizersRemoved: readonly string[];
}

export interface RecreatedObjects extends Anyway {
  /** The controller of the new objects. */
  readonly by: Identity | undefined;
  readonly kind: string;
  readonly count: number;
}

export interface TimingDependentObject {
  readonly object: Identity;
  /** Its possible ends, in words: `deleted`, `kept`. */
  readonly outcomes: readonly string[];
  readonly because: string;
}

export interface PlanStep {
  /** From 1. */
  readonly n: number;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly actor: string;
  readonly verb: string;
  readonly object: Identity;
  /** `DELETE /api/v1/…?propagationPolicy=Background` */
  readonly request: string;
  /** HTTP's. */
  readonly status: number;
  readonly because: string;
}

export interface Forecast {
  readonly action: {
    readonly verb: 'delete' | 'unblock' | 'restart' | 'none';
    readonly cascade?: Cascade;
    readonly remedy?: string;
    readonly targets: readonly Identity[];
  };
  readonly outcome: Outcome;
  readonly deleted: readonly DeletedObject[];
  readonly terminating: readonly TerminatingObject[];
  readonly changed: readonly ChangedObject[];
  readonly recreated: readonly RecreatedObjects[];
  readonly timingDependent: readonly TimingDependentObject[];
  /** Built at the first call: a large cascade has tens of thousands. */
  steps(): readonly PlanStep[];
  readonly warnings: readonly string[];
  /** The same as commands to paste; undefined where there is none. */
  readonly kubectl: string | undefined;
  /** Of the objects below the targets, those that stay as they are. */
  readonly untouched: readonly Identity[];
  /** Orders that were tried beside the first one; 0 where nothing depends on the order. */
  readonly ordersTried: number;
}

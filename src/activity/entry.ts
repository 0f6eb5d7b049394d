/** What Activity tells: one change to ownership or deletion, who does that, and why, as data. `text/activity/because.ts` has the words. */
import type { Certainty, OwnerStatus } from '../collector/verdict.ts';
import type { Identity } from '../graph/node.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../model/object.ts';

/**
 * What happened to an object.
 * - `Marked`: its deletion was accepted, and something is yet to be done before it ends.
 * - `PolicyChanged`: it was being deleted already, and now waits for its dependents or orphans them.
 * - `Held`: its deletion should have ended by now.
 * - `Collected`: it is gone, by the garbage collector. `Deleted`: it is gone, otherwise.
 * - `Stripped`: it lost references to owners that are gone or wait for their dependents, and has another owner.
 * - `Orphaned`: it lost its reference to an owner that is deleted with the policy orphan.
 * - `Released`: it lost its controller, which is still there. `ReferenceRemoved`: it lost another reference.
 * - `Adopted`: it got a controller. `ReferenceAdded`: it got another owner.
 * - `Unblocked`: it no longer holds up the foreground deletion of an owner.
 * - `FinalizerRemoved`: while it was being deleted, and it is still there.
 * - `Recreated`: another object has come under its name.
 */
export const activityKinds = [
  'Marked',
  'PolicyChanged',
  'Held',
  'Collected',
  'Deleted',
  'Stripped',
  'Orphaned',
  'Released',
  'ReferenceRemoved',
  'Adopted',
  'ReferenceAdded',
  'Unblocked',
  'FinalizerRemoved',
  'Recreated',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** As the finalizers of the object show it. */
export type SeenPolicy = 'background' | 'foreground' | 'orphan';

/** Who does such a thing. Objects don't record who deleted them, so that it is concluded from what happened. */
/**
 * `namespace-controller` empties a namespace, `definition-controller` of the API server deletes the objects of a
 * CustomResourceDefinition; `controller` is the one that owns the object.
 */
export type Actor = 'garbage-collector' | 'namespace-controller' | 'definition-controller' | 'controller';

/** An owner as it was when something happened to a dependent. */
export interface OwnerFate {
  readonly owner: Identity;
  /** `Deleted`: seen to go, at `at`. `GoneByNow`: it is gone, before or after what happened to the dependent. */
  readonly state: OwnerStatus | 'Deleted' | 'GoneByNow';
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined;
}

/** What a deletion waits for. */
export interface Holds {
  /** That others have to remove; those of a namespace's spec among them. */
  readonly finalizers: readonly string[];
  /** Dependents that hold up its foreground deletion. */
  readonly dependents: readonly Identity[];
  /** The kubelet that has to end the pod. */
  readonly node: string | undefined;
  /** Until when a pod may take for that, in milliseconds since the epoch. */
  readonly graceEnds: number | undefined;
}

export type Because =
  /** Every owner is gone: the collector deletes it. */
  | { readonly code: 'OwnersGone'; readonly owners: readonly OwnerFate[] }
  /** No owner holds it, and one at least is being deleted in the foreground: the collector deletes it first. */
  | { readonly code: 'OwnersWait'; readonly owners: readonly OwnerFate[] }
  /** The namespace or definition that it is `within` is being deleted; `owners` where the collector would delete it, too. */
  | { readonly code: 'EmptiedWith'; readonly within: Identity; readonly owners?: readonly OwnerFate[] }
  /** Nothing that was seen makes the collector do it: somebody asked for it. `owners`: those that it has. */
  | { readonly code: 'Asked'; readonly owners: readonly OwnerFate[] }
  /** A deletion that was `marked` (milliseconds since the epoch) has ended. */
  | { readonly code: 'Ended'; readonly marked: number | undefined; readonly by: Ending }
  /** Owners that are gone or wait lose their references, because others `stay`. */
  | {
      readonly code: 'AnotherOwner';
      readonly owners: readonly OwnerFate[];
      readonly stay: readonly Identity[];
    }
  /** The owner is deleted with the policy orphan. */
  | { readonly code: 'OwnerOrphans'; readonly owner: Identity; readonly at: number | undefined }
  /** `selects`: whether the controller's selector selects its labels; undefined where that isn't known. */
  | { readonly code: 'Controller'; readonly owner: Identity; readonly selects: boolean | undefined }
  | { readonly code: 'OtherOwners'; readonly owners: readonly Identity[] }
  /** It and the owner wait for each other, and the collector breaks the circle. */
  | { readonly code: 'Circle'; readonly owners: readonly Identity[] }
  | { readonly code: 'Finalizers'; readonly removed: readonly string[] }
  | { readonly code: 'Waits' }
  /** `goneAt` in milliseconds since the epoch. */
  | { readonly code: 'SameName'; readonly before: Identity; readonly goneAt: number | undefined };

export type Ending =
  | { readonly how: 'finalizers'; readonly finalizers: readonly string[] }
  /** `last`: the dependent that blocked it last, where one was seen to go; `at` in milliseconds since the epoch. */
  | { readonly how: 'dependents'; readonly last?: Identity | undefined; readonly at?: number | undefined }
  /** `count`: dependents that were seen to lose their reference. */
  | { readonly how: 'orphaned'; readonly count: number }
  | { readonly how: 'pod' }
  | { readonly how: 'namespace' }
  | { readonly how: 'unseen' };

export interface ActivityEntry {
  /** Grows with each entry, from 1. */
  readonly id: number;
  /** When it was seen, in milliseconds since the epoch; of what was there before, when its deletion was asked for. */
  readonly at: number;
  readonly what: ActivityKind;
  readonly object: Identity;
  readonly policy: SeenPolicy | undefined;
  /** Each of whom does this in such a moment; empty where nothing tells. */
  readonly by: readonly Actor[];
  readonly because: Because;
  readonly certainty: Certainty;
  /** Of a deletion that goes on. */
  readonly holds: Holds | undefined;
  /** The entry that this one follows from. */
  readonly cause: ActivityEntry | undefined;
}

// A chain of owners is short; a longer one is cut.
const DEEPEST = 50;

/** The action from which it all followed: the entry itself where it follows from nothing. */
export function rootOf(entry: ActivityEntry): ActivityEntry {
  let root = entry;
  for (let depth = 0; root.cause !== undefined && depth < DEEPEST; depth += 1) root = root.cause;
  return root;
}

/** Whether an entry is another one, or follows from it. */
export function follows(entry: ActivityEntry, other: ActivityEntry): boolean {
  let each: ActivityEntry | undefined = entry;
  for (let depth = 0; each !== undefined && depth < DEEPEST; depth += 1, each = each.cause)
    if (each === other) return true;
  return false;
}

/** How many entries it is away from that action. */
export function depthOf(entry: ActivityEntry): number {
  let depth = 0;
  for (let each = entry; each.cause !== undefined && depth < DEEPEST; each = each.cause) depth += 1;
  return depth;
}

/** By the finalizers that the API server writes for it; background is the one without. */
export function policyOf(object: KubeObject): SeenPolicy {
  if (object.finalizers.includes(ORPHAN_FINALIZER)) return 'orphan';
  return object.finalizers.includes(FOREGROUND_FINALIZER) ? 'foreground' : 'background';
}

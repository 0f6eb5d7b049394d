/** One change to ownership or deletion, its actor and its reason. `text/activity/because.ts` has the words. */
import type { Certainty, OwnerStatus } from '../collector/index.ts';
import type { Identity } from '../graph/index.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../model/index.ts';

/**
 * The change to an object:
 * - `Marked`: its deletion was accepted, but it still exists.
 * - `PolicyChanged`: already being deleted, it now waits for its dependents or orphans them.
 * - `Held`: its deletion should have ended by now.
 * - `Collected`: the garbage collector deleted it; `Deleted`: another actor did.
 * - `Stripped`: it lost references to owners that are gone or wait for their dependents, and has another owner.
 * - `Orphaned`: it lost its reference to an owner that is deleted with the policy orphan.
 * - `Released`: it lost its controller, which still exists. `ReferenceRemoved`: it lost another reference.
 * - `Adopted`: it got a controller. `ReferenceAdded`: it got another owner.
 * - `Unblocked`: it no longer blocks the foreground deletion of an owner.
 * - `FinalizerRemoved`: it lost a finalizer while being deleted, and still exists.
 */
const activityKinds = [
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

/** The policy that the object's finalizers show. */
export type SeenPolicy = 'background' | 'foreground' | 'orphan';

/**
 * The actor, inferred: objects don't record who deleted them. `definition-controller` is part of the API server;
 * `controller` owns the object.
 */
export type Actor = 'garbage-collector' | 'namespace-controller' | 'definition-controller' | 'controller';

export interface OwnerFate {
  readonly owner: Identity;
  /** `Deleted`: its deletion was seen, at `at`. `GoneByNow`: it is gone, before or after what happened to the dependent. */
  readonly state: OwnerStatus | 'Deleted' | 'GoneByNow';
  readonly at?: number | undefined;
}

export interface Holds {
  /** Finalizers other actors must remove, including those in a namespace's spec. */
  readonly finalizers: readonly string[];
  readonly dependents: readonly Identity[];
  /** The node whose kubelet must end the pod. */
  readonly node: string | undefined;
  /** End of the pod's grace period. */
  readonly graceEnds: number | undefined;
}

export type Because =
  | { readonly code: 'OwnersGone'; readonly owners: readonly OwnerFate[] }
  /** No owner is solid and at least one is in foreground deletion: the collector deletes the object first. */
  | { readonly code: 'OwnersWait'; readonly owners: readonly OwnerFate[] }
  /** `within` is being deleted; `owners` is set if the collector would delete the object too. */
  | { readonly code: 'EmptiedWith'; readonly within: Identity; readonly owners?: readonly OwnerFate[] }
  /** No visible reason for the collector to act: a client asked for it. `owners` are the ones the object has. */
  | { readonly code: 'Asked'; readonly owners: readonly OwnerFate[] }
  /** A deletion that was `marked` has ended. */
  | { readonly code: 'Ended'; readonly marked: number | undefined; readonly by: Ending }
  /** Owners that are gone or waiting lose their references, because others `stay`. */
  | {
      readonly code: 'AnotherOwner';
      readonly owners: readonly OwnerFate[];
      readonly stay: readonly Identity[];
    }
  | { readonly code: 'OwnerOrphans'; readonly owner: Identity; readonly at: number | undefined }
  /** `selects`: if the controller's selector selects the object's labels; undefined if unknown. */
  | { readonly code: 'Controller'; readonly owner: Identity; readonly selects: boolean | undefined }
  | { readonly code: 'OtherOwners'; readonly owners: readonly Identity[] }
  /** The object and its owner wait for each other, and the collector breaks the cycle. */
  | { readonly code: 'Cycle'; readonly owners: readonly Identity[] }
  | { readonly code: 'Finalizers'; readonly removed: readonly string[] }
  | { readonly code: 'Waits' }
  | { readonly code: 'SameName'; readonly before: Identity; readonly goneAt: number | undefined };

export type Ending =
  | { readonly how: 'finalizers'; readonly finalizers: readonly string[] }
  /** `last`: the last blocking dependent, if its deletion was seen. */
  | { readonly how: 'dependents'; readonly last?: Identity | undefined; readonly at?: number | undefined }
  | { readonly how: 'orphaned'; readonly count: number }
  | { readonly how: 'pod' }
  | { readonly how: 'namespace' }
  | { readonly how: 'unseen' };

export interface ActivityEntry {
  readonly id: number;
  /** When it was seen (ms since the epoch); for deletions begun earlier, when they were requested. */
  readonly at: number;
  readonly what: ActivityKind;
  readonly object: Identity;
  readonly policy: SeenPolicy | undefined;
  /** The actors that do this in such a situation; empty if unknown. */
  readonly by: readonly Actor[];
  readonly because: Because;
  readonly certainty: Certainty;
  /** Set for a deletion that is still under way. */
  readonly holds: Holds | undefined;
  readonly cause: ActivityEntry | undefined;
}

// Chains of owners are short; a longer one is cut.
const DEEPEST = 50;

/** Returns the action behind an entry: the entry itself if it has no cause. */
function rootOf(entry: ActivityEntry): ActivityEntry {
  let root = entry;
  for (let depth = 0; root.cause !== undefined && depth < DEEPEST; depth += 1) root = root.cause;
  return root;
}

export function follows(entry: ActivityEntry, other: ActivityEntry): boolean {
  let each: ActivityEntry | undefined = entry;
  for (let depth = 0; each !== undefined && depth < DEEPEST; depth += 1, each = each.cause)
    if (each === other) return true;
  return false;
}

function depthOf(entry: ActivityEntry): number {
  let depth = 0;
  for (let each = entry; each.cause !== undefined && depth < DEEPEST; each = each.cause) depth += 1;
  return depth;
}

/** Reads the policy from the finalizers that the API server writes for it; background has none. */
export function policyOf(object: KubeObject): SeenPolicy {
  if (object.finalizers.includes(ORPHAN_FINALIZER)) return 'orphan';
  return object.finalizers.includes(FOREGROUND_FINALIZER) ? 'foreground' : 'background';
}

export const ActivityKind = { all: activityKinds };

export const ActivityEntry = { root: rootOf, depth: depthOf };

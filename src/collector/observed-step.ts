/** One observed step: a graph event, work on an item, or another action. `text/collector/` has words for its codes. */
import type { Identity } from '../graph/index.ts';
import type { OwnerReference } from '../model/index.ts';
import type { Knowledge, WatchedEvent } from './collector-state.ts';

export interface CollectorStep {
  readonly n: number;
  /** Virtual time in a simulation. */
  readonly at: number;
  /** `garbage-collector`, `user`, `kubelet`, or another name. */
  readonly actor: string;
  readonly knowledge: Knowledge;
  readonly work: StepWork;
  /** Decisions in order; the last one is the result. */
  readonly branches: readonly Branch[];
  readonly lookUps: readonly StepLookUp[];
  readonly requests: readonly StepRequest[];
  readonly queued: readonly StepQueued[];
  /** Warnings `OwnerRefInvalidNamespace` (docs/kubernetes.md §1.3). */
  readonly warnings: readonly StepWarning[];
}

type StepWork =
  | { readonly of: 'event'; readonly event: WatchedEvent; readonly object: Identity }
  /** A worker decides on an item, or sends the requests it decided on: other work may happen in between. */
  | {
      readonly of: 'item';
      readonly queue: string;
      readonly object: Identity;
      readonly stage: 'decision' | 'requests';
    }
  | { readonly of: 'watch'; readonly resource: string }
  /** A change from outside of the simulation; `about` is such as `delete StatefulSet shop/web`. */
  | { readonly of: 'outside'; readonly about: string }
  /** Another controller's work, or the collector's start of its workers and the like. */
  | { readonly of: 'task'; readonly name: string };

/** Results of a graph event (docs/kubernetes.md §1.2 to §1.4). */
const eventBranches = [
  'NodeAdded',
  /** A virtual owner is observed: as claimed, or with another identity. */
  'VirtualNodeObserved',
  'VirtualNodeCorrected',
  'NothingChanged',
  'OwnersChanged',
  /** A reference stopped blocking its owner's foreground deletion, so the owner is queued. */
  'OwnerUnblocked',
  'DeletionBegan',
  'ForegroundDeletionBegan',
  'OrphaningBegan',
  'NodeRemoved',
  /** The node had dependents, so it enters the cache of absent owners. */
  'AbsenceRemembered',
  /** A deleted object that isn't in the graph. */
  'NodeUnknown',
  /** A virtual delete: dependents that claim the absent identity are queued, the node stays. */
  'AbsentClaimDropped',
  /** A virtual delete: the node takes another claimed identity. */
  'OtherClaimTried',
] as const;

/** Results of the collector's other work (docs/kubernetes.md §5). */
const otherBranches = ['WorkersStarted', 'MonitorsSynced', 'MonitorsUnchanged'] as const;

/** Results of an item (docs/kubernetes.md §2, §3); verdicts as in `collector/verdict.ts`. */
const itemBranches = [
  /** A virtual node was observed or removed meanwhile. */
  'VirtualNodeSuperseded',
  'WorkersWait',
  /** Nothing to do: it is being deleted and doesn't wait for dependents. */
  'AlreadyDeleting',
  /** The kind is unknown: retried after a back-off. */
  'KindUnresolvable',
  /** Given up: a namespaced kind without a namespace. */
  'NamespaceMissing',
  'ObjectAbsent',
  'OtherUid',
  'LookUpFailed',
  'NoOwners',
  /** Queued again: the object exists, but its watch hasn't reported it. */
  'NotObservedYet',
  'None',
  'DeleteBackground',
  'DeleteForeground',
  'DeleteOrphan',
  /** The first collector names no policy, so the API server decides about dependents. */
  'DeleteByDefault',
  'PruneReferences',
  'UnblockAndDelete',
  'WaitForDependents',
  'RemoveForegroundFinalizer',
  'OrphanDependents',
  'RetryForever',
  'NeverCollected',
  /** A second reference to one owner is looked up later. */
  'MoreOwnersToLookUp',
  /** Results of requests: done, object gone, or failed and to be retried. */
  'RequestsDone',
  'RequestsFoundNothing',
  'RequestsFailed',
] as const;

export const branches = [...eventBranches, ...itemBranches, ...otherBranches] as const;
export type Branch = (typeof branches)[number];

export interface StepLookUp {
  readonly object: Identity;
  readonly of: 'item' | 'owner' | 'dependent';
  /** `kinds`: the REST mapper, if it doesn't know the kind. `absentOwners` appears only if it answers. */
  readonly from: 'graph' | 'absentOwners' | 'kinds' | 'live';
  readonly result: LookUpResult;
  /** HTTP status of a live GET. */
  readonly status?: number;
}

/**
 * `waiting`: in foreground deletion. `blocking`, `notBlocking`: a dependent's reference. `absent`: 404, or remembered.
 * `namespaced`: the owner's kind, for a cluster-scoped object.
 */
type LookUpResult =
  | 'found'
  | 'waiting'
  | 'absent'
  | 'otherUid'
  | 'failed'
  | 'unresolvable'
  | 'namespaced'
  | 'blocking'
  | 'notBlocking';

export interface StepRequest {
  readonly actor: string;
  readonly verb: string;
  readonly object: Identity;
  readonly subresource?: string | undefined;
  readonly body?: unknown;
  readonly status: number;
  readonly refused?: string | undefined;
  readonly result: RequestResult;
  /** Clause from the actor. */
  readonly because?: string | undefined;
}

/** `deleting`: its deletion began, but the object still exists. */
type RequestResult = 'created' | 'changed' | 'deleting' | 'removed' | 'unchanged' | 'refused';

export interface StepQueued {
  readonly queue: string;
  readonly object: Identity;
  readonly event?: WatchedEvent;
  /** Set if delayed. */
  readonly until?: number;
}

export interface StepWarning {
  readonly object: Identity;
  readonly reference: OwnerReference;
}

/** Receives a simulated collector's actions as they happen. Must not change anything. */
export interface CollectorOnlooker {
  /** Starts the work that later calls belong to. */
  works(work: StepWork): void;
  takes(branch: Branch): void;
  looksUp(lookUp: StepLookUp): void;
  /** Announces the next request's body. */
  sends(body: unknown): void;
  queues(queued: StepQueued): void;
  warns(warning: StepWarning): void;
}

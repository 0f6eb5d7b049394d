/**
 * One step that is watched: the collector takes a graph event or works on an item, or somebody else does something. Data
 * with codes; `text/collector/` has the words. `CollectorOnlooker` is how a simulated collector tells of its steps.
 */
import type { Identity } from '../graph/node.ts';
import type { OwnerReference } from '../model/object.ts';
import type { Knowledge, WatchedEvent } from './state.ts';

export interface CollectorStep {
  /** From 1. */
  readonly n: number;
  /** Milliseconds since the epoch, virtual in a simulation. */
  readonly at: number;
  /** `garbage-collector`, `user`, `kubelet`, or another by its name. */
  readonly actor: string;
  readonly knowledge: Knowledge;
  readonly work: StepWork;
  /** The decisions in the order in which they were taken; the last one says what the step came to. */
  readonly branches: readonly Branch[];
  readonly lookUps: readonly StepLookUp[];
  readonly requests: readonly StepRequest[];
  /** What the collector has queued. */
  readonly queued: readonly StepQueued[];
  /** Warnings `OwnerRefInvalidNamespace` (docs/kubernetes.md §1.3). */
  readonly warnings: readonly StepWarning[];
}

export type StepWork =
  /** The collector takes an event into its graph. */
  | { readonly of: 'event'; readonly event: WatchedEvent; readonly object: Identity }
  /**
   * A worker of the collector looks at an item and decides, or sends the requests that it has decided upon: others may work
   * in between.
   */
  | {
      readonly of: 'item';
      readonly queue: string;
      readonly object: Identity;
      readonly stage: 'decision' | 'requests';
    }
  /** A watch of the collector reports what has changed: queued as graph events. */
  | { readonly of: 'watch'; readonly resource: string }
  /** Something comes from outside of the simulation: `about` says what, such as `delete StatefulSet shop/web`. */
  | { readonly of: 'outside'; readonly about: string }
  /** Another controller, or the collector apart from events and items, such as the start of its workers. */
  | { readonly of: 'task'; readonly name: string };

/** What a graph event leads to (docs/kubernetes.md §1.2 to §1.4). */
const eventBranches = [
  /** A node that nobody referred to before. */
  'NodeAdded',
  /** The owner that was only heard of is seen; the first, that it is what was claimed, the second, that it isn't. */
  'VirtualNodeObserved',
  'VirtualNodeCorrected',
  /** Nothing that the graph keeps is different. */
  'NothingChanged',
  'OwnersChanged',
  /** A reference no longer blocks its owner's foreground deletion: the owner is looked at again. */
  'OwnerUnblocked',
  'DeletionBegan',
  'ForegroundDeletionBegan',
  'OrphaningBegan',
  'NodeRemoved',
  /** It had dependents, so it is in the cache of absent owners now. */
  'AbsenceRemembered',
  /** Deleted, and not in the graph. */
  'NodeUnknown',
  /** A virtual delete: dependents that claim the absent identity are queued, the node stays. */
  'AbsentClaimDropped',
  /** A virtual delete: the node goes by another identity that dependents claim. */
  'OtherClaimTried',
] as const;

/** What the collector does apart from events and items (docs/kubernetes.md §5). */
const otherBranches = ['WorkersStarted', 'MonitorsSynced', 'MonitorsUnchanged'] as const;

/** What looking at an item leads to (docs/kubernetes.md §2, §3); the verdicts have their names in `collector/verdict.ts`. */
const itemBranches = [
  /** A virtual node that has been observed or removed meanwhile. */
  'VirtualNodeSuperseded',
  'WorkersWait',
  /** It is being deleted and doesn't wait for dependents: nothing to do. */
  'AlreadyDeleting',
  /** No such kind is known: again after its back-off. */
  'KindUnresolvable',
  /** Of a namespaced kind, and known without a namespace: given up. */
  'NamespaceMissing',
  'ObjectAbsent',
  'OtherUid',
  'LookUpFailed',
  /** The live object has no owner references. */
  'NoOwners',
  /** A virtual node exists, and its watch hasn't reported it yet: looked at again. */
  'NotObservedYet',
  'None',
  'DeleteBackground',
  'DeleteForeground',
  'DeleteOrphan',
  /** Of the first collector, which names no policy: what becomes of dependents is up to the API server. */
  'DeleteByDefault',
  'PruneReferences',
  'UnblockAndDelete',
  'WaitForDependents',
  'RemoveForegroundFinalizer',
  'OrphanDependents',
  'RetryForever',
  'NeverCollected',
  /** An owner is referred to twice; the second look-up comes later. */
  'MoreOwnersToLookUp',
  /** How requests ended: as intended, with the object gone, or failed and to be tried again. */
  'RequestsDone',
  'RequestsFoundNothing',
  'RequestsFailed',
] as const;

export const branches = [...eventBranches, ...itemBranches, ...otherBranches] as const;
export type Branch = (typeof branches)[number];

export interface StepLookUp {
  readonly object: Identity;
  /** What is looked for: the item itself, one of its owners, or its dependents. */
  readonly of: 'item' | 'owner' | 'dependent';
  /** `kinds`: the REST mapper, where it doesn't know the kind. A cache of absent owners is told of where it answers. */
  readonly from: 'graph' | 'absentOwners' | 'kinds' | 'live';
  readonly result: LookUpResult;
  /** HTTP's status of a live GET. */
  readonly status?: number;
}

/**
 * `waiting`: it exists, and is being deleted in the foreground. `blocking`, `notBlocking`: of a dependent, whether its
 * reference blocks. `absent`: 404, or remembered to be. `namespaced`: the kind of a cluster-scoped object's owner.
 */
export type LookUpResult =
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
  /** Who sends it. */
  readonly actor: string;
  /** `get`, `create`, `update`, `patch`, `delete`, … */
  readonly verb: string;
  readonly object: Identity;
  readonly subresource?: string | undefined;
  /** JSON, where the one who sent it said. */
  readonly body?: unknown;
  readonly status: number;
  /** Why it was refused. */
  readonly refused?: string | undefined;
  readonly result: RequestResult;
  /** A clause, by whoever sent it. */
  readonly because?: string | undefined;
}

/** `deleting`: its deletion began, and it is still there. */
export type RequestResult = 'created' | 'changed' | 'deleting' | 'removed' | 'unchanged' | 'refused';

export interface StepQueued {
  readonly queue: string;
  readonly object: Identity;
  readonly event?: WatchedEvent;
  /** Milliseconds since the epoch, where it comes later. */
  readonly until?: number;
}

export interface StepWarning {
  readonly object: Identity;
  readonly reference: OwnerReference;
}

/** Told by a simulated collector what it does, while it does it. Must not change anything. */
export interface CollectorOnlooker {
  /** What follows belongs to this work. */
  works(work: StepWork): void;
  takes(branch: Branch): void;
  looksUp(lookUp: StepLookUp): void;
  /** The next request has this body. */
  sends(body: unknown): void;
  queues(queued: StepQueued): void;
  warns(warning: StepWarning): void;
}

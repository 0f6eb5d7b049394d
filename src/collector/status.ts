/**
 * The collector's words for an owner reference and for its next move on an object, as documents print them
 * (docs/documents.md).
 */

/** How one owner reference of an object would be classified (docs/kubernetes.md §2.3), as far as it can be seen. */
export type OwnerStatus =
  | 'Solid'
  | 'WaitingForDependents'
  | 'Absent'
  | 'Mismatched'
  | 'OtherNamespace'
  | 'ClusterScopeViolation'
  | 'Unresolvable'
  | 'Unknown';

/** The collector's next move on an object. */
export type Verdict =
  | 'None'
  | 'DeleteBackground'
  | 'DeleteForeground'
  | 'DeleteOrphan'
  | 'PruneReferences'
  | 'UnblockAndDelete'
  | 'WaitForDependents'
  | 'RemoveForegroundFinalizer'
  | 'OrphanDependents'
  | 'RetryForever'
  | 'NeverCollected';

/** `assumed` where something that cannot be seen could change the answer. */
export type Certainty = 'exact' | 'assumed';

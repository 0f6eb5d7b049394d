/** Every finding code with its usual severity. The codes are the states of docs/kubernetes.md §10. */

/** `error`: stuck for good, or a loss its owner reference should prevent; `warning`: stuck for now, or a trap. */
export type Severity = 'error' | 'warning' | 'info';

/** The severity per code, unless a rule sets another one. */
export const usualSeverity = {
  ForegroundBlockedByFinalizer: 'error',
  ForegroundBlockedByUnresolvableOwner: 'error',
  ForegroundBlockedByClusterScopedDependent: 'error',
  SelfOwnerDeadlock: 'error',
  ForegroundCycleDeadlock: 'error',
  OwnerCycle: 'warning',
  PodVolumeDeadlock: 'error',
  ForegroundStale: 'warning',
  OrphanPending: 'warning',
  OrphanWillMissDependent: 'error',
  DeletingOwnerStillSolid: 'warning',
  FinalizerWithoutController: 'error',
  OwnerRecreated: 'error',
  OwnerReferenceMismatch: 'error',
  OwnerInOtherNamespace: 'error',
  NamespacedOwnerOfClusterScoped: 'error',
  OwnerKindUnresolvable: 'warning',
  OwnerApiUnavailable: 'warning',
  PendingCollection: 'info',
  CollectionOverdue: 'warning',
  PartlyDangling: 'info',
  DuplicateOwnerUid: 'warning',
  MultipleControllers: 'warning',
  ControllerDoesNotBlock: 'info',
  AdoptionBlockedByDanglingController: 'warning',
  WillBeAdopted: 'info',
  StatefulSetSurvivor: 'warning',
  ReplicaSetSurvivor: 'warning',
  JobSurvivor: 'warning',
  PodOnUnreachableNode: 'warning',
  JobPastTTL: 'warning',
  PodPastGracePeriod: 'warning',
  DrainBlockedByDisruptionBudget: 'info',
  PodOnMissingNode: 'warning',
  PodTerminatingUnscheduled: 'info',
  PodHeldByFinalizer: 'warning',
  VolumeClaimInUse: 'warning',
  VolumeProtected: 'warning',
  LoadBalancerCleanupPending: 'warning',
  CustomResourceCleanupPending: 'warning',
  ConversionWebhookUnreachable: 'warning',
  AdmissionWebhookUnreachable: 'warning',
  ObjectCannotBeDecoded: 'error',
  NamespaceContentFailure: 'error',
  NamespaceContentStuck: 'error',
  NamespaceDiscoveryFailure: 'error',
  NamespaceWaitingForPods: 'warning',
  NamespaceHeldByOwnFinalizer: 'error',
  NamespaceGone: 'warning',
  ForceDeletedPodKeptByForeground: 'warning',
  VolumeClaimOwnedByWorkload: 'warning',
  FinalizerHandlerForbidden: 'warning',
  FinalizerHandlerAbsent: 'info',
  TerminatingHeldByFinalizer: 'warning',
} as const satisfies Readonly<Record<string, Severity>>;

export type FindingCode = keyof typeof usualSeverity;

export function isFindingCode(word: string): word is FindingCode {
  return Object.hasOwn(usualSeverity, word);
}

export const findingCodes: readonly FindingCode[] = Object.keys(usualSeverity).filter(isFindingCode);

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

export function compareSeverity(a: Severity, b: Severity): number {
  return ranks[a] - ranks[b];
}

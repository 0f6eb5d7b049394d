/** Every finding code. The codes are the states of docs/kubernetes.md §10. */

/** `error`: stuck for good, or a loss its owner reference should prevent; `warning`: stuck for now, or a trap. */
export type Severity = 'error' | 'warning' | 'info';

interface CodeFacts {
  readonly severity: Severity;
  readonly meaning: string;
}

const error = (meaning: string): CodeFacts => ({ severity: 'error', meaning });
const warning = (meaning: string): CodeFacts => ({ severity: 'warning', meaning });
const info = (meaning: string): CodeFacts => ({ severity: 'info', meaning });

/** The severity per code unless a rule sets another one, and its meaning for SARIF, the documentation and completion. */
const codes = {
  ForegroundBlockedByFinalizer: error(
    'A foreground deletion waits for a dependent, and a finalizer holds that dependent.',
  ),
  ForegroundBlockedByUnresolvableOwner: error(
    'A foreground deletion waits for a dependent that is never collected, because one of its other owners is of a kind that is not served.',
  ),
  ForegroundBlockedByClusterScopedDependent: error(
    'The foreground deletion of a namespaced object waits for a cluster-scoped dependent, which the collector never deletes for it.',
  ),
  SelfOwnerDeadlock: error(
    'A foreground deletion waits for the object itself, which is one of its own owners.',
  ),
  ForegroundCycleDeadlock: error(
    'Objects that own each other are all in foreground deletion, each waiting for the next.',
  ),
  OwnerCycle: warning('Objects own each other in a cycle: deleting one of them deletes all.'),
  PodVolumeDeadlock: error(
    'A pod waits for a volume claim that it owns, and the claim waits for the pod that mounts it.',
  ),
  ForegroundDependentsRecreated: warning(
    'A foreground deletion waits for dependents that were created after it began: it may never end.',
  ),
  ForegroundStale: warning('A foreground deletion waits although nothing that can be seen blocks it.'),
  OrphanPending: warning('A deletion that orphans its dependents makes no progress.'),
  OrphanWillMissDependent: error(
    'A deletion that orphans its dependents will miss one of them, which is deleted afterwards.',
  ),
  DeletingOwnerStillSolid: warning(
    'An owner is being deleted and held by a finalizer; its dependents stay until it is really deleted.',
  ),
  FinalizerWithoutController: error('A deletion waits for a finalizer that nothing in the cluster handles.'),
  OwnerRecreated: error(
    'The owner was recreated under the same name; the reference still names the old one.',
  ),
  OwnerReferenceMismatch: error(
    'An owner reference names another kind or name than the object with its uid.',
  ),
  OwnerInOtherNamespace: error('An owner reference leads into another namespace, where it does not count.'),
  NamespacedOwnerOfClusterScoped: error(
    'A cluster-scoped object names a namespaced owner: it is never collected, whatever its other owners do.',
  ),
  OwnerKindUnresolvable: warning('An owner is of a kind that is not served: the object cannot be collected.'),
  OwnerApiUnavailable: warning('The API that serves an owner is down: nothing is decided until it is back.'),
  PendingCollection: info('All owners are gone; the garbage collector is about to delete the object.'),
  CollectionOverdue: warning('All owners are gone, and the garbage collector has not deleted the object.'),
  PartlyDangling: info('Some owners are gone; others hold the object.'),
  DuplicateOwnerUid: warning(
    'Several owner references with the same uid disagree: the collector removes all of them.',
  ),
  MultipleControllers: warning('Several owner references claim to be the controller.'),
  ControllerDoesNotBlock: info(
    'A controller reference does not block: a foreground deletion will not wait for it.',
  ),
  AdoptionBlockedByDanglingController: warning(
    'A controller would adopt the object, but the reference to a controller that is gone stands in the way.',
  ),
  WillBeAdopted: info('An existing controller will adopt the object.'),
  StatefulSetSurvivor: warning('A pod or claim outlived its StatefulSet.'),
  ReplicaSetSurvivor: warning('An object outlived the Deployment or ReplicaSet that created it.'),
  JobSurvivor: warning('A pod outlived its Job or ReplicationController.'),
  PodOnUnreachableNode: warning('A pod is being deleted, and the kubelet of its node does not answer.'),
  JobPastTTL: warning('A finished Job is still there though its ttlSecondsAfterFinished is over.'),
  PodPastGracePeriod: warning(
    'The grace period of a pod is over, and the kubelet of its ready node has not confirmed its end.',
  ),
  DrainBlockedByDisruptionBudget: info(
    'A node is being emptied, and a PodDisruptionBudget allows none of its pods to be evicted.',
  ),
  PodOnMissingNode: warning('A pod is bound to a node that does not exist.'),
  PodTerminatingUnscheduled: info('A pod was deleted before it was scheduled.'),
  PodHeldByFinalizer: warning('A pod has stopped, and a finalizer holds it.'),
  VolumeClaimInUse: warning('A volume claim is being deleted while a pod mounts it.'),
  VolumeProtected: warning('A volume is being deleted while its claim or its storage is still there.'),
  LoadBalancerCleanupPending: warning(
    'A Service is being deleted and waits for its load balancer to be taken down.',
  ),
  CustomResourceCleanupPending: warning('A definition is being deleted and waits for its instances.'),
  ConversionWebhookUnreachable: warning(
    'The webhook that converts objects of a kind does not answer: they cannot be listed or collected.',
  ),
  AdmissionWebhookUnreachable: warning(
    'An admission webhook that must be called does not answer: the API server refuses the requests that it covers.',
  ),
  ApiServiceUnreachable: warning(
    'The API server gets no answer from an API whose pods are ready: no namespace can be deleted meanwhile.',
  ),
  ObjectCannotBeDecoded: error(
    "An object cannot be read from the API server's storage: its kind cannot be listed.",
  ),
  NamespaceContentFailure: error('A namespace is being deleted, and the deletion of its content is refused.'),
  NamespaceContentStuck: error('A namespace is being deleted, and something in it is not deleted.'),
  NamespaceDiscoveryFailure: error('A namespace is being deleted, and an API group cannot be discovered.'),
  NamespaceWaitingForPods: warning(
    'A namespace is being deleted and waits for its pods before anything else.',
  ),
  NamespaceHeldByOwnFinalizer: error('A namespace is empty, and one of its own finalizers holds it.'),
  NamespaceGone: warning('An object is left in a namespace that no longer exists.'),
  ForceDeletedPodKeptByForeground: warning(
    'A pod was deleted by force, and stays because its deletion is a foreground deletion.',
  ),
  VolumeClaimOwnedByWorkload: warning(
    'A volume claim is deleted when its StatefulSet is deleted or scaled down.',
  ),
  FinalizerHandlerForbidden: warning(
    'A deletion waits for a finalizer that its controller is not permitted to remove.',
  ),
  FinalizerHandlerAbsent: info(
    'An object that is not being deleted carries a finalizer that nothing in the cluster handles.',
  ),
  TerminatingHeldByFinalizer: warning('A deletion waits for a finalizer.'),
};

export type FindingCode = keyof typeof codes;

export function isFindingCode(word: string): word is FindingCode {
  return Object.hasOwn(codes, word);
}

export function usualSeverity(code: FindingCode): Severity {
  return codes[code].severity;
}

export function meaningOf(code: FindingCode): string {
  return codes[code].meaning;
}

export const findingCodes: readonly FindingCode[] = Object.keys(codes).filter(isFindingCode);

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

export function compareSeverity(a: Severity, b: Severity): number {
  return ranks[a] - ranks[b];
}

/** Meanings of finding codes, for SARIF, the documentation, and completion. */
import type { FindingCode } from '../../diagnosis/engine/codes.ts';

export const meaningOf: Readonly<Record<FindingCode, string>> = {
  ForegroundBlockedByFinalizer:
    'A foreground deletion waits for a dependent, and a finalizer holds that dependent.',
  ForegroundBlockedByUnresolvableOwner:
    'A foreground deletion waits for a dependent that is never collected, because one of its other owners is of a kind that is not served.',
  ForegroundBlockedByClusterScopedDependent:
    'The foreground deletion of a namespaced object waits for a cluster-scoped dependent, which the collector never deletes for it.',
  SelfOwnerDeadlock: 'A foreground deletion waits for the object itself, which is one of its own owners.',
  ForegroundCycleDeadlock:
    'Objects that own each other are all in foreground deletion, each waiting for the next.',
  OwnerCycle: 'Objects own each other in a circle: deleting one of them deletes all.',
  PodVolumeDeadlock:
    'A pod waits for a volume claim that it owns, and the claim waits for the pod that mounts it.',
  ForegroundStale: 'A foreground deletion waits although nothing that can be seen blocks it.',
  OrphanPending: 'A deletion that orphans its dependents makes no progress.',
  OrphanWillMissDependent:
    'A deletion that orphans its dependents will miss one of them, which is deleted afterwards.',
  DeletingOwnerStillSolid:
    'An owner is being deleted and held by a finalizer; its dependents stay until it is really deleted.',
  FinalizerWithoutController: 'A deletion waits for a finalizer that nothing in the cluster handles.',
  OwnerRecreated: 'The owner was recreated under the same name; the reference still names the old one.',
  OwnerReferenceMismatch: 'An owner reference names another kind or name than the object with that uid has.',
  OwnerInOtherNamespace: 'An owner reference leads into another namespace, where it does not count.',
  NamespacedOwnerOfClusterScoped:
    'A cluster-scoped object names a namespaced owner: it is never collected, whatever its other owners do.',
  OwnerKindUnresolvable: 'An owner is of a kind that is not served: the object cannot be collected.',
  OwnerApiUnavailable: 'The API that serves an owner is down: nothing is decided until it is back.',
  PendingCollection: 'All owners are gone; the garbage collector is about to delete the object.',
  CollectionOverdue: 'All owners are gone, and the garbage collector has not deleted the object.',
  PartlyDangling: 'Some owners are gone; others hold the object.',
  DuplicateOwnerUid:
    'One uid stands in several owner references that disagree: the collector removes them all.',
  MultipleControllers: 'Several owner references claim to be the controller.',
  ControllerDoesNotBlock:
    'A controller reference does not block: a foreground deletion will not wait for it.',
  AdoptionBlockedByDanglingController:
    'A controller would adopt the object, but the reference to a controller that is gone stands in the way.',
  WillBeAdopted: 'A controller that is there will adopt the object.',
  StatefulSetSurvivor: 'A pod or claim outlived its StatefulSet.',
  ReplicaSetSurvivor: 'An object outlived the Deployment or ReplicaSet that created it.',
  JobSurvivor: 'A pod outlived its Job or ReplicationController.',
  PodOnUnreachableNode: 'A pod is being deleted, and the kubelet of its node does not answer.',
  JobPastTTL: 'A finished Job is still there though its ttlSecondsAfterFinished is over.',
  PodPastGracePeriod:
    'The grace period of a pod is over, and the kubelet of its ready node has not let it go.',
  DrainBlockedByDisruptionBudget:
    'A node is to be emptied, and a PodDisruptionBudget allows none of its pods to be evicted.',
  PodOnMissingNode: 'A pod is bound to a node that does not exist.',
  PodTerminatingUnscheduled: 'A pod was deleted before it was scheduled.',
  PodHeldByFinalizer: 'A pod has stopped, and a finalizer holds it.',
  VolumeClaimInUse: 'A volume claim is being deleted while a pod mounts it.',
  VolumeProtected: 'A volume is being deleted while its claim or its storage is still there.',
  LoadBalancerCleanupPending: 'A Service is being deleted and waits for its load balancer to be taken down.',
  CustomResourceCleanupPending: 'A definition is being deleted and waits for its instances.',
  ConversionWebhookUnreachable:
    'Objects of a kind are converted by a webhook behind which nothing answers: they cannot be listed or collected.',
  AdmissionWebhookUnreachable:
    'Nothing answers behind an admission webhook that has to be asked: the API server refuses what it would be asked about.',
  NamespaceContentFailure: 'A namespace is being deleted, and the deletion of its content is refused.',
  ObjectCannotBeDecoded: "An object cannot be read from the API server's storage: nobody can list its kind.",
  NamespaceContentStuck: 'A namespace is being deleted, and something in it is not deleted.',
  NamespaceDiscoveryFailure: 'A namespace is being deleted, and an API group does not answer what it holds.',
  NamespaceWaitingForPods: 'A namespace is being deleted and waits for its pods before anything else.',
  NamespaceHeldByOwnFinalizer: 'A namespace is empty, and a finalizer of its own holds it.',
  NamespaceGone: 'An object is left in a namespace that does not exist any more.',
  ForceDeletedPodKeptByForeground:
    'A pod was deleted by force, and stays because its deletion is a foreground deletion.',
  VolumeClaimOwnedByWorkload: 'A volume claim is deleted when its StatefulSet is deleted or scaled down.',
  FinalizerHandlerForbidden:
    'A deletion waits for a finalizer whose controller is there and may not remove it.',
  FinalizerHandlerAbsent:
    'An object that nobody has deleted carries a finalizer that nothing in the cluster handles.',
  TerminatingHeldByFinalizer: 'A deletion waits for a finalizer.',
};

/** The product's home, as in plugin.yaml. */
const HOME = 'https://github.com/kubectl-gc-tree/kubectl-gc-tree';

/** The built version; undefined when run from source. */
declare const __VERSION__: string | undefined;

/** Links to the code's row in docs/diagnosis.md, by the release's tag or, for unreleased versions, on main. */
export function helpUriOf(
  code: FindingCode,
  version = typeof __VERSION__ === 'undefined' ? '' : __VERSION__,
): string {
  const pages = /^\d+\.\d+\.\d+$/u.test(version) ? `v${version}` : 'main';
  return `${HOME}/blob/${pages}/docs/diagnosis.md#${code.toLowerCase()}`;
}

/**
 * Differences between minor releases of Kubernetes that affect an answer, each row read from its sources: the one table
 * for simulation, forecast, diagnosis, PodGC and the live source. `docs/kubernetes.md §11` is generated from it. A
 * release is its minor number: 33 for v1.33.
 */

/** Stages of a gate: `Alpha` and `BetaOff` are off by default, `Beta` is on. Behaviour without a gate is `Stable`. */
export type FeatureStage = 'Absent' | 'Alpha' | 'BetaOff' | 'Beta' | 'Stable';

export type ServerProgram = 'kube-apiserver' | 'kube-controller-manager';

export interface Behaviour {
  readonly does: string;
  readonly otherwise: string;
  readonly program: ServerProgram;
  readonly gate?: string;
  /** Minor release at which each stage begins, in order. */
  readonly stages: readonly (readonly [since: number, stage: FeatureStage])[];
  /** First patch releases of older minor releases that also have it. */
  readonly backports?: readonly string[];
  /** Files of Kubernetes that show it, below k8s.io/kubernetes unless they begin with another module. */
  readonly sources: readonly string[];
}

const COLLECTOR = 'pkg/controller/garbagecollector';
const NAMESPACE = 'pkg/controller/namespace/deletion/namespaced_resources_deleter.go';
const PODGC = 'pkg/controller/podgc/gc_controller.go';
const STATEFUL = 'pkg/controller/statefulset';
const JOB = 'pkg/controller/job/job_controller.go';
const GATES = 'pkg/features/kube_features.go';
const SERVER_GATES = 'apiserver/pkg/features/kube_features.go';

export const behaviours = {
  leavesNamespacedOwners: {
    does: 'The collector leaves a cluster-scoped object alone whose owner reference is to a kind that lives in namespaces.',
    otherwise: 'It takes such an owner for absent, and deletes the object.',
    program: 'kube-controller-manager',
    stages: [[20, 'Stable']],
    sources: [`${COLLECTOR}/garbagecollector.go (attemptToDeleteItem)`, 'kubernetes/kubernetes#92743'],
  },
  keepsFailedGroups: {
    does: 'While the discovery of a group fails, the collector keeps the monitors that it has for it.',
    otherwise: 'It drops them, and misses all changes of their objects until the group is discovered again.',
    program: 'kube-controller-manager',
    stages: [[29, 'Stable']],
    sources: [`${COLLECTOR}/garbagecollector.go (Sync)`],
  },
  worksUnsynced: {
    does: 'If a kind cannot be listed, the collector ignores only that kind: its workers start after 30 s.',
    otherwise:
      'The collector does nothing at all while any kind that it has begun to watch has not been listed, after its start as after each change of the kinds that are served.',
    program: 'kube-controller-manager',
    stages: [[32, 'Stable']],
    sources: [`${COLLECTOR}/garbagecollector.go (Run, Sync)`, 'kubernetes/kubernetes#125796'],
  },
  deletesByResourceVersion: {
    does: 'The collector deletes an object with the resourceVersion at which it judged the owners: an owner added in between keeps the object.',
    otherwise: 'The precondition is the UID alone: an owner added in between is overlooked.',
    program: 'kube-controller-manager',
    stages: [[34, 'Stable']],
    sources: [`${COLLECTOR}/operations.go (deleteObject)`],
  },
  believesNotFound: {
    does: 'An answer of 404 to the DELETE of the collector counts as proof that the object is gone, as one to its GET does.',
    otherwise:
      'After such an answer the object is tried again with back-off, or, from v1.34 on after a conflict, forgotten.',
    program: 'kube-controller-manager',
    stages: [[36, 'Stable']],
    sources: [`${COLLECTOR}/garbagecollector.go (attemptToDeleteItem)`, `${COLLECTOR}/operations.go`],
  },
  missesComponentStatuses: {
    does: 'kube-apiserver answers 404 to a GET of a ComponentStatus that does not exist.',
    otherwise:
      'It answers 500, so the collector never finds such an owner absent, and keeps trying: the dependent stays.',
    program: 'kube-apiserver',
    stages: [[33, 'Stable']],
    sources: ['pkg/registry/core/componentstatus/rest.go (Get)'],
  },
  podsByReference: {
    does: "ReplicaSets, ReplicationControllers, Jobs and StatefulSets find their pods by the whole controller reference: a pod whose reference has another kind or name isn't theirs.",
    otherwise:
      "They use only the UID: such a pod is theirs. If it doesn't match, they release it; when kube-controller-manager starts, mostly before the collector finds its owner absent.",
    program: 'kube-controller-manager',
    stages: [[34, 'Stable']],
    sources: [
      'pkg/controller/controller_utils.go (FilterPodsByOwner)',
      'pkg/controller/replicaset/replica_set.go (syncReplicaSet)',
      `${JOB} (getPodsForJob)`,
      `${STATEFUL}/stateful_set.go (getPodsForStatefulSet)`,
    ],
  },
  daemonPodsByReference: {
    does: 'DaemonSets find their pods in the same way.',
    otherwise: 'They use only the UID, too.',
    program: 'kube-controller-manager',
    stages: [[33, 'Stable']],
    sources: ['pkg/controller/daemon/daemon_controller.go (getDaemonPods)'],
  },
  orderedNamespaceDeletion: {
    does: 'In a namespace that is being deleted, pods are deleted first, and nothing else while one remains.',
    otherwise: 'All kinds in it are deleted in one pass, in no particular order.',
    program: 'kube-controller-manager',
    gate: 'OrderedNamespaceDeletion',
    stages: [
      [30, 'BetaOff'],
      [33, 'Beta'],
      [34, 'Stable'],
    ],
    sources: [`${NAMESPACE} (deleteAllContent)`, GATES],
  },
  claimRetention: {
    does: 'A StatefulSet writes the owners of its claims that `persistentVolumeClaimRetentionPolicy` asks for.',
    otherwise: 'The policy does nothing, and all claims stay.',
    program: 'kube-controller-manager',
    gate: 'StatefulSetAutoDeletePVC',
    stages: [
      [23, 'Alpha'],
      [27, 'Beta'],
      [32, 'Stable'],
    ],
    sources: [`${STATEFUL}/stateful_pod_control.go`, GATES],
  },
  claimRetentionControls: {
    does: 'These references have `controller` and `blockOwnerDeletion`; a claim with another controller is left alone.',
    otherwise: 'They have neither, so that nothing waits for the claims, and other controllers are ignored.',
    program: 'kube-controller-manager',
    stages: [[31, 'Stable']],
    backports: ['1.28.13', '1.29.8', '1.30.4'],
    sources: [`${STATEFUL}/stateful_set_utils.go (updateClaimOwnerRefForSetAndPod)`],
  },
  jobManagedBy: {
    does: 'The Job controller leaves a Job alone whose `spec.managedBy` names another controller, and its pods as long as that Job exists.',
    otherwise: 'The API server drops the field from Jobs that are created.',
    program: 'kube-controller-manager',
    gate: 'JobManagedBy',
    stages: [
      [30, 'Alpha'],
      [32, 'Beta'],
      [35, 'Stable'],
    ],
    sources: [`${JOB} (managedByExternalController)`, 'pkg/registry/batch/job/strategy.go', GATES],
  },
  jobReleasesFinishedPods: {
    does: 'When a Job has finished, its controller removes the tracking finalizer from all pods that still have it.',
    otherwise: 'A pod that still has it then keeps it until the Job or the pod is deleted.',
    program: 'kube-controller-manager',
    stages: [[29, 'Stable']],
    sources: [`${JOB} (updateJob, cleanupPodFinalizers)`],
  },
  startedJobsLackPodGroups: {
    does: 'The Job controller creates a PodGroup only for a Job that has never started, so a deleted one is not recreated.',
    otherwise:
      'From v1.36 on, it also creates a missing PodGroup before the next pods, while the Workload exists.',
    program: 'kube-controller-manager',
    stages: [[37, 'Stable']],
    sources: ['pkg/controller/job/job_scheduling_manager.go (ensureWorkloadAndPodGroup)'],
  },
  podGcQuarantine: {
    does: 'PodGC waits for 40 s and asks the API server before it believes that a node is gone.',
    otherwise: 'It believes its list of the nodes at once.',
    program: 'kube-controller-manager',
    stages: [[17, 'Stable']],
    sources: [PODGC],
  },
  podGcOutOfService: {
    does: 'PodGC deletes pods that are being deleted from a node that is not ready and tainted out of service.',
    otherwise: 'The taint means nothing to PodGC.',
    program: 'kube-controller-manager',
    gate: 'NodeOutOfServiceVolumeDetach',
    stages: [
      [24, 'Alpha'],
      [26, 'Beta'],
      [28, 'Stable'],
    ],
    sources: [PODGC, GATES],
  },
  podGcMarksFailed: {
    does: 'PodGC gives a pod the phase Failed before it deletes it, and the condition DisruptionTarget if the node is gone.',
    otherwise: 'PodGC only deletes.',
    program: 'kube-controller-manager',
    gate: 'PodDisruptionConditions',
    stages: [
      [25, 'Alpha'],
      [26, 'Beta'],
      [31, 'Stable'],
    ],
    sources: [PODGC, GATES],
  },
  podGcEvictedFirst: {
    does: 'When PodGC sorts pods, evicted ones come before older ones.',
    otherwise: 'Only age decides.',
    program: 'kube-controller-manager',
    stages: [[27, 'Stable']],
    sources: [PODGC],
  },
  podGcMarksGeneration: {
    does: 'The status that PodGC writes says which generation of the pod it is about.',
    otherwise: 'It does not.',
    program: 'kube-controller-manager',
    gate: 'PodObservedGenerationTracking',
    stages: [
      [33, 'Alpha'],
      [34, 'Beta'],
      [35, 'Stable'],
    ],
    sources: [PODGC, GATES],
  },
  graceEndsNow: {
    does: 'A second DELETE with a shorter grace period never ends it before the request, and leaves at least 1 s.',
    otherwise: 'The end may lie in the past, and the period is the one asked for.',
    program: 'kube-apiserver',
    stages: [[33, 'Stable']],
    sources: ['apiserver/pkg/registry/rest/delete.go (BeforeDelete)'],
  },
  unreadDeletion: {
    does: 'A list of a kind names objects that cannot be read from storage, and they can be deleted unread.',
    otherwise: 'Only a user with access to etcd can find and remove them.',
    program: 'kube-apiserver',
    gate: 'AllowUnsafeMalformedObjectDeletion',
    stages: [
      [32, 'Alpha'],
      [37, 'Beta'],
    ],
    sources: ['apiserver/pkg/registry/generic/registry/corrupt_obj_deleter.go', SERVER_GATES],
  },
  consistentListFromCache: {
    does: 'The newest state of a kind is listed from the cache of the API server, which spares etcd.',
    otherwise: 'Such a list is read from etcd.',
    program: 'kube-apiserver',
    gate: 'ConsistentListFromCache',
    stages: [
      [28, 'Alpha'],
      [31, 'Beta'],
      [34, 'Stable'],
    ],
    sources: ['apiserver/pkg/storage/cacher/delegator/interface.go', SERVER_GATES],
  },
} as const satisfies Readonly<Record<string, Behaviour>>;

export type BehaviourName = keyof typeof behaviours;

/** Range of minor releases whose sources every row was read from; PodGC's rows were read from v1.12 on. */
export const OLDEST_READ = 28;
export const NEWEST_READ = 37;
/** The oldest release that tests run on (test/controlplane/versions). */
export const OLDEST_RUN = 30;

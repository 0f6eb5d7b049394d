/**
 * What the product knows of an object beyond its metadata, per kind. Only the fields that decide deletion,
 * ownership or a sentence on the screen; Secret and ConfigMap data never get here.
 */

/**
 * A status condition. For pods, equal conditions are shared and `since` is only kept where `status` isn't
 * `True`: five distinct conditions on each of 150,000 pods would dominate memory.
 */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** lastTransitionTime in milliseconds since the epoch. */
  readonly since: number | undefined;
}

export interface PodFacts {
  readonly kind: 'Pod';
  readonly phase: string;
  /** `status.reason`, such as `Evicted`. */
  readonly reason: string;
  readonly nodeName: string;
  readonly terminationGracePeriodSeconds: number | undefined;
  readonly containers: number;
  readonly readyContainers: number;
  readonly restarts: number;
  /** The first waiting or terminated reason among containers, such as `CrashLoopBackOff`; `''` if none. */
  readonly containerReason: string;
  /** PVC names that the pod mounts (`volumes[].persistentVolumeClaim.claimName`). */
  readonly claims: readonly string[];
  /** Names of generic ephemeral volumes; their claims are called `<pod>-<volume>`. */
  readonly ephemeralVolumes: readonly string[];
  /** Equal lists are one list: nearly all pods of a cluster have the same two. */
  readonly tolerations: readonly Toleration[];
  /** Of a pod of kube-controller-manager, what it was started with; empty for every other pod. */
  readonly managerFlags: readonly string[];
  readonly conditions: readonly Condition[];
}

/** `spec.tolerations[]`; empty texts where a field is left out (core/v1 ToleratesTaint says what they mean). */
export interface Toleration {
  readonly key: string;
  /** `Exists`, `Equal`, `Lt` or `Gt`; `''` is `Equal`. */
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  /** For how long a NoExecute taint is tolerated; undefined is for ever. */
  readonly tolerationSeconds: number | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** Milliseconds since the epoch; the node lifecycle controller writes it for NoExecute, kubectl never does. */
  readonly timeAdded?: number | undefined;
}

export interface NodeFacts {
  readonly kind: 'Node';
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly conditions: readonly Condition[];
}

export interface NamespaceFacts {
  readonly kind: 'Namespace';
  readonly phase: string;
  /** `spec.finalizers`, which the namespace controller works off; not `metadata.finalizers`. */
  readonly specFinalizers: readonly string[];
  readonly conditions: readonly Condition[];
}

/** A label selector. `undefined` selects nothing, an empty one everything. */
export interface LabelSelector {
  readonly matchLabels: readonly string[];
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

/** Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job and CronJob. */
export interface WorkloadFacts {
  readonly kind: 'Workload';
  /** Wanted number: replicas, desiredNumberScheduled, or completions (1 when unset). */
  readonly desired: number;
  /** Existing number: status.replicas, currentNumberScheduled, active + succeeded + failed. */
  readonly current: number;
  /** Ready number: readyReplicas, numberReady, succeeded. */
  readonly ready: number;
  readonly updated: number;
  readonly available: number;
  readonly selector: LabelSelector | undefined;
  /** Labels of the pod template. */
  readonly templateLabels: readonly string[];
  /** Deployment, StatefulSet, DaemonSet: the ServiceAccount that its pods run as; `''` for `default`, and of other kinds. */
  readonly serviceAccount: string;
  /** Deployment.spec.paused, Job.spec.suspend, CronJob.spec.suspend. */
  readonly suspended: boolean;
  readonly observedGeneration: number;
  /** Job: pods running now; CronJob: number of active jobs. */
  readonly active: number;
  readonly failed: number;
  readonly parallelism: number;
  /** StatefulSet persistentVolumeClaimRetentionPolicy; `''` where the kind has none. */
  readonly claimsWhenDeleted: string;
  readonly claimsWhenScaled: string;
  /** StatefulSet: names of volumeClaimTemplates. */
  readonly claimTemplates: readonly string[];
  /** Job: seconds after its end until it is deleted; undefined where it isn't. */
  readonly ttlSecondsAfterFinished: number | undefined;
  /** Job: the controller that `spec.managedBy` names; `''` where it names none. */
  readonly managedBy: string;
  /** CronJob: how many finished Jobs it keeps; undefined of other kinds. */
  readonly historyLimits: { readonly successful: number; readonly failed: number } | undefined;
  readonly conditions: readonly Condition[];
}

export interface VolumeClaimFacts {
  readonly kind: 'PersistentVolumeClaim';
  readonly phase: string;
  readonly volumeName: string;
  readonly storageClassName: string;
  readonly conditions: readonly Condition[];
}

export interface VolumeFacts {
  readonly kind: 'PersistentVolume';
  readonly phase: string;
  readonly claimNamespace: string;
  readonly claimName: string;
  readonly claimUid: string;
  readonly reclaimPolicy: string;
  readonly storageClassName: string;
  readonly csiDriver: string;
}

export interface ApiServiceFacts {
  readonly kind: 'APIService';
  readonly group: string;
  readonly version: string;
  /** `namespace/name` of the backing Service; `''` for a group served by the API server itself. */
  readonly service: string;
  readonly conditions: readonly Condition[];
}

export interface CrdFacts {
  readonly kind: 'CustomResourceDefinition';
  readonly group: string;
  readonly definedKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly storage: boolean;
  }[];
  /** `namespace/name` of the Service behind its conversion webhook; `''` where no Service converts. */
  readonly conversion: string;
  readonly conditions: readonly Condition[];
}

export interface ServiceFacts {
  readonly kind: 'Service';
  /** `spec.type`, such as `ExternalName`; `''` where it is left out. */
  readonly type: string;
  /** Labels of the pods behind it, as a flat list; empty where its endpoints come from somebody else. */
  readonly selector: readonly string[];
}

export interface EndpointSliceFacts {
  readonly kind: 'EndpointSlice';
  /** Ready endpoints: the name of the Pod that each is, or `''` for one that isn't a Pod. */
  readonly ready: readonly string[];
}

/** ValidatingWebhookConfiguration and MutatingWebhookConfiguration. */
export interface WebhookConfigurationFacts {
  readonly kind: 'WebhookConfiguration';
  readonly webhooks: readonly AdmissionWebhook[];
}

export interface AdmissionWebhook {
  readonly name: string;
  /** `namespace/name` of the Service that is called; `''` for a URL. */
  readonly service: string;
  /** `Fail`: what it is to be asked about is refused while it doesn't answer; or `Ignore`. */
  readonly failurePolicy: string;
  readonly rules: readonly AdmissionRule[];
  /** `Equivalent`: also what reaches the API server in another version than the rules name; or `Exact`. */
  readonly matchPolicy: string;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** Conditions beside, in CEL: all have to be true. */
  readonly matchConditions: readonly string[];
}

/** `*` in a list stands for everything. */
export interface AdmissionRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/eviction`, `*`: those of the API groups, without and with subresources. */
  readonly resources: readonly string[];
  /** `Namespaced`, `Cluster` or `*`. */
  readonly scope: string;
  /** Of policies: only objects of these names; empty for all. */
  readonly names: readonly string[];
}

/** What a policy or its binding is about. */
export interface AdmissionMatch
  extends Pick<AdmissionWebhook, 'rules' | 'matchPolicy' | 'namespaceSelector' | 'objectSelector'> {
  readonly excluded: readonly AdmissionRule[];
}

/** ValidatingAdmissionPolicy and MutatingAdmissionPolicy. */
export interface AdmissionPolicyFacts {
  readonly kind: 'AdmissionPolicy';
  /** It judges by other objects besides. */
  readonly hasParameters: boolean;
  readonly failurePolicy: string;
  /** Undefined where it is left out: such a policy is about nothing. */
  readonly match: AdmissionMatch | undefined;
  /** In CEL, as the next two. */
  readonly matchConditions: readonly string[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  /** What a validating one refuses unless it is true. */
  readonly validations: readonly string[];
}

/** ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding. */
export interface AdmissionBindingFacts {
  readonly kind: 'AdmissionBinding';
  readonly policy: string;
  /** Narrows down what the policy is about. */
  readonly match: AdmissionMatch | undefined;
  /** Of a validating one: `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
}

/** Role and ClusterRole. */
export interface RoleFacts {
  readonly kind: 'Role';
  /** What it permits to patch or to update; other rules aren't kept. */
  readonly changes: readonly ChangeRule[];
}

/** `*` in a list stands for everything. */
export interface ChangeRule {
  readonly groups: readonly string[];
  /** `pods`, `pods/status`, `*`. */
  readonly resources: readonly string[];
  /** The only objects that it is about; empty for all. */
  readonly names: readonly string[];
}

/** RoleBinding and ClusterRoleBinding. */
export interface RoleBindingFacts {
  readonly kind: 'RoleBinding';
  /** `Role`, in the namespace of the binding, or `ClusterRole`. */
  readonly roleKind: string;
  readonly roleName: string;
  /**
   * The subjects that stand for ServiceAccounts, as the API server calls users and groups:
   * `system:serviceaccount:tools:drain-operator`, `system:serviceaccounts:tools`. Others aren't kept.
   */
  readonly accounts: readonly string[];
}

/** `coordination.k8s.io/v1`; times in milliseconds since the epoch, in whole seconds. */
export interface LeaseFacts {
  readonly kind: 'Lease';
  readonly holder: string;
  readonly durationSeconds: number;
  readonly acquiredAt: number | undefined;
  readonly renewedAt: number | undefined;
}

export interface DisruptionBudgetFacts {
  readonly kind: 'PodDisruptionBudget';
  readonly selector: LabelSelector | undefined;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

/** Whether the API server refuses to evict any of its pods now. Nobody has counted for one that expects none. */
export function letsNothingGo(facts: Facts | undefined): facts is DisruptionBudgetFacts {
  return facts?.kind === 'PodDisruptionBudget' && facts.disruptionsAllowed === 0 && facts.expectedPods > 0;
}

export interface AutoscalerFacts {
  readonly kind: 'HorizontalPodAutoscaler';
  /** Whose replicas it sets: an object of its own namespace. */
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

export interface VolumeAttachmentFacts {
  readonly kind: 'VolumeAttachment';
  /** The PersistentVolume that it attaches to a node. */
  readonly volumeName: string;
}

export type Facts =
  | PodFacts
  | NodeFacts
  | NamespaceFacts
  | WorkloadFacts
  | VolumeClaimFacts
  | VolumeFacts
  | ApiServiceFacts
  | CrdFacts
  | ServiceFacts
  | EndpointSliceFacts
  | WebhookConfigurationFacts
  | RoleFacts
  | RoleBindingFacts
  | AdmissionPolicyFacts
  | AdmissionBindingFacts
  | LeaseFacts
  | DisruptionBudgetFacts
  | AutoscalerFacts
  | VolumeAttachmentFacts;

const factKinds: Readonly<Record<string, Facts['kind']>> = {
  '/Pod': 'Pod',
  '/Node': 'Node',
  '/Namespace': 'Namespace',
  'apps/Deployment': 'Workload',
  'apps/ReplicaSet': 'Workload',
  '/ReplicationController': 'Workload',
  'apps/StatefulSet': 'Workload',
  'apps/DaemonSet': 'Workload',
  'batch/Job': 'Workload',
  'batch/CronJob': 'Workload',
  '/PersistentVolumeClaim': 'PersistentVolumeClaim',
  '/PersistentVolume': 'PersistentVolume',
  'apiregistration.k8s.io/APIService': 'APIService',
  'apiextensions.k8s.io/CustomResourceDefinition': 'CustomResourceDefinition',
  '/Service': 'Service',
  'discovery.k8s.io/EndpointSlice': 'EndpointSlice',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': 'WebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': 'WebhookConfiguration',
  'rbac.authorization.k8s.io/Role': 'Role',
  'rbac.authorization.k8s.io/ClusterRole': 'Role',
  'rbac.authorization.k8s.io/RoleBinding': 'RoleBinding',
  'rbac.authorization.k8s.io/ClusterRoleBinding': 'RoleBinding',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': 'AdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': 'AdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': 'AdmissionBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': 'AdmissionBinding',
  'coordination.k8s.io/Lease': 'Lease',
  'policy/PodDisruptionBudget': 'PodDisruptionBudget',
  'autoscaling/HorizontalPodAutoscaler': 'HorizontalPodAutoscaler',
  'storage.k8s.io/VolumeAttachment': 'VolumeAttachment',
};

/** Whether the account that its pods run as is kept: of the kinds that controllers run in. */
export function namesServiceAccount(kind: string): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet';
}

/** The kind of facts that a type has, or undefined where metadata is all that is needed. */
export function factsKind(type: {
  readonly group: string;
  readonly kind: string;
}): Facts['kind'] | undefined {
  return factKinds[`${type.group}/${type.kind}`];
}

/**
 * With this condition in place of the one of its type, as meta.SetStatusCondition has it: `since` stays while the
 * status does. The same list where it says so already.
 */
export function withCondition(
  conditions: readonly Condition[],
  condition: Pick<Condition, 'type' | 'status'> & Partial<Condition>,
): readonly Condition[] {
  const { type, status, reason = '', message = '' } = condition;
  const index = conditions.findIndex(each => each.type === type);
  const before = conditions[index];
  const isKept = before?.status === status;
  if (isKept && before.reason === reason && before.message === message) return conditions;
  const after = { type, status, reason, message, since: isKept ? before.since : condition.since };
  return before === undefined ? [...conditions, after] : conditions.with(index, after);
}

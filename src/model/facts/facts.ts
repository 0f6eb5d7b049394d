/** Facts that decide deletion, ownership or a sentence, per kind. Secret and ConfigMap data never get here. */

/** A status condition. Pods keep `since` only if it isn't `True` and share equal ones, to save memory. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number | undefined;
}

export interface PodFacts {
  readonly kind: 'Pod';
  readonly phase: string;
  readonly reason: string;
  readonly nodeName: string;
  readonly terminationGracePeriodSeconds: number | undefined;
  readonly containers: number;
  readonly readyContainers: number;
  readonly restarts: number;
  /** The first waiting or terminated reason among containers, such as `CrashLoopBackOff`; `''` if none. */
  readonly containerReason: string;
  readonly claims: readonly string[];
  /** Names of generic ephemeral volumes; their claims are called `<pod>-<volume>`. */
  readonly ephemeralVolumes: readonly string[];
  /** Equal lists share one instance: nearly all pods of a cluster have the same two tolerations. */
  readonly tolerations: readonly Toleration[];
  /** Flags of kube-controller-manager's own pod; empty for every other pod. */
  readonly managerFlags: readonly string[];
  readonly conditions: readonly Condition[];
}

/** `spec.tolerations[]`, with `''` for an omitted field (core/v1 ToleratesTaint defines their meaning). */
export interface Toleration {
  readonly key: string;
  /** `Exists`, `Equal`, `Lt` or `Gt`; `''` means `Equal`. */
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  /** Undefined means forever. */
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
  /** `spec.finalizers`, not `metadata.finalizers`. */
  readonly specFinalizers: readonly string[];
  readonly conditions: readonly Condition[];
}

/** `undefined` selects nothing, an empty selector everything. */
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
  /** replicas, desiredNumberScheduled, or completions (1 when unset). */
  readonly desired: number;
  /** status.replicas, currentNumberScheduled, or active + succeeded + failed. */
  readonly current: number;
  /** readyReplicas, numberReady, or succeeded. */
  readonly ready: number;
  readonly updated: number;
  readonly available: number;
  readonly selector: LabelSelector | undefined;
  readonly templateLabels: readonly string[];
  /** Deployment, StatefulSet, DaemonSet: the ServiceAccount of their pods; `''` for `default` and for other kinds. */
  readonly serviceAccount: string;
  readonly suspended: boolean;
  readonly observedGeneration: number;
  /** Job: running pods; CronJob: number of active Jobs. */
  readonly active: number;
  readonly failed: number;
  readonly parallelism: number;
  /** `''` for kinds other than StatefulSet. */
  readonly claimsWhenDeleted: string;
  readonly claimsWhenScaled: string;
  readonly claimTemplates: readonly string[];
  /** Undefined if a finished Job is kept. */
  readonly ttlSecondsAfterFinished: number | undefined;
  readonly managedBy: string;
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
  /** `namespace/name` of the backing Service; `''` for a group that the API server itself serves. */
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
  /** `namespace/name` of the Service behind its conversion webhook; `''` if no Service converts. */
  readonly conversion: string;
  readonly conditions: readonly Condition[];
}

export interface ServiceFacts {
  readonly kind: 'Service';
  /** `spec.type`, such as `ExternalName`; `''` if it is left out. */
  readonly type: string;
  /** Labels of its pods as a flat list; empty if Kubernetes doesn't manage its endpoints. */
  readonly selector: readonly string[];
}

export interface EndpointSliceFacts {
  readonly kind: 'EndpointSlice';
  /** Ready endpoints: the name of the Pod that each is, or `''` for one that isn't a Pod. */
  readonly ready: readonly string[];
}

export interface WebhookConfigurationFacts {
  readonly kind: 'WebhookConfiguration';
  readonly webhooks: readonly AdmissionWebhook[];
}

export interface AdmissionWebhook {
  readonly name: string;
  /** `namespace/name` of the called Service; `''` for a URL. */
  readonly service: string;
  /** `Fail`: the API server refuses matching requests while the webhook doesn't answer; or `Ignore`. */
  readonly failurePolicy: string;
  readonly rules: readonly AdmissionRule[];
  /** `Equivalent`: also matches requests in other versions than the rules name; or `Exact`. */
  readonly matchPolicy: string;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** CEL expressions that must all be true. */
  readonly matchConditions: readonly string[];
}

export interface AdmissionRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
  /** Empty for all names. */
  readonly names: readonly string[];
}

export interface AdmissionMatch
  extends Pick<AdmissionWebhook, 'rules' | 'matchPolicy' | 'namespaceSelector' | 'objectSelector'> {
  readonly excluded: readonly AdmissionRule[];
}

export interface AdmissionPolicyFacts {
  readonly kind: 'AdmissionPolicy';
  readonly hasParameters: boolean;
  readonly failurePolicy: string;
  /** Undefined if omitted: such a policy matches nothing. */
  readonly match: AdmissionMatch | undefined;
  /** CEL expressions, as in the two fields below. */
  readonly matchConditions: readonly string[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  /** A request is refused unless all are true. */
  readonly validations: readonly string[];
}

export interface AdmissionBindingFacts {
  readonly kind: 'AdmissionBinding';
  readonly policy: string;
  readonly match: AdmissionMatch | undefined;
  readonly actions: readonly string[];
}

export interface RoleFacts {
  readonly kind: 'Role';
  /** Rules that permit patch or update; other rules aren't kept. */
  readonly changes: readonly ChangeRule[];
}

export interface ChangeRule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  /** Empty for all names. */
  readonly names: readonly string[];
}

export interface RoleBindingFacts {
  readonly kind: 'RoleBinding';
  /** `Role`, in the namespace of the binding, or `ClusterRole`. */
  readonly roleKind: string;
  readonly roleName: string;
  /** ServiceAccounts, such as `system:serviceaccount:tools:drain-operator` or `system:serviceaccounts:tools`. */
  readonly accounts: readonly string[];
}

/** Times in milliseconds since the epoch, in whole seconds. */
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

/** Reports that no pod may be evicted now. A budget that expects no pods hasn't been counted yet. */
export function letsNothingGo(facts: Facts | undefined): facts is DisruptionBudgetFacts {
  return facts?.kind === 'PodDisruptionBudget' && facts.disruptionsAllowed === 0 && facts.expectedPods > 0;
}

export interface AutoscalerFacts {
  readonly kind: 'HorizontalPodAutoscaler';
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

export interface VolumeAttachmentFacts {
  readonly kind: 'VolumeAttachment';
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

export function namesServiceAccount(kind: string): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet';
}

/** Returns undefined if metadata is enough. */
export function factsKind(type: {
  readonly group: string;
  readonly kind: string;
}): Facts['kind'] | undefined {
  return factKinds[`${type.group}/${type.kind}`];
}

/** Sets a condition as meta.SetStatusCondition does, keeping `since` while the status is unchanged. */
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

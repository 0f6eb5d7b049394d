/**
 * The table of facts: the fields of an object that are kept beyond its metadata, because they decide deletion,
 * ownership or a sentence. The readers of JSON and protobuf, the writer and the comparison are built from it. Data of a
 * Secret or ConfigMap never gets here. Field numbers: generated.proto of k8s.io/api, k8s.io/apiextensions-apiserver and
 * k8s.io/kube-aggregator v0.36.3.
 */
import {
  at,
  type Codec,
  count,
  type Field,
  type Fields,
  fixed,
  flag,
  integer,
  labels,
  length,
  list,
  mapped,
  message,
  none,
  number,
  optional,
  optionalFlag,
  presence,
  text,
  texts,
  time,
  type Values,
  wholeTime,
  word,
  wordOr,
  written,
} from '../json/codecs.ts';
import type { JsonRecord } from '../json/json.ts';
import { ownEntry } from '../maps.ts';
import { CustomState } from './custom-state.ts';
import { managerFlags } from './manager-flags.ts';
import { accountNamed, permitsChanges, subjectOf } from './permissions.ts';

/** The facts of one kind. */
export interface FactsTable<Kind extends string, F extends Fields> {
  readonly kind: Kind;
  readonly fields: F;
  /** Sets facts that are the sum of others. */
  complete?(values: Values<F>): Values<F>;
  /** Returns lists from which several facts are kept, by JSON path. */
  listsToJson?(values: Values<F>): Readonly<Record<string, unknown>>;
}

type FactsOf<Table> =
  Table extends FactsTable<infer Kind, infer F> ? { readonly kind: Kind } & Values<F> : never;

function defineFacts<const Kind extends string, F extends Fields>(
  kind: Kind,
  fields: F,
  more: Pick<FactsTable<Kind, F>, 'complete' | 'listsToJson'> = {},
): FactsTable<Kind, F> {
  return { kind, fields, ...more };
}

interface ConditionNumbers {
  readonly since: number;
  readonly reason: number;
  readonly message: number;
}

function condition({ since, reason, message: text }: ConditionNumbers): Codec<Condition> {
  return message({
    type: at('type', [1], written(word)),
    status: at('status', [2], written(word)),
    reason: at('reason', [reason], word),
    message: at('message', [text], word),
    since: at('lastTransitionTime', [since], time),
  });
}

/** A status condition. Pods keep `since` only if it isn't `True` and share equal ones, to save memory. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number | undefined;
}

/** Pod, Node, Namespace, PersistentVolumeClaim, Job, PodDisruptionBudget. */
const coreConditions = list(condition({ since: 4, reason: 5, message: 6 }));
/** ReplicationController, ReplicaSet, StatefulSet, DaemonSet, CustomResourceDefinition, APIService. */
const plainConditions = list(condition({ since: 3, reason: 4, message: 5 }));
const deploymentConditions = list(condition({ since: 7, reason: 4, message: 5 }));

function withoutTimeIfTrue(each: Condition): Condition {
  return each.status === 'True' ? { ...each, since: undefined } : each;
}

const commandLine = mapped(
  message({ command: at('command', [3], texts(text)), args: at('args', [4], texts(text)) }),
  ({ command, args }) => [...command, ...args],
  command => ({ command, args: [] }),
);

const containerReason = mapped(
  message({
    waiting: at('state.waiting.reason', [2, 1, 1], word),
    terminated: at('state.terminated.reason', [2, 3, 3], word),
  }),
  ({ waiting, terminated }) => waiting || terminated,
  waiting => ({ waiting, terminated: '' }),
);

const tolerationFields = {
  key: at('key', [1], word),
  /** `Exists`, `Equal`, `Lt` or `Gt`; `''` means `Equal`. */
  operator: at('operator', [2], word),
  value: at('value', [3], word),
  effect: at('effect', [4], word),
  /** Undefined means forever. */
  tolerationSeconds: at('tolerationSeconds', [5], integer),
};
/** `spec.tolerations[]`, with `''` for an omitted field (core/v1 ToleratesTaint defines their meaning). */
export type Toleration = Values<typeof tolerationFields>;

const tolerationNames = Object.keys(tolerationFields) as readonly (keyof Toleration)[];

/** Lists to remember before starting anew; a cluster's lists differ by workload, not by pod. */
const MOST_SHARED = 4096;
const shared = new Map<string, readonly Toleration[]>();

function sharedTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  if (tolerations.length === 0) return none;
  const key = JSON.stringify(tolerations.map(each => tolerationNames.map(name => each[name])));
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= MOST_SHARED) shared.clear();
  const all = Object.freeze([...tolerations]);
  shared.set(key, all);
  return all;
}

/** Reads a list and keeps one value from it, which `listsToJson` writes. */
function gathered<T, U>(of: Codec<T>, map: (values: readonly T[]) => U): Codec<U> {
  return mapped(list(of), map, () => []);
}

/** Pods have faster readers of their own: `facts-json.ts` and `kube/wire/pod-facts-reader.ts`. */
const podFields = {
  // The API server gives every new pod this phase; a manifest has none yet.
  phase: at('status.phase', [3, 1], { ...wordOr('Pending'), wire: word.wire }),
  reason: at('status.reason', [3, 4], word),
  nodeName: at('spec.nodeName', [2, 10], word),
  nodeSelector: at('spec.nodeSelector', [2, 7], labels),
  terminationGracePeriodSeconds: at('spec.terminationGracePeriodSeconds', [2, 4], integer),
  containers: at('spec.containers', [2, 2], length),
  readyContainers: at(
    'status.containerStatuses',
    [3, 8],
    gathered(message({ ready: at('ready', [4], flag) }), all => all.filter(({ ready }) => ready).length),
  ),
  restarts: at(
    'status.containerStatuses',
    [3, 8],
    gathered(message({ count: at('restartCount', [5], count) }), all =>
      all.reduce((sum, each) => sum + each.count, 0),
    ),
  ),
  /** The first waiting or terminated reason among containers, such as `CrashLoopBackOff`; `''` if none. */
  containerReason: at(
    'status.containerStatuses',
    [3, 8],
    gathered(containerReason, all => all.find(reason => reason !== '') ?? ''),
  ),
  claims: at(
    'spec.volumes',
    [2, 1],
    gathered(message({ claim: at('persistentVolumeClaim.claimName', [2, 10, 1], text) }), all =>
      all.flatMap(({ claim }) => claim || []),
    ),
  ),
  /** Names of generic ephemeral volumes; their claims are called `<pod>-<volume>`. */
  ephemeralVolumes: at(
    'spec.volumes',
    [2, 1],
    gathered(
      message({ name: at('name', [1], word), isEphemeral: at('ephemeral', [2, 29], presence({})) }),
      all => all.flatMap(({ name, isEphemeral }) => (isEphemeral ? name : [])),
    ),
  ),
  /** Deleted with the pod. */
  hasEmptyDir: at(
    'spec.volumes',
    [2, 1],
    gathered(message({ isEmptyDir: at('emptyDir', [2, 2], presence({})) }), all =>
      all.some(({ isEmptyDir }) => isEmptyDir),
    ),
  ),
  /** The PodGroup in its namespace; `''` for nearly all pods. */
  schedulingGroup: at('spec.schedulingGroup.podGroupName', [2, 43, 1], word),
  /** Equal lists share one instance: nearly all pods of a cluster have the same two tolerations. */
  tolerations: at(
    'spec.tolerations',
    [2, 22],
    mapped(list(message(tolerationFields)), sharedTolerations, all => all),
  ),
  /** Flags of kube-controller-manager's own pod; empty for every other pod. */
  managerFlags: at(
    'spec.containers',
    [2, 2],
    gathered(commandLine, all => managerFlags(all.flat())),
  ),
  conditions: at(
    'status.conditions',
    [3, 2],
    mapped(
      coreConditions,
      all => all.map(withoutTimeIfTrue),
      all => all,
    ),
  ),
};
const podTable = defineFacts('Pod', podFields, {
  listsToJson: pod => ({
    'spec.containers': containersToJson(pod),
    'spec.volumes': volumesToJson(pod),
    'status.containerStatuses': containerStatusesToJson(pod),
  }),
});
export interface PodFacts extends FactsOf<typeof podTable> {}

const emptyPod: PodFacts = {
  kind: 'Pod',
  phase: '',
  reason: '',
  nodeName: '',
  nodeSelector: none,
  terminationGracePeriodSeconds: undefined,
  containers: 0,
  readyContainers: 0,
  restarts: 0,
  containerReason: '',
  claims: none,
  ephemeralVolumes: none,
  hasEmptyDir: false,
  schedulingGroup: '',
  tolerations: none,
  managerFlags: none,
  conditions: none,
};

type PodValues = Values<typeof podFields>;

function containersToJson({ containers, managerFlags: flags }: PodValues): readonly JsonRecord[] | undefined {
  if (containers === 0) return undefined;
  const command = flags.length === 0 ? {} : { command: flags.map(each => `--${each}`) };
  return Array.from({ length: containers }, (_, i) => ({
    name: containerName(i),
    ...(i === 0 ? command : {}),
  }));
}

function volumesToJson({
  claims,
  ephemeralVolumes,
  hasEmptyDir,
}: PodValues): readonly JsonRecord[] | undefined {
  const all = [
    ...claims.map((claimName, i) => ({ name: `claim-${i + 1}`, persistentVolumeClaim: { claimName } })),
    ...ephemeralVolumes.map(name => ({ name, ephemeral: {} })),
    ...(hasEmptyDir ? [{ name: 'empty-dir', emptyDir: {} }] : []),
  ];
  return all.length === 0 ? undefined : all;
}

function containerName(index: number): string {
  return index === 0 ? 'main' : `container-${index + 1}`;
}

/** Spreads sums over the first containers, because facts don't hold which container is ready or restarted. */
function containerStatusesToJson(pod: PodValues): readonly JsonRecord[] | undefined {
  const { containers, readyContainers, restarts, containerReason: reason, phase } = pod;
  if (readyContainers === 0 && restarts === 0 && reason === '') return undefined;
  const count = Math.max(containers, readyContainers, 1);
  // The reason goes to a container that isn't ready, if there is one.
  const troubled = Math.min(readyContainers, count - 1);
  const finished = phase === 'Succeeded' || phase === 'Failed';
  return Array.from({ length: count }, (_, i) => {
    const ready = i < readyContainers;
    const troubledState = { [finished ? 'terminated' : 'waiting']: { reason } };
    const state = i === troubled && reason !== '' ? troubledState : ready ? { running: {} } : {};
    return { name: containerName(i), ready, restartCount: i === 0 ? restarts : 0, state };
  });
}

const taintFields = {
  key: at('key', [1], written(word)),
  value: at('value', [2], word),
  effect: at('effect', [3], written(word)),
};
const taint = mapped(
  message({ ...taintFields, timeAdded: at('timeAdded', [4], time) }),
  // Taints that the simulation adds lack the property, and equal these.
  ({ timeAdded, ...rest }): Taint => (timeAdded === undefined ? rest : { ...rest, timeAdded }),
  ({ timeAdded, ...rest }) => ({ ...rest, timeAdded }),
);
export interface Taint extends Values<typeof taintFields> {
  /** The node lifecycle controller writes it for NoExecute, kubectl never does. */
  readonly timeAdded?: number | undefined;
}

const nodeTable = defineFacts('Node', {
  unschedulable: at('spec.unschedulable', [2, 4], flag),
  taints: at('spec.taints', [2, 5], list(taint)),
  conditions: at('status.conditions', [3, 4], coreConditions),
});
export interface NodeFacts extends FactsOf<typeof nodeTable> {}

const namespaceTable = defineFacts('Namespace', {
  phase: at('status.phase', [3, 1], word),
  /** `spec.finalizers`, not `metadata.finalizers`. */
  specFinalizers: at('spec.finalizers', [2, 1], texts(word)),
  conditions: at('status.conditions', [3, 2], coreConditions),
});
export interface NamespaceFacts extends FactsOf<typeof namespaceTable> {}

const requirement = {
  key: at('key', [1], written(word)),
  operator: at('operator', [2], written(word)),
  values: at('values', [3], texts(word)),
};

/** `undefined` selects nothing, an empty selector everything. */
const selector = optional({
  matchLabels: at('matchLabels', [1], labels),
  matchExpressions: at('matchExpressions', [2], list(message(requirement))),
});
export const labelSelectorIn = (json: unknown): LabelSelector | undefined => selector.fromJson(json);
/** A ReplicationController's, which is a map. */
const selectorMap = mapped(
  labels,
  (matchLabels): LabelSelector | undefined =>
    matchLabels.length === 0 ? undefined : { matchLabels, matchExpressions: [] },
  value => value?.matchLabels ?? [],
);
export interface LabelSelector {
  readonly matchLabels: readonly string[];
  readonly matchExpressions: readonly Values<typeof requirement>[];
}

/** Facts of Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job and CronJob, if all lack them. */
const noWorkload = {
  /** replicas, desiredNumberScheduled, or completions (1 when unset). */
  desired: fixed(0),
  /** status.replicas, currentNumberScheduled, or active + succeeded + failed. */
  current: fixed(0),
  /** readyReplicas, numberReady, or succeeded. */
  ready: fixed(0),
  updated: fixed(0),
  available: fixed(0),
  selector: fixed<LabelSelector | undefined>(undefined),
  templateLabels: fixed<readonly string[]>([]),
  /** Deployment, StatefulSet, DaemonSet: the ServiceAccount of their pods; `''` for `default` and for other kinds. */
  serviceAccount: fixed(''),
  suspended: fixed(false),
  observedGeneration: fixed(0),
  /** Job: running pods; CronJob: number of active Jobs. */
  active: fixed(0),
  failed: fixed(0),
  parallelism: fixed(0),
  /** `''` for kinds other than StatefulSet. */
  claimsWhenDeleted: fixed(''),
  claimsWhenScaled: fixed(''),
  claimTemplates: fixed<readonly string[]>([]),
  /** Undefined if a finished Job is kept. */
  ttlSecondsAfterFinished: fixed<number | undefined>(undefined),
  managedBy: fixed(''),
  /** Finished Jobs that a CronJob keeps. */
  successfulJobsHistoryLimit: fixed(0),
  failedJobsHistoryLimit: fixed(0),
  conditions: fixed<readonly Condition[]>([]),
};
type WorkloadFields = { readonly [Name in keyof typeof noWorkload]: Field<Values<typeof noWorkload>[Name]> };
export interface WorkloadFacts extends FactsOf<FactsTable<'Workload', typeof noWorkload>> {}

function defineWorkload(
  fields: Partial<WorkloadFields>,
  complete?: (values: Values<WorkloadFields>) => Values<WorkloadFields>,
): FactsTable<'Workload', WorkloadFields> {
  return defineFacts('Workload', { ...noWorkload, ...fields }, complete && { complete });
}

const SERVICE_ACCOUNT = 'spec.template.spec.serviceAccountName';
const TEMPLATE_LABELS = 'spec.template.metadata.labels';
const RETENTION = 'spec.persistentVolumeClaimRetentionPolicy';

const deploymentTable = defineWorkload({
  desired: at('spec.replicas', [2, 1], number(1)),
  current: at('status.replicas', [3, 2], number(0)),
  ready: at('status.readyReplicas', [3, 7], count),
  updated: at('status.updatedReplicas', [3, 3], count),
  available: at('status.availableReplicas', [3, 4], count),
  selector: at('spec.selector', [2, 2], selector),
  templateLabels: at(TEMPLATE_LABELS, [2, 3, 1, 11], labels),
  serviceAccount: at(SERVICE_ACCOUNT, [2, 3, 2, 8], word),
  suspended: at('spec.paused', [2, 7], flag),
  observedGeneration: at('status.observedGeneration', [3, 1], count),
  conditions: at('status.conditions', [3, 6], deploymentConditions),
});

const replicaSetFields = {
  desired: at('spec.replicas', [2, 1], number(1)),
  current: at('status.replicas', [3, 1], number(0)),
  ready: at('status.readyReplicas', [3, 4], count),
  available: at('status.availableReplicas', [3, 5], count),
  selector: at('spec.selector', [2, 2], selector),
  templateLabels: at(TEMPLATE_LABELS, [2, 3, 1, 11], labels),
  observedGeneration: at('status.observedGeneration', [3, 3], count),
  conditions: at('status.conditions', [3, 6], plainConditions),
};
const replicaSetTable = defineWorkload(replicaSetFields);
const replicationControllerTable = defineWorkload({
  ...replicaSetFields,
  selector: at('spec.selector', [2, 2], selectorMap),
});

const statefulSetTable = defineWorkload({
  desired: at('spec.replicas', [2, 1], number(1)),
  current: at('status.replicas', [3, 2], number(0)),
  ready: at('status.readyReplicas', [3, 3], count),
  updated: at('status.updatedReplicas', [3, 5], count),
  available: at('status.availableReplicas', [3, 11], count),
  selector: at('spec.selector', [2, 2], selector),
  templateLabels: at(TEMPLATE_LABELS, [2, 3, 1, 11], labels),
  serviceAccount: at(SERVICE_ACCOUNT, [2, 3, 2, 8], word),
  observedGeneration: at('status.observedGeneration', [3, 1], count),
  // Manifests often omit both and mean Retain.
  claimsWhenDeleted: at(`${RETENTION}.whenDeleted`, [2, 10, 1], wordOr('Retain')),
  claimsWhenScaled: at(`${RETENTION}.whenScaled`, [2, 10, 2], wordOr('Retain')),
  claimTemplates: at(
    'spec.volumeClaimTemplates',
    [2, 4],
    mapped(
      list(message({ name: at('metadata.name', [1, 1], word) })),
      all => all.map(({ name }) => name),
      all => all.map(name => ({ name })),
    ),
  ),
  conditions: at('status.conditions', [3, 10], plainConditions),
});

const daemonSetTable = defineWorkload({
  desired: at('status.desiredNumberScheduled', [3, 3], number(0)),
  current: at('status.currentNumberScheduled', [3, 1], number(0)),
  ready: at('status.numberReady', [3, 4], number(0)),
  updated: at('status.updatedNumberScheduled', [3, 6], number(0)),
  available: at('status.numberAvailable', [3, 7], number(0)),
  selector: at('spec.selector', [2, 1], selector),
  templateLabels: at(TEMPLATE_LABELS, [2, 2, 1, 11], labels),
  serviceAccount: at(SERVICE_ACCOUNT, [2, 2, 2, 8], word),
  observedGeneration: at('status.observedGeneration', [3, 5], count),
  conditions: at('status.conditions', [3, 10], plainConditions),
});

const jobTable = defineWorkload(
  {
    desired: at('spec.completions', [2, 2], number(1)),
    ready: at('status.succeeded', [3, 5], count),
    active: at('status.active', [3, 4], count),
    failed: at('status.failed', [3, 6], count),
    parallelism: at('spec.parallelism', [2, 1], number(1)),
    selector: at('spec.selector', [2, 4], selector),
    templateLabels: at(TEMPLATE_LABELS, [2, 6, 1, 11], labels),
    suspended: at('spec.suspend', [2, 10], flag),
    ttlSecondsAfterFinished: at('spec.ttlSecondsAfterFinished', [2, 8], integer),
    managedBy: at('spec.managedBy', [2, 15], word),
    conditions: at('status.conditions', [3, 1], coreConditions),
  },
  facts => ({ ...facts, current: facts.active + facts.ready + facts.failed }),
);

const cronJobTable = defineWorkload({
  active: at('status.active', [3, 1], length),
  templateLabels: at('spec.jobTemplate.spec.template.metadata.labels', [2, 5, 2, 6, 1, 11], labels),
  suspended: at('spec.suspend', [2, 4], flag),
  // Defaults: SetDefaults_CronJob in pkg/apis/batch/v1/defaults.go, v1.36.
  successfulJobsHistoryLimit: at('spec.successfulJobsHistoryLimit', [2, 6], number(3)),
  failedJobsHistoryLimit: at('spec.failedJobsHistoryLimit', [2, 7], number(1)),
});

/** `VolumeSnapshot/before-upgrade`; `''` for an empty volume. */
const copySource = mapped(
  optional({ kind: at('kind', [2], word), name: at('name', [3], text) }),
  source => (source === undefined ? '' : `${source.kind}/${source.name}`),
  value => {
    const [kind = '', name = ''] = value.split('/');
    return value === '' ? undefined : { kind, name };
  },
);

const volumeClaimTable = defineFacts('PersistentVolumeClaim', {
  phase: at('status.phase', [3, 1], word),
  volumeName: at('spec.volumeName', [2, 3], text),
  storageClassName: at('spec.storageClassName', [2, 5], word),
  /** Origin of the volume's data. The API server sets both if the source is in its namespace. */
  dataSource: at('spec.dataSource', [2, 7], copySource),
  dataSourceRef: at('spec.dataSourceRef', [2, 8], copySource),
  attributesClassName: at('spec.volumeAttributesClassName', [2, 9], word),
  currentAttributesClassName: at('status.currentVolumeAttributesClassName', [3, 8], word),
  targetAttributesClassName: at('status.modifyVolumeStatus.targetVolumeAttributesClassName', [3, 9, 1], word),
  conditions: at('status.conditions', [3, 4], coreConditions),
});
export interface VolumeClaimFacts extends FactsOf<typeof volumeClaimTable> {}

const volumeTable = defineFacts('PersistentVolume', {
  phase: at('status.phase', [3, 1], word),
  claimNamespace: at('spec.claimRef.namespace', [2, 4, 2], word),
  claimName: at('spec.claimRef.name', [2, 4, 3], text),
  claimUid: at('spec.claimRef.uid', [2, 4, 4], text),
  reclaimPolicy: at('spec.persistentVolumeReclaimPolicy', [2, 5], word),
  storageClassName: at('spec.storageClassName', [2, 6], word),
  csiDriver: at('spec.csi.driver', [2, 2, 22, 1], word),
  attributesClassName: at('spec.volumeAttributesClassName', [2, 10], word),
});
export interface VolumeFacts extends FactsOf<typeof volumeTable> {}

const resourceClaimTable = defineFacts('ResourceClaim', {
  reservedFor: at(
    'status.reservedFor',
    [3, 2],
    list(
      message({
        group: at('apiGroup', [1], word),
        resource: at('resource', [3], word),
        name: at('name', [4], text),
        uid: at('uid', [5], text),
      }),
    ),
  ),
});
interface ResourceClaimFacts extends FactsOf<typeof resourceClaimTable> {}

const serviceCidrTable = defineFacts('ServiceCIDR', { cidrs: at('spec.cidrs', [2, 1], texts(text)) });
interface ServiceCidrFacts extends FactsOf<typeof serviceCidrTable> {}

const volumeAttachmentTable = defineFacts('VolumeAttachment', {
  attacher: at('spec.attacher', [2, 1], word),
  volumeName: at('spec.source.persistentVolumeName', [2, 2, 1], text),
  nodeName: at('spec.nodeName', [2, 3], word),
});
interface VolumeAttachmentFacts extends FactsOf<typeof volumeAttachmentTable> {}

/** `namespace/name` of a Service; `''` if none is named. */
const serviceReference = mapped(
  optional({ namespace: at('namespace', [1], text), name: at('name', [2], text) }),
  service => (service === undefined || service.name === '' ? '' : `${service.namespace}/${service.name}`),
  value => {
    const [namespace = '', name = ''] = value.split('/');
    return value === '' ? undefined : { namespace, name };
  },
);

const apiServiceTable = defineFacts('APIService', {
  group: at('spec.group', [2, 2], word),
  version: at('spec.version', [2, 3], word),
  /** `namespace/name` of the backing Service; `''` for a group that the API server itself serves. */
  service: at('spec.service', [2, 1], serviceReference),
  conditions: at('status.conditions', [3, 1], plainConditions),
});
export interface ApiServiceFacts extends FactsOf<typeof apiServiceTable> {}

/** A definition's schema is skipped. */
const crdTable = defineFacts('CustomResourceDefinition', {
  group: at('spec.group', [2, 1], word),
  definedKind: at('spec.names.kind', [2, 3, 4], text),
  plural: at('spec.names.plural', [2, 3, 1], text),
  singular: at('spec.names.singular', [2, 3, 2], text),
  shortNames: at('spec.names.shortNames', [2, 3, 3], texts(text)),
  categories: at('spec.names.categories', [2, 3, 6], texts(word)),
  namespaced: at(
    'spec.scope',
    [2, 4],
    mapped(
      word,
      scope => scope === 'Namespaced',
      isNamespaced => (isNamespaced ? 'Namespaced' : 'Cluster'),
    ),
  ),
  versions: at(
    'spec.versions',
    [2, 7],
    list(
      message({
        name: at('name', [1], word),
        served: at('served', [2], written(flag)),
        storage: at('storage', [3], written(flag)),
      }),
    ),
  ),
  /** `namespace/name` of the Service behind its conversion webhook; `''` if no Service converts. */
  conversion: at('spec.conversion.webhook.clientConfig.service', [2, 9, 2, 2, 1], serviceReference),
  conditions: at('status.conditions', [3, 1], plainConditions),
});
export interface CrdFacts extends FactsOf<typeof crdTable> {}

const serviceTable = defineFacts('Service', {
  /** Such as `ExternalName`; `''` if it is left out. */
  type: at('spec.type', [2, 4], word),
  /** Labels of its pods as a flat list; empty if Kubernetes doesn't manage its endpoints. */
  selector: at('spec.selector', [2, 2], labels),
  clusterIPs: at('spec.clusterIPs', [2, 18], texts(text)),
});
interface ServiceFacts extends FactsOf<typeof serviceTable> {}

const endpointSliceTable = defineFacts('EndpointSlice', {
  /** Ready endpoints, each by the name of its Pod; `''` for one that isn't a Pod. */
  ready: at(
    'endpoints',
    [2],
    mapped(
      list(
        message({
          // An endpoint that says nothing about being ready is (discovery/v1 EndpointConditions).
          ready: at('conditions.ready', [2, 1], optionalFlag),
          kind: at('targetRef.kind', [4, 1], word),
          name: at('targetRef.name', [4, 3], text),
        }),
      ),
      all => all.filter(({ ready }) => ready !== false).map(({ kind, name }) => (kind === 'Pod' ? name : '')),
      all => all.map(name => ({ ready: true, kind: name === '' ? '' : 'Pod', name })),
    ),
  ),
});
interface EndpointSliceFacts extends FactsOf<typeof endpointSliceTable> {}

const ruleFields = {
  operations: at('operations', [1], texts(word)),
  groups: at('apiGroups', [2, 1], texts(word)),
  versions: at('apiVersions', [2, 2], texts(word)),
  resources: at('resources', [2, 3], texts(word)),
  scope: at('scope', [2, 4], wordOr('*')),
};
/** Empty for all names. */
const resourceNames = at('resourceNames', [1], texts(text));
const webhookRule = message({ ...ruleFields, names: fixed<readonly string[]>([]) });
/** A policy's rule is a webhook's with names; protobuf embeds it in field 2. */
const policyRule = message({ ...withinField(2, ruleFields), names: resourceNames });

function withinField<F extends Fields>(field: number, fields: F): F {
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [name, { ...each, numbers: [field, ...each.numbers] }]),
  ) as Fields as F;
}

export interface AdmissionRule extends Values<typeof ruleFields> {
  readonly names: readonly string[];
}

/** CEL expressions that must all be true; the names appear only in messages and aren't kept. */
function expressions(numbers: {
  readonly name: number;
  readonly expression: number;
}): Codec<readonly string[]> {
  return mapped(
    list(
      message({
        name: at('name', [numbers.name], text),
        expression: at('expression', [numbers.expression], written(text)),
      }),
    ),
    all => all.map(({ expression }) => expression),
    all => all.map((expression, i) => ({ name: `condition-${i + 1}`, expression })),
  );
}
const validations = mapped(
  list(message({ expression: at('expression', [1], written(text)) })),
  all => all.map(({ expression }) => expression),
  all => all.map(expression => ({ expression })),
);
const matchConditions = expressions({ name: 1, expression: 2 });

function webhookTable(numbers: { readonly objectSelector: number; readonly matchConditions: number }) {
  return defineFacts('WebhookConfiguration', {
    webhooks: at(
      'webhooks',
      [2],
      list(
        message({
          name: at('name', [1], text),
          /** `namespace/name` of the called Service; `''` for a URL. */
          service: at('clientConfig.service', [2, 1], serviceReference),
          /** `Fail`: the API server refuses matching requests while the webhook doesn't answer; or `Ignore`. */
          failurePolicy: at('failurePolicy', [4], wordOr('Fail')),
          rules: at('rules', [3], list(webhookRule)),
          /** `Equivalent`: also matches requests in other versions than the rules name; or `Exact`. */
          matchPolicy: at('matchPolicy', [9], wordOr('Equivalent')),
          namespaceSelector: at('namespaceSelector', [5], selector),
          objectSelector: at('objectSelector', [numbers.objectSelector], selector),
          matchConditions: at('matchConditions', [numbers.matchConditions], matchConditions),
        }),
      ),
    ),
  });
}
interface WebhookConfigurationFacts extends FactsOf<ReturnType<typeof webhookTable>> {}
export type AdmissionWebhook = WebhookConfigurationFacts['webhooks'][number];

const match = optional({
  rules: at('resourceRules', [3], list(policyRule)),
  excluded: at('excludeResourceRules', [4], list(policyRule)),
  matchPolicy: at('matchPolicy', [7], wordOr('Equivalent')),
  namespaceSelector: at('namespaceSelector', [1], selector),
  objectSelector: at('objectSelector', [2], selector),
});
export type AdmissionMatch = NonNullable<ReturnType<typeof match.fromJson>>;

function policyTable(numbers: { readonly failurePolicy: number; readonly variables: number }) {
  return {
    hasParameters: at('spec.paramKind', [2, 1], presence({ apiVersion: 'v1', kind: 'ConfigMap' })),
    failurePolicy: at('spec.failurePolicy', [2, numbers.failurePolicy], wordOr('Fail')),
    /** Undefined if omitted: such a policy matches nothing. */
    match: at('spec.matchConstraints', [2, 2], match),
    matchConditions: at('spec.matchConditions', [2, 6], matchConditions),
    variables: at(
      'spec.variables',
      [2, numbers.variables],
      list(
        message({ name: at('name', [1], written(text)), expression: at('expression', [2], written(text)) }),
      ),
    ),
    /** A request is refused unless all are true. */
    validations: fixed<readonly string[]>([]),
  };
}
const validatingPolicyTable = defineFacts('AdmissionPolicy', {
  ...policyTable({ failurePolicy: 4, variables: 7 }),
  validations: at('spec.validations', [2, 3], validations),
});
/** A mutating policy has no validations. */
const mutatingPolicyTable = defineFacts('AdmissionPolicy', policyTable({ failurePolicy: 5, variables: 3 }));
export interface AdmissionPolicyFacts extends FactsOf<typeof mutatingPolicyTable> {}

const admissionBindingTable = defineFacts('AdmissionBinding', {
  policy: at('spec.policyName', [2, 1], text),
  match: at('spec.matchResources', [2, 3], match),
  actions: at('spec.validationActions', [2, 4], texts(word)),
  /** `Deny`: a request is refused if the parameters are missing, whatever the actions are; or `Allow`. */
  withoutParameters: at('spec.paramRef.parameterNotFoundAction', [2, 2, 4], word),
});
interface AdmissionBindingFacts extends FactsOf<typeof admissionBindingTable> {}

const roleRule = {
  groups: at('apiGroups', [2], texts(word)),
  resources: at('resources', [3], texts(word)),
  /** Empty for all names. */
  names: at('resourceNames', [4], texts(text)),
};
export interface ChangeRule extends Values<typeof roleRule> {}

const roleTable = defineFacts('Role', {
  /** Rules that permit patch or update; other rules aren't kept. */
  changes: at(
    'rules',
    [2],
    mapped(
      list(message({ verbs: at('verbs', [1], texts(word)), ...roleRule })),
      (all): readonly ChangeRule[] =>
        all.filter(({ verbs }) => verbs.some(permitsChanges)).map(({ verbs: _verbs, ...rule }) => rule),
      all => all.map(rule => ({ verbs: ['patch'], ...rule })),
    ),
  ),
  /** Labels of the ClusterRoles whose rules kube-controller-manager fills in. */
  aggregates: at('aggregationRule.clusterRoleSelectors', [3, 1], list(selector)),
});
interface RoleFacts extends FactsOf<typeof roleTable> {}

const roleBindingTable = defineFacts('RoleBinding', {
  /** `Role`, in the namespace of the binding, or `ClusterRole`. */
  roleKind: at('roleRef.kind', [3, 2], word),
  roleName: at('roleRef.name', [3, 3], word),
  /** ServiceAccounts, such as `system:serviceaccount:tools:drain-operator` or `system:serviceaccounts:tools`. */
  accounts: at(
    'subjects',
    [2],
    mapped(
      list(
        message({
          kind: at('kind', [1], word),
          namespace: at('namespace', [4], text),
          name: at('name', [3], text),
        }),
      ),
      all => all.flatMap(accountNamed),
      all => all.map(subjectOf),
    ),
  ),
});
interface RoleBindingFacts extends FactsOf<typeof roleBindingTable> {}

const leaseTable = defineFacts('Lease', {
  holder: at('spec.holderIdentity', [2, 1], word),
  durationSeconds: at('spec.leaseDurationSeconds', [2, 2], count),
  acquiredAt: at('spec.acquireTime', [2, 3], wholeTime),
  renewedAt: at('spec.renewTime', [2, 4], wholeTime),
});
interface LeaseFacts extends FactsOf<typeof leaseTable> {}

const disruptionBudgetTable = defineFacts('PodDisruptionBudget', {
  selector: at('spec.selector', [2, 2], selector),
  observedGeneration: at('status.observedGeneration', [3, 1], number(0)),
  disruptionsAllowed: at('status.disruptionsAllowed', [3, 3], number(0)),
  currentHealthy: at('status.currentHealthy', [3, 4], number(0)),
  desiredHealthy: at('status.desiredHealthy', [3, 5], number(0)),
  expectedPods: at('status.expectedPods', [3, 6], number(0)),
  /** `IfHealthyBudget`, the default, or `AlwaysAllow`: whether pods that aren't ready may be evicted. */
  unhealthyPods: at('spec.unhealthyPodEvictionPolicy', [2, 4], wordOr('IfHealthyBudget')),
  /** `DisruptionAllowed` alone, with the reason `SyncFailed` if its pods can't be counted. */
  conditions: at('status.conditions', [3, 7], coreConditions),
});
export interface DisruptionBudgetFacts extends FactsOf<typeof disruptionBudgetTable> {}

/** Reports whether no pod may be evicted now. A budget that expects no pods hasn't been counted yet. */
export function letsNothingGo(facts: Facts | undefined): facts is DisruptionBudgetFacts {
  return facts?.kind === 'PodDisruptionBudget' && facts.disruptionsAllowed === 0 && facts.expectedPods > 0;
}

/** The field numbers are equal in all versions. */
const autoscalerTable = defineFacts('HorizontalPodAutoscaler', {
  target: at(
    'spec.scaleTargetRef',
    [2, 1],
    message({
      apiVersion: at('apiVersion', [3], word),
      kind: at('kind', [1], word),
      name: at('name', [2], text),
    }),
  ),
  minReplicas: at('spec.minReplicas', [2, 2], number(1)),
  maxReplicas: at('spec.maxReplicas', [2, 3], number(0)),
});
interface AutoscalerFacts extends FactsOf<typeof autoscalerTable> {}

const customStatus = message({
  observedGeneration: at('observedGeneration', [], integer),
  phase: at('phase', [], text),
  state: at('state', [], text),
  conditions: at(
    'conditions',
    [],
    list(
      message({
        type: at('type', [], written(text)),
        status: at('status', [], written(text)),
        reason: at('reason', [], text),
        observedGeneration: at('observedGeneration', [], integer),
      }),
    ),
  ),
});
/** Read as JSON alone: no API server has custom resources in protobuf. For people; no forecast relies on it. */
const customResourceTable = defineFacts('CustomResource', {
  status: at('status', [], mapped(customStatus, CustomState.of, CustomState.toStatus)),
});
export interface CustomResourceFacts extends FactsOf<typeof customResourceTable> {}

/** Groups of Kubernetes itself with more than one label before `k8s.io`. */
const longGroups: ReadonlySet<string> = new Set([
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'rbac.authorization.k8s.io',
]);

function isCustom({ group }: GroupKind): boolean {
  return group.includes('.') && !/^[^.]+\.k8s\.io$/u.test(group) && !longGroups.has(group);
}

/** By API group and kind. */
const tables = {
  '/Pod': podTable,
  '/Node': nodeTable,
  '/Namespace': namespaceTable,
  'apps/Deployment': deploymentTable,
  'apps/ReplicaSet': replicaSetTable,
  '/ReplicationController': replicationControllerTable,
  'apps/StatefulSet': statefulSetTable,
  'apps/DaemonSet': daemonSetTable,
  'batch/Job': jobTable,
  'batch/CronJob': cronJobTable,
  '/PersistentVolumeClaim': volumeClaimTable,
  '/PersistentVolume': volumeTable,
  'apiregistration.k8s.io/APIService': apiServiceTable,
  'apiextensions.k8s.io/CustomResourceDefinition': crdTable,
  '/Service': serviceTable,
  'discovery.k8s.io/EndpointSlice': endpointSliceTable,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookTable({
    objectSelector: 10,
    matchConditions: 11,
  }),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookTable({
    objectSelector: 11,
    matchConditions: 12,
  }),
  'rbac.authorization.k8s.io/Role': roleTable,
  'rbac.authorization.k8s.io/ClusterRole': roleTable,
  'rbac.authorization.k8s.io/RoleBinding': roleBindingTable,
  'rbac.authorization.k8s.io/ClusterRoleBinding': roleBindingTable,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': validatingPolicyTable,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': mutatingPolicyTable,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': admissionBindingTable,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': admissionBindingTable,
  'coordination.k8s.io/Lease': leaseTable,
  'policy/PodDisruptionBudget': disruptionBudgetTable,
  'autoscaling/HorizontalPodAutoscaler': autoscalerTable,
  'storage.k8s.io/VolumeAttachment': volumeAttachmentTable,
  'resource.k8s.io/ResourceClaim': resourceClaimTable,
  'networking.k8s.io/ServiceCIDR': serviceCidrTable,
};
export type Facts =
  | CustomResourceFacts
  | PodFacts
  | NodeFacts
  | NamespaceFacts
  | WorkloadFacts
  | VolumeClaimFacts
  | VolumeFacts
  | ApiServiceFacts
  | CrdFacts
  | AdmissionPolicyFacts
  | DisruptionBudgetFacts
  | ServiceFacts
  | EndpointSliceFacts
  | WebhookConfigurationFacts
  | AdmissionBindingFacts
  | RoleFacts
  | RoleBindingFacts
  | LeaseFacts
  | AutoscalerFacts
  | VolumeAttachmentFacts
  | ResourceClaimFacts
  | ServiceCidrFacts;

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

type AnyTable = FactsTable<Facts['kind'], Fields>;

function builtInTable({ group, kind }: GroupKind): AnyTable | undefined {
  return ownEntry<AnyTable>(tables, `${group}/${kind}`);
}

/** Returns undefined if metadata is enough. */
function factsTable(type: GroupKind): AnyTable | undefined {
  return isCustom(type) ? (customResourceTable as unknown as AnyTable) : builtInTable(type);
}

/** Reports that answers rely on the kind's facts. */
function hasFacts(type: GroupKind): boolean {
  return builtInTable(type) !== undefined;
}

/** Sets a condition as meta.SetStatusCondition does, keeping `since` while the status is unchanged. */
function withCondition(
  conditions: readonly Condition[],
  condition: Pick<Condition, 'type' | 'status'> & Partial<Condition>,
): readonly Condition[] {
  const { type, status, reason = '', message: text = '' } = condition;
  const index = conditions.findIndex(each => each.type === type);
  const before = conditions[index];
  const isKept = before?.status === status;
  if (isKept && before.reason === reason && before.message === text) return conditions;
  const after = { type, status, reason, message: text, since: isKept ? before.since : condition.since };
  return before === undefined ? [...conditions, after] : conditions.with(index, after);
}

export const Toleration = { shared: sharedTolerations };

export const FactsTable = { of: factsTable, ofPods: podTable, emptyPod };

export const Facts = { areOf: hasFacts, areOfState: isCustom, withCondition };

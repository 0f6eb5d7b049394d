/**
 * The register of kube-controller-manager: what each controller does to finalizers and whole objects, read in the source of
 * v1.30 to v1.37. The lists that the simulation follows complete it: `put-back.ts` and `protections.ts`.
 */
import type { ClusterView } from '../../graph/index.ts';
import {
  BuiltInKind,
  type KubeObject,
  type LabelSelector,
  Labels,
  labelRules,
  objectState,
  podFacts,
} from '../../model/index.ts';
import { useProtections } from './protections.ts';
import { putBack } from './put-back.ts';

interface Unsimulated {
  readonly concerns: (view: ClusterView) => (object: KubeObject) => boolean;
  /** A clause on what it does once the object is deleted, such as `creates another one`. */
  readonly does: string;
}

export interface RegisteredController {
  /** Its canonical name (cmd/kube-controller-manager/names). */
  readonly name: string;
  /** Omitted if v1.30 has it. */
  readonly since?: `1.${number}`;
  readonly gate?: string;
  /** Below pkg/controller, unless the path begins with `pkg` or another module. */
  readonly files: readonly string[];
  readonly adds?: readonly string[];
  readonly removes?: readonly string[];
  /** Clauses for documentation; `putBack` and `useProtections` complete them. */
  readonly deletes?: string;
  readonly creates?: string;
  readonly waitsFor?: string;
  /** Its name in a simulated cluster. */
  readonly simulated?: string;
  readonly unsimulated?: readonly Unsimulated[];
  /** Deeds that warnings or `why` name without simulating them, for documentation. */
  readonly named?: string;
  /** Tests on a real control plane, below test/cluster. */
  readonly provenBy: readonly string[];
  /** Earlier versions lack the API that the tests use, or don't show the controller in a test's time. */
  readonly provenSince?: `1.${number}`;
}

const CONFORMANCE = 'forecast/conformance.test.ts';
const FUZZ = 'forecast/fuzz.test.ts';
const PUT_BACK = 'forecast/built-in/put-back.test.ts';
const USE = 'forecast/built-in/use-protections.test.ts';
const CLEANERS = 'forecast/built-in/cleaners.test.ts';
const DEVICES = 'forecast/built-in/devices.test.ts';
const RBAC = 'rbac.authorization.k8s.io';
const LATER = 'forecast/built-in/other-deleters.test.ts';
const SCENARIOS = 'forecast/built-in/scenarios.test.ts';

function isKind(object: KubeObject, group: string, kind: string): boolean {
  return object.type.group === group && object.type.kind === kind;
}

/** Lists the facts about objects of a kind that were read. */
function factsOf(
  { catalog, graph }: ClusterView,
  kind: { readonly group: string; readonly resource: string },
): readonly NonNullable<KubeObject['facts']>[] {
  const type = catalog.preferredOf(kind);
  return type === undefined ? [] : [...graph.ofType(type)].flatMap(({ object }) => object?.facts ?? []);
}

/** Matches pods whose volumes are attached to their nodes, by the VolumeAttachments that were read. */
function usersOfAttachments(view: ClusterView): (object: KubeObject) => boolean {
  const { catalog, graph } = view;
  const claims = catalog.resolveKind('v1', 'PersistentVolumeClaim');
  let attached: ReadonlySet<string> | undefined;
  const listAttached = (): ReadonlySet<string> =>
    new Set(
      factsOf(view, { group: 'storage.k8s.io', resource: 'volumeattachments' }).flatMap(facts =>
        facts.kind === 'VolumeAttachment' ? `${facts.nodeName} ${facts.volumeName}` : [],
      ),
    );
  return pod =>
    objectState.claims(pod).some(name => {
      const facts = claims && graph.find(claims, pod.namespace, name)?.object?.facts;
      if (facts?.kind !== 'PersistentVolumeClaim' || facts.volumeName === '') return false;
      attached ??= listAttached();
      return attached.has(`${podFacts(pod)?.nodeName} ${facts.volumeName}`);
    });
}

/** Matches ClusterRoles that others aggregate, or that follow the convention of the API server's own. */
function aggregatedRoles(view: ClusterView): (object: KubeObject) => boolean {
  let selectors: readonly (LabelSelector | undefined)[] | undefined;
  const listSelectors = (): NonNullable<typeof selectors> =>
    factsOf(view, { group: RBAC, resource: 'clusterroles' }).flatMap(facts =>
      facts.kind === 'Role' ? facts.aggregates : [],
    );
  return object => {
    const { labels } = object;
    if (!isKind(object, RBAC, 'ClusterRole')) return false;
    if (labels.some(label => label.startsWith(`${RBAC}/aggregate-to-`))) return true;
    selectors ??= listSelectors();
    return selectors.some(selector => labelRules.selects(selector, labels));
  };
}

const registered: readonly RegisteredController[] = [
  {
    name: 'garbage-collector-controller',
    files: ['garbagecollector/operations.go', 'garbagecollector/garbagecollector.go'],
    removes: ['foregroundDeletion', 'orphan'],
    deletes: 'objects whose owners are all absent or wait for them',
    waitsFor: 'blocking dependents, or for all dependents to orphan them',
    simulated: 'garbage-collector',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'namespace-controller',
    files: ['namespace/deletion/namespaced_resources_deleter.go', 'namespace/namespace_controller.go'],
    removes: ['kubernetes'],
    deletes: 'the content of a namespace that is being deleted',
    waitsFor: 'that content',
    simulated: 'namespace-controller',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'deployment-controller',
    files: ['deployment/sync.go'],
    deletes: 'ReplicaSets beyond `revisionHistoryLimit`',
    creates: 'ReplicaSets',
    simulated: 'deployment-controller',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'replicaset-controller',
    files: ['replicaset/replica_set.go'],
    deletes: 'surplus pods',
    creates: 'pods',
    simulated: 'replicaset-controller',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'replicationcontroller-controller',
    files: ['replicaset/replica_set.go', 'replication/conversion.go'],
    deletes: 'surplus pods',
    creates: 'pods',
    simulated: 'replication-controller',
    provenBy: [CONFORMANCE],
  },
  {
    name: 'statefulset-controller',
    files: ['statefulset/stateful_pod_control.go', 'history/controller_history.go'],
    deletes: 'surplus and outdated pods, old ControllerRevisions',
    creates: 'pods, claims and ControllerRevisions',
    simulated: 'statefulset-controller',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'daemonset-controller',
    files: ['daemon/daemon_controller.go', 'daemon/update.go'],
    deletes: 'surplus, outdated and failed pods, old ControllerRevisions',
    creates: 'pods and ControllerRevisions',
    simulated: 'daemon-set-controller',
    provenBy: [CONFORMANCE, 'forecast/nodes.test.ts', SCENARIOS],
  },
  {
    name: 'job-controller',
    files: ['job/job_controller.go', 'job/job_scheduling_manager.go'],
    adds: ['batch.kubernetes.io/job-tracking'],
    removes: ['batch.kubernetes.io/job-tracking'],
    deletes: 'surplus pods and those of a Job that failed or is suspended',
    creates: 'pods; from v1.36, with the gate `WorkloadWithJob`, a Workload and a PodGroup',
    simulated: 'job-controller',
    provenBy: [CONFORMANCE, FUZZ, 'forecast/built-in/pod-groups.test.ts'],
  },
  {
    name: 'cronjob-controller',
    files: ['cronjob/injection.go', 'cronjob/cronjob_controllerv2.go'],
    deletes: 'finished Jobs beyond the history limits, and replaced Jobs',
    creates: 'Jobs',
    simulated: 'cronjob-controller',
    provenBy: [CONFORMANCE, LATER],
    named: 'history limits, by `why`',
  },
  {
    name: 'ttl-after-finished-controller',
    files: ['ttlafterfinished/ttlafterfinished_controller.go'],
    deletes: 'finished Jobs after `ttlSecondsAfterFinished`, in the foreground',
    provenBy: [LATER],
    named: 'by `why`',
  },
  {
    name: 'pod-garbage-collector-controller',
    files: ['podgc/gc_controller.go'],
    deletes: 'orphaned, unscheduled, out-of-service and finished pods, by force',
    simulated: 'pod-garbage-collector',
    provenBy: [CONFORMANCE, 'podgc/podgc.test.ts', 'podgc/manager.test.ts', 'forecast/nodes.test.ts'],
  },
  {
    name: 'taint-eviction-controller',
    files: ['tainteviction/taint_eviction.go'],
    deletes: 'pods that do not tolerate a NoExecute taint of their node',
    simulated: 'taint-eviction-controller',
    provenBy: [CONFORMANCE, 'forecast/nodes.test.ts'],
  },
  {
    name: 'device-taint-eviction-controller',
    since: '1.33',
    gate: 'DRADeviceTaints',
    files: ['devicetainteviction/device_taint_eviction.go'],
    deletes: 'pods that do not tolerate a NoExecute taint of their devices',
    provenBy: [DEVICES],
    provenSince: '1.36',
    named: 'by bare `plan`',
  },
  {
    name: 'persistentvolumeclaim-protection-controller',
    files: ['volume/pvcprotection/pvc_protection_controller.go'],
    adds: ['kubernetes.io/pvc-protection'],
    removes: ['kubernetes.io/pvc-protection'],
    waitsFor: 'pods that mount the claim',
    simulated: 'pvc-protection-controller',
    provenBy: [CONFORMANCE, FUZZ],
  },
  {
    name: 'persistentvolume-protection-controller',
    files: ['volume/pvprotection/pv_protection_controller.go'],
    adds: ['kubernetes.io/pv-protection'],
    removes: ['kubernetes.io/pv-protection'],
    waitsFor: 'the claim to which the volume is bound',
    simulated: 'pv-protection-controller',
    provenBy: [CONFORMANCE],
  },
  {
    name: 'persistentvolume-binder-controller',
    files: ['volume/persistentvolume/pv_controller.go', 'volume/persistentvolume/pv_controller_base.go'],
    adds: ['kubernetes.io/pv-controller', 'external-provisioner.volume.kubernetes.io/finalizer'],
    removes: ['kubernetes.io/pv-controller', 'external-provisioner.volume.kubernetes.io/finalizer'],
    deletes: 'released volumes of built-in storage with the reclaim policy Delete',
    creates: 'volumes of built-in storage',
    simulated: 'persistent-volume-binder',
    provenBy: [CONFORMANCE],
    named: 'deletions and creations of volumes',
  },
  {
    name: 'persistentvolume-attach-detach-controller',
    files: ['volume/attachdetach/attach_detach_controller.go', 'pkg/volume/csi/csi_attacher.go'],
    deletes: 'VolumeAttachments that no pod needs',
    creates: 'VolumeAttachments',
    unsimulated: [
      {
        concerns: () => object => BuiltInKind.of(object.type) === 'VolumeAttachment',
        does: 'may create another one while a pod on the node uses the volume',
      },
      {
        concerns: usersOfAttachments,
        does: 'deletes the VolumeAttachments of its volumes, unless another pod on the node uses them',
      },
    ],
    provenBy: [DEVICES],
  },
  {
    name: 'ephemeral-volume-controller',
    files: ['volume/ephemeral/controller.go'],
    creates: 'claims of generic ephemeral volumes',
    simulated: 'ephemeral-volume-controller',
    provenBy: [CONFORMANCE],
  },
  {
    name: 'volumeattributesclass-protection-controller',
    since: '1.32',
    gate: 'VolumeAttributesClass',
    files: ['volume/vacprotection/vac_protection_controller.go'],
    adds: ['kubernetes.io/vac-protection'],
    simulated: 'volumeattributesclass-protection-controller',
    provenBy: [USE, SCENARIOS],
    provenSince: '1.34',
  },
  {
    name: 'resourceclaim-controller',
    gate: 'DynamicResourceAllocation',
    files: ['resourceclaim/controller.go'],
    deletes: 'generated claims of finished pods',
    creates: 'claims from the templates of a pod or PodGroup',
    simulated: 'resourceclaim-controller',
    unsimulated: [
      {
        concerns: () => object =>
          isKind(object, 'resource.k8s.io', 'ResourceClaim') &&
          object.owners.some(({ controller, kind }) => controller && (kind === 'Pod' || kind === 'PodGroup')),
        does: 'may create another one from the template, perhaps only after an hour or a restart',
      },
    ],
    provenBy: [USE, SCENARIOS],
    provenSince: '1.34',
  },
  {
    name: 'resourcepoolstatusrequest-controller',
    since: '1.36',
    gate: 'DRAResourcePoolStatus',
    files: ['resourcepoolstatusrequest/controller.go'],
    deletes: 'ResourcePoolStatusRequests 1 h after completion, 24 h after creation',
    provenBy: [CLEANERS],
    named: 'by `why`',
  },
  {
    name: 'service-cidr-controller',
    gate: 'MultiCIDRServiceAllocator',
    files: ['servicecidrs/servicecidrs_controller.go'],
    adds: ['networking.k8s.io/service-cidr-finalizer'],
    simulated: 'service-cidr-controller',
    provenBy: [USE, SCENARIOS],
    provenSince: '1.33',
  },
  {
    name: 'podgroup-protection-controller',
    since: '1.36',
    gate: 'GenericWorkload',
    files: ['scheduling/podgroupprotection/podgroup_protection_controller.go'],
    simulated: 'podgroup-protection-controller',
    provenBy: ['forecast/built-in/pod-groups.test.ts', SCENARIOS],
  },
  {
    name: 'endpoints-controller',
    files: ['endpoint/endpoints_controller.go'],
    deletes: 'Endpoints of a Service that is gone',
    simulated: 'endpoints-controller',
    provenBy: [PUT_BACK, 'forecast/built-in/beside-owners.test.ts', SCENARIOS],
  },
  {
    name: 'endpointslice-controller',
    files: ['endpointslice/endpointslice_controller.go', 'k8s.io/endpointslice/reconciler.go'],
    deletes: 'surplus EndpointSlices',
    simulated: 'endpointslice-controller',
    provenBy: [PUT_BACK, SCENARIOS],
  },
  {
    name: 'endpointslice-mirroring-controller',
    files: [
      'endpointslicemirroring/endpointslicemirroring_controller.go',
      'endpointslicemirroring/reconciler.go',
    ],
    deletes: 'surplus EndpointSlices, and those of Endpoints that are gone',
    simulated: 'endpointslice-mirroring-controller',
    provenBy: [PUT_BACK, 'forecast/built-in/beside-owners.test.ts', SCENARIOS],
  },
  {
    name: 'serviceaccount-controller',
    files: ['serviceaccount/serviceaccounts_controller.go'],
    simulated: 'serviceaccount-controller',
    provenBy: [PUT_BACK, SCENARIOS],
  },
  {
    name: 'serviceaccount-token-controller',
    files: ['serviceaccount/tokens_controller.go'],
    deletes: 'token Secrets of a ServiceAccount that is gone',
    provenBy: ['forecast/built-in/beside-owners.test.ts'],
    named: 'by a warning',
  },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    files: ['serviceaccount/legacy_serviceaccount_token_cleaner.go'],
    deletes: 'generated token Secrets unused for a year',
    provenBy: [CLEANERS],
    named: 'by `why`',
  },
  {
    name: 'token-cleaner-controller',
    files: ['bootstrap/tokencleaner.go'],
    deletes: 'expired bootstrap token Secrets',
    provenBy: [LATER],
    named: 'by `why`',
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    files: ['certificates/rootcacertpublisher/publisher.go'],
    simulated: 'root-ca-certificate-publisher-controller',
    provenBy: [PUT_BACK, SCENARIOS],
  },
  {
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    since: '1.32',
    gate: 'ClusterTrustBundle',
    files: ['certificates/clustertrustbundlepublisher/publisher.go'],
    deletes: 'other ClusterTrustBundles of its signer',
    simulated: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    provenBy: [CLEANERS],
    provenSince: '1.33',
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    files: ['certificates/cleaner/cleaner.go'],
    deletes: 'CertificateSigningRequests by age',
    provenBy: [CLEANERS],
    provenSince: '1.35',
    named: 'by `why`',
  },
  {
    name: 'podcertificaterequest-cleaner-controller',
    since: '1.34',
    gate: 'PodCertificateRequest',
    files: ['certificates/cleaner/pcrcleaner.go'],
    deletes: 'PodCertificateRequests after 15 minutes',
    provenBy: [CLEANERS],
    provenSince: '1.35',
    named: 'by `why`',
  },
  {
    name: 'storageversion-garbage-collector-controller',
    gate: 'StorageVersionAPI',
    files: ['storageversiongc/gc_controller.go'],
    deletes: 'StorageVersions that no running kube-apiserver uses',
    unsimulated: [
      {
        concerns: () => object =>
          BuiltInKind.of(object.type) === 'Lease' &&
          Labels.value(object.labels, 'apiserver.kubernetes.io/identity') !== undefined,
        does: 'removes that API server from StorageVersions, and deletes those that are then empty',
      },
    ],
    provenBy: [CLEANERS],
  },
  {
    name: 'clusterrole-aggregation-controller',
    files: ['clusterroleaggregation/clusterroleaggregation_controller.go'],
    unsimulated: [
      {
        concerns: aggregatedRoles,
        does: 'removes those rules from the ClusterRoles that aggregate them',
      },
    ],
    provenBy: [CLEANERS],
  },
];

/** Controllers of v1.36 that neither add nor remove finalizers and neither create nor delete objects of users. */
const changingFieldsAlone: readonly string[] = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-signing-controller',
  'disruption-controller',
  'horizontal-pod-autoscaler-controller',
  'node-ipam-controller',
  'node-lifecycle-controller',
  'persistentvolume-expander-controller',
  'resourcequota-controller',
  'selinux-warning-controller',
  'storage-version-migrator-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
];

/** Returns the finalizers that a controller removes, with the lists that the simulation follows. */
function removedBy({ name, removes = [] }: RegisteredController): readonly string[] {
  return [
    ...removes,
    ...useProtections.list.flatMap(each => (each.controller === name ? each.finalizer : [])),
  ];
}

/** Returns the objects that a controller creates, in words; (13) is the section of docs/kubernetes.md on `putBack`. */
function createdBy({ name, creates }: RegisteredController): readonly string[] {
  const again = putBack.rows.flatMap(({ by, kinds }) =>
    by === name ? kinds.map(kind => `${kind.split('.')[0]} (13)`) : [],
  );
  return creates === undefined ? again : [creates, ...again];
}

/** Returns clauses on when it removes finalizers; (14) is the section on `useProtections`. */
function awaitedBy({ name, waitsFor }: RegisteredController): readonly string[] {
  const isKeeper = useProtections.list.some(({ controller }) => controller === name);
  const own = waitsFor === undefined ? [] : [`waits for ${waitsFor}`];
  return isKeeper ? [...own, 'waits for users (14)'] : own;
}

/** Returns a function to the controllers that act on an object's deletion without being simulated. */
function unsimulatedIn(
  view: ClusterView,
): (object: KubeObject) => readonly { readonly by: string; readonly does: string }[] {
  const all = registered.flatMap(({ name, unsimulated = [] }) =>
    unsimulated.map(({ concerns, does }) => ({ by: name, does, concerns: concerns(view) })),
  );
  return object => all.flatMap(({ by, does, concerns }) => (concerns(object) ? { by, does } : []));
}

export const controllerRegister = {
  rows: registered,
  changingFieldsAlone,
  removes: removedBy,
  creates: createdBy,
  waitsFor: awaitedBy,
  unsimulated: unsimulatedIn,
};

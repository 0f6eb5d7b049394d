/**
 * Objects that Kubernetes recreates whenever they are missing: the one list for forecasts, explanations and undo. A
 * simulation reacts only to deletions, so an object that was missing before stays missing.
 */
import type { ClusterView } from '../../graph/index.ts';
import {
  BuiltInKind,
  isMirrorPod,
  joinApiVersion,
  type KubeObject,
  Labels,
  podFacts,
  type ResourceType,
} from '../../model/index.ts';

interface World {
  readonly find: (kind: BuiltInKind, namespace: string, name: string) => KubeObject | undefined;
  readonly list: (kind: BuiltInKind) => readonly KubeObject[];
}

export interface PutBack {
  /** The controller or, outside kube-controller-manager, the program. */
  readonly by: string;
  readonly program: 'kube-controller-manager' | 'kube-apiserver' | 'kube-scheduler' | 'kubelet';
  /** Kinds in the core group, unless a group follows: `Role.rbac.authorization.k8s.io`. */
  readonly kinds: readonly string[];
  /** Which of these kinds, for documentation. */
  readonly which: string;
  readonly applies: (object: KubeObject) => boolean;
  /** Decides after the deletion if the object is recreated; if omitted, it always is. */
  readonly wanted?: (world: World, object: KubeObject) => boolean;
  /** The longest delay in milliseconds, or the event to wait for: `kube-apiserver starts`. */
  readonly after: number | `${string} starts`;
  /** When it recreates an object that it hasn't changed since it started; if omitted, as any other. */
  readonly afterRestart?: `once ${string}`;
  /** True if the new object gets another name. */
  readonly renamed?: true;
  /** The kind of the owner that the new object gets. */
  readonly owner?: BuiltInKind;
  /** Files of Kubernetes v1.36, below k8s.io/kubernetes unless the path begins with another module. */
  readonly source: string;
}

const RBAC = 'rbac.authorization.k8s.io';
const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const SLICE = 'EndpointSlice.discovery.k8s.io';
const SLICE_MANAGER = 'endpointslice.kubernetes.io/managed-by';
const SERVICE_NAME = 'kubernetes.io/service-name';
const APISERVER = 'kube-apiserver';

const label = ({ labels }: KubeObject, key: string): string => Labels.value(labels, key) ?? '';

function named(...names: readonly string[]): (object: KubeObject) => boolean {
  return ({ namespace, name }) => names.includes(namespace === '' ? name : `${namespace}/${name}`);
}

/** Kubernetes creates no endpoints for a Service without a selector, or of type ExternalName. */
function hasSelector(service: KubeObject | undefined): boolean {
  const facts = service?.facts?.kind === 'Service' ? service.facts : undefined;
  return facts !== undefined && facts.selector.length > 0 && facts.type !== 'ExternalName';
}

function serviceOf({ find }: World, slice: KubeObject): KubeObject | undefined {
  const service = find('Service', slice.namespace, label(slice, SERVICE_NAME));
  return service?.deletionTimestamp === undefined ? service : undefined;
}

function serves({ facts }: KubeObject, apiService: KubeObject): boolean {
  return (
    facts?.kind === 'CustomResourceDefinition' &&
    facts.versions.some(({ name, served }) => served && apiService.name === `${name}.${facts.group}`)
  );
}

/** Returns the name of the node whose kubelet creates the object, for a mirror pod or a node's lease. */
function nodeOf(object: KubeObject): string {
  return podFacts(object)?.nodeName ?? object.name;
}

function hasNode({ find }: World, object: KubeObject): boolean {
  const node = find('Node', '', nodeOf(object));
  return node !== undefined && node.deletionTimestamp === undefined;
}

/** The first row that applies counts. */
const rows: readonly PutBack[] = [
  {
    by: 'serviceaccount-controller',
    program: 'kube-controller-manager',
    kinds: ['ServiceAccount'],
    which: '`default` in every namespace',
    applies: ({ name }) => name === 'default',
    after: 0,
    source: 'pkg/controller/serviceaccount/serviceaccounts_controller.go (syncNamespace)',
  },
  {
    by: 'root-ca-certificate-publisher-controller',
    program: 'kube-controller-manager',
    kinds: ['ConfigMap'],
    which: '`kube-root-ca.crt` in every namespace',
    applies: ({ name }) => name === 'kube-root-ca.crt',
    after: 0,
    source: 'pkg/controller/certificates/rootcacertpublisher/publisher.go (syncNamespace)',
  },
  {
    by: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    program: 'kube-controller-manager',
    kinds: ['ClusterTrustBundle.certificates.k8s.io'],
    which: '`kubernetes.io:kube-apiserver-serving:…`',
    applies: ({ name }) => name.startsWith('kubernetes.io:kube-apiserver-serving:'),
    after: 0,
    source: 'pkg/controller/certificates/clustertrustbundlepublisher/publisher.go (syncClusterTrustBundle)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['Service', 'Endpoints', SLICE],
    which: '`default/kubernetes`',
    applies: named('default/kubernetes'),
    after: 10_000,
    source: 'pkg/controlplane/controller/kubernetesservice/controller.go (UpdateKubernetesService)',
  },
  {
    by: 'endpoints-controller',
    program: 'kube-controller-manager',
    kinds: ['Endpoints'],
    which: 'of a Service with a selector',
    applies: () => true,
    wanted: ({ find }, { namespace, name }) => hasSelector(find('Service', namespace, name)),
    after: 0,
    source: 'pkg/controller/endpoint/endpoints_controller.go (onEndpointsDelete, syncService)',
  },
  {
    by: 'endpointslice-controller',
    program: 'kube-controller-manager',
    kinds: [SLICE],
    which: 'of a Service with a selector',
    applies: slice => label(slice, SLICE_MANAGER) === 'endpointslice-controller.k8s.io',
    wanted: (world, slice) => hasSelector(serviceOf(world, slice)),
    after: 1_000,
    afterRestart: 'once the Service or its pods change',
    renamed: true,
    owner: 'Service',
    source: 'pkg/controller/endpointslice/endpointslice_controller.go (onEndpointSliceDelete, syncService)',
  },
  {
    by: 'endpointslice-mirroring-controller',
    program: 'kube-controller-manager',
    kinds: [SLICE],
    which: 'that mirror Endpoints',
    applies: slice => label(slice, SLICE_MANAGER) === 'endpointslicemirroring-controller.k8s.io',
    wanted: (world, slice) => {
      const service = serviceOf(world, slice);
      const endpoints = service && world.find('Endpoints', slice.namespace, service.name);
      return endpoints !== undefined && endpoints.deletionTimestamp === undefined && !hasSelector(service);
    },
    after: 1_000,
    renamed: true,
    owner: 'Endpoints',
    source: 'pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go (syncEndpoints)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['Namespace'],
    which: '`kube-node-lease`; `default`, `kube-system` and `kube-public` cannot be deleted',
    applies: named('kube-node-lease'),
    after: 60_000,
    source: 'pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go (sync)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['ConfigMap'],
    which: '`kube-system/extension-apiserver-authentication`',
    applies: named('kube-system/extension-apiserver-authentication'),
    after: 0,
    source:
      'pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go (syncConfigMap)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['ConfigMap'],
    which: '`kube-system/kube-apiserver-legacy-service-account-token-tracking`',
    applies: named('kube-system/kube-apiserver-legacy-service-account-token-tracking'),
    after: 1_800_000,
    source: 'pkg/controlplane/controller/legacytokentracking/controller.go (syncConfigMap)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: [`PriorityLevelConfiguration.${FLOW_CONTROL}`],
    which: 'mandatory and suggested ones',
    applies: named(
      'exempt',
      'catch-all',
      'system',
      'node-high',
      'leader-election',
      'workload-high',
      'workload-low',
      'global-default',
    ),
    after: 60_000,
    source:
      'apiserver/pkg/apis/flowcontrol/bootstrap/default.go; pkg/registry/flowcontrol/ensurer/strategy.go',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: [`FlowSchema.${FLOW_CONTROL}`],
    which: 'mandatory and suggested ones',
    applies: named(
      'exempt',
      'catch-all',
      'system-nodes',
      'system-node-high',
      'probes',
      'system-leader-election',
      'kube-controller-manager',
      'kube-scheduler',
      'kube-system-service-accounts',
      'service-accounts',
      'global-default',
    ),
    after: 60_000,
    source:
      'apiserver/pkg/apis/flowcontrol/bootstrap/default.go; pkg/registry/flowcontrol/ensurer/strategy.go',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['ServiceCIDR.networking.k8s.io'],
    which: '`kubernetes`',
    applies: named('kubernetes'),
    after: 10_000,
    source: 'pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go (sync)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['IPAddress.networking.k8s.io'],
    which: 'of a Service',
    applies: each => label(each, 'ipaddress.kubernetes.io/managed-by') === 'ipallocator.k8s.io',
    wanted: ({ list }, { name }) =>
      list('Service').some(({ facts }) => facts?.kind === 'Service' && facts.clusterIPs.includes(name)),
    after: 180_000,
    source: 'pkg/registry/core/service/ipallocator/controller/repairip.go (syncService)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['APIService.apiregistration.k8s.io'],
    which: 'of a CustomResourceDefinition',
    applies: each => label(each, AUTOMANAGED) === 'true',
    wanted: ({ list }, each) => list('CustomResourceDefinition').some(crd => serves(crd, each)),
    after: 0,
    source: 'kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go (checkAPIService)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['APIService.apiregistration.k8s.io'],
    which: "of the API server's own groups",
    applies: each => label(each, AUTOMANAGED) === 'onstart',
    after: 'kube-apiserver starts',
    source: 'kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go (checkAPIService)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(kind => `${kind}.${RBAC}`),
    which: 'with the label `kubernetes.io/bootstrapping: rbac-defaults`',
    applies: each => label(each, 'kubernetes.io/bootstrapping') === 'rbac-defaults',
    after: 'kube-apiserver starts',
    source: 'pkg/registry/rbac/rest/storage_rbac.go (PostStartHook)',
  },
  {
    by: APISERVER,
    program: APISERVER,
    kinds: ['Lease.coordination.k8s.io'],
    which: 'of a running API server',
    applies: each => label(each, 'apiserver.kubernetes.io/identity') === APISERVER,
    after: 10_000,
    source: 'component-helpers/apimachinery/lease/controller.go (sync)',
  },
  ...(['kube-controller-manager', 'kube-scheduler'] as const).map(
    (program): PutBack => ({
      by: program,
      program,
      kinds: ['Lease.coordination.k8s.io'],
      which: `\`kube-system/${program}\` of the leader`,
      applies: named(`kube-system/${program}`),
      after: 2_000,
      source: 'client-go/tools/leaderelection/leaderelection.go (tryAcquireOrRenew)',
    }),
  ),
  {
    by: 'kubelet',
    program: 'kubelet',
    kinds: ['Lease.coordination.k8s.io'],
    which: 'of a node whose kubelet runs',
    applies: ({ namespace }) => namespace === 'kube-node-lease',
    wanted: hasNode,
    after: 10_000,
    owner: 'Node',
    source: 'component-helpers/apimachinery/lease/controller.go (sync); pkg/kubelet/util/nodelease.go',
  },
  {
    by: 'kubelet',
    program: 'kubelet',
    kinds: ['Pod'],
    which: 'mirrors of static pods, on a node whose kubelet runs',
    applies: isMirrorPod,
    wanted: hasNode,
    after: 0,
    owner: 'Node',
    source: 'pkg/kubelet/kubelet.go (tryReconcileMirrorPods)',
  },
  {
    by: 'kubelet',
    program: 'kubelet',
    kinds: ['Node'],
    which: 'of a kubelet with `registerNode`, the default',
    applies: () => true,
    after: 'its kubelet starts',
    source: 'pkg/kubelet/kubelet_node_status.go (registerWithAPIServer)',
  },
  {
    by: 'kubelet',
    program: 'kubelet',
    kinds: ['CSINode.storage.k8s.io'],
    which: 'of a node with CSI drivers',
    applies: () => true,
    after: 'its kubelet starts',
    source: 'pkg/volume/csi/nodeinfomanager/nodeinfomanager.go (CreateCSINode)',
  },
];

/** Returns the row for the object; undefined if Kubernetes doesn't recreate it. */
function rowOf(object: KubeObject): PutBack | undefined {
  const { group, kind } = object.type;
  return byKind.get(group === '' ? kind : `${kind}.${group}`)?.find(({ applies }) => applies(object));
}

const byKind: ReadonlyMap<string, readonly PutBack[]> = new Map(
  [...new Set(rows.flatMap(({ kinds }) => kinds))].map(kind => [
    kind,
    rows.filter(({ kinds }) => kinds.includes(kind)),
  ]),
);

/** Returns the controller or program that recreates the object without a restart; undefined if none does. */
function actorOf(object: KubeObject): string | undefined {
  const row = rowOf(object);
  return typeof row?.after === 'number' ? row.by : undefined;
}

/** Returns the row that applies if the object is deleted now, by the visible objects. */
function rowIn(view: ClusterView, object: KubeObject): PutBack | undefined {
  const typeOf = (kind: BuiltInKind): ResourceType | undefined =>
    view.catalog.resolveKind(joinApiVersion(BuiltInKind.group(kind), 'v1'), kind);
  const world: World = {
    find: (kind, namespace, name) => {
      const type = typeOf(kind);
      return type && view.find(type, namespace, name);
    },
    list: kind => {
      const type = typeOf(kind);
      return type === undefined ? [] : [...view.graph.ofType(type)].flatMap(node => node.object ?? []);
    },
  };
  const row = rowOf(object);
  if (row === undefined || row.wanted?.(world, object) === false) return undefined;
  const { namespace } = object;
  const isEnding =
    namespace !== '' && world.find('Namespace', '', namespace)?.deletionTimestamp !== undefined;
  return isEnding ? undefined : row;
}

export const putBack = { rows, of: rowOf, in: rowIn, actor: actorOf, node: nodeOf };

/**
 * The scenario `shop` as manifests: a small cluster with one stuck deletion and one of each odd ownership.
 * The source moves all times so that `takenAt` is the moment at which it starts.
 */

export const shopTakenAt = '2026-11-21T12:00:00Z';

const meta = (name: string, namespace: string, age: string): string =>
  `{name: ${name}, ${namespace === '' ? '' : `namespace: ${namespace}, `}uid: ${namespace || 'cluster'}-${name}, resourceVersion: "1", creationTimestamp: "${age}"`;

const namespaces = ['default', 'kube-system', 'infra', 'shop']
  .map(
    name => `
apiVersion: v1
kind: Namespace
metadata: ${meta(name, '', '2026-10-11T08:00:00Z')}}
spec: {finalizers: [kubernetes]}
status: {phase: Active}
---`,
  )
  .join('');

const nodes = [
  ['node-1', 'True'],
  ['node-2', 'True'],
  ['node-3', 'Unknown'],
]
  .map(
    ([name = '', ready = '']) => `
apiVersion: v1
kind: Node
metadata: ${meta(name, '', '2026-10-11T08:00:00Z')}}
spec:
  taints: [${ready === 'True' ? '' : '{key: node.kubernetes.io/unreachable, effect: NoExecute}'}]
status:
  conditions:
  - {type: Ready, status: "${ready}", reason: ${ready === 'True' ? 'KubeletReady' : 'NodeStatusUnknown'}, lastTransitionTime: "2026-11-21T11:43:00Z"}
---`,
  )
  .join('');

interface PodManifest {
  readonly name: string;
  readonly node: string;
  readonly created: string;
  readonly owners: string;
  readonly labels: string;
  readonly phase?: string;
  /** Further metadata lines, indented by two. */
  readonly metadata?: string;
  readonly volumes?: string;
}

function pod(manifest: PodManifest): string {
  const { phase = 'Running' } = manifest;
  const state = phase === 'Succeeded' ? '{terminated: {reason: Completed}}' : '{running: {startedAt: null}}';
  return `
apiVersion: v1
kind: Pod
metadata:
  name: ${manifest.name}
  namespace: shop
  uid: shop-pod-${manifest.name}
  resourceVersion: "1"
  creationTimestamp: "${manifest.created}"
  labels: ${manifest.labels}
  ownerReferences: ${manifest.owners}
${manifest.metadata ?? ''}
spec:
  nodeName: ${manifest.node}
  terminationGracePeriodSeconds: 30
  containers: [{name: main}]
  volumes: [${manifest.volumes ?? ''}]
status:
  phase: ${phase}
  containerStatuses: [{name: main, ready: ${phase === 'Running'}, restartCount: 0, state: ${state}}]
---`;
}

const owner = (apiVersion: string, kind: string, name: string, uid: string): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: ${uid}, controller: true, blockOwnerDeletion: true}`;

const apiPods = [
  ['api-658b5b55dd-2924j', 'node-1'],
  ['api-658b5b55dd-b7xkq', 'node-2'],
  ['api-658b5b55dd-tzm8v', 'node-1'],
]
  .map(([name = '', node = '']) =>
    pod({
      name,
      node,
      created: '2026-11-19T11:00:00Z',
      owners: `[${owner('apps/v1', 'ReplicaSet', 'api-658b5b55dd', 'shop-rs-api-658b5b55dd')}]`,
      labels: '{app: api, pod-template-hash: 658b5b55dd}',
    }),
  )
  .join('');

const webOwner = owner('apps/v1', 'StatefulSet', 'web', 'shop-sts-web');
const webLabels = (ordinal: number): string =>
  `{app: web, controller-revision-hash: web-6985bf7774, statefulset.kubernetes.io/pod-name: web-${ordinal}}`;

const webPods =
  pod({
    name: 'web-0',
    node: 'node-3',
    created: '2026-11-12T09:00:00Z',
    owners: `[${webOwner}]`,
    labels: webLabels(0),
    metadata: `  deletionTimestamp: "2026-11-21T11:48:30Z"\n  deletionGracePeriodSeconds: 30`,
    volumes: '{name: data, persistentVolumeClaim: {claimName: data-web-0}}',
  }) +
  pod({
    name: 'web-2',
    node: 'node-2',
    created: '2026-11-12T09:00:20Z',
    owners: `[${webOwner}]`,
    labels: webLabels(2),
    phase: 'Failed',
    metadata: `  deletionTimestamp: "2026-11-21T11:48:30Z"\n  deletionGracePeriodSeconds: 0\n  finalizers: [example.com/drain]`,
    volumes: '{name: data, persistentVolumeClaim: {claimName: data-web-2}}',
  });

const claims = [0, 1, 2]
  .map(
    ordinal => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-web-${ordinal}
  namespace: shop
  uid: shop-pvc-data-web-${ordinal}
  resourceVersion: "1"
  creationTimestamp: "2026-11-12T09:00:00Z"
  labels: {app: web}
  finalizers: [kubernetes.io/pvc-protection]
spec: {volumeName: pv-web-${ordinal}, storageClassName: fast}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pv-web-${ordinal}
  uid: cluster-pv-web-${ordinal}
  resourceVersion: "1"
  creationTimestamp: "2026-11-12T09:00:00Z"
  finalizers: [kubernetes.io/pv-protection]
spec:
  storageClassName: fast
  persistentVolumeReclaimPolicy: Delete
  csi: {driver: disk.csi.example.com}
  claimRef: {namespace: shop, name: data-web-${ordinal}, uid: shop-pvc-data-web-${ordinal}}
status: {phase: Bound}
---`,
  )
  .join('');

const configMap = (name: string, owners: string, namespace = 'shop', kind = 'ConfigMap'): string => `
apiVersion: v1
kind: ${kind}
metadata: ${meta(name, namespace, '2026-11-16T10:00:00Z')}, ownerReferences: [${owners}]}
---`;

const reference = (apiVersion: string, kind: string, name: string, uid: string): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: ${uid}}`;

/** One of each: cycle, self-owner, dangling uid, mismatch, other namespace, owner kind without a CRD. */
const oddities = [
  configMap('hen', reference('v1', 'ConfigMap', 'egg', 'shop-egg')),
  configMap('egg', reference('v1', 'ConfigMap', 'hen', 'shop-hen')),
  configMap('ouroboros', reference('v1', 'ConfigMap', 'ouroboros', 'shop-ouroboros')),
  configMap('legacy-settings', reference('apps/v1', 'Deployment', 'legacy', 'shop-deploy-legacy')),
  configMap('api-cache', reference('apps/v1', 'Deployment', 'api-v1', 'shop-deploy-api')),
  configMap('widget-theme', reference('widgets.example.com/v1', 'Widget', 'theme', 'gone-widget-theme')),
  configMap('cert-tmp', reference('apps/v1', 'Deployment', 'api', 'shop-deploy-api'), 'infra', 'Secret'),
].join('');

export const shopManifests = `${namespaces}${nodes}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  namespace: shop
  uid: shop-deploy-api
  resourceVersion: "1"
  generation: 6
  creationTimestamp: "2026-10-11T09:00:00Z"
  labels: {app: api}
spec:
  replicas: 3
  selector: {matchLabels: {app: api}}
  template: {metadata: {labels: {app: api}}}
status: {observedGeneration: 6, replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: api-658b5b55dd
  namespace: shop
  uid: shop-rs-api-658b5b55dd
  resourceVersion: "1"
  creationTimestamp: "2026-11-19T11:00:00Z"
  labels: {app: api, pod-template-hash: 658b5b55dd}
  ownerReferences: [${owner('apps/v1', 'Deployment', 'api', 'shop-deploy-api')}]
spec:
  replicas: 3
  selector: {matchLabels: {app: api, pod-template-hash: 658b5b55dd}}
status: {replicas: 3, readyReplicas: 3, availableReplicas: 3}
---
${apiPods}
apiVersion: v1
kind: Service
metadata: ${meta('api', 'shop', '2026-10-11T09:00:00Z')}, labels: {app: api}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: api-x2k9f
  namespace: shop
  uid: shop-eps-api
  resourceVersion: "1"
  creationTimestamp: "2026-10-11T09:00:00Z"
  labels: {app: api, kubernetes.io/service-name: api}
  ownerReferences: [${owner('v1', 'Service', 'api', 'shop-api')}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: web
  namespace: shop
  uid: shop-sts-web
  resourceVersion: "1"
  generation: 3
  creationTimestamp: "2026-11-12T09:00:00Z"
  deletionTimestamp: "2026-11-21T11:48:00Z"
  deletionGracePeriodSeconds: 0
  finalizers: [foregroundDeletion]
  labels: {app: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
  volumeClaimTemplates: [{metadata: {name: data}}]
status: {observedGeneration: 2, replicas: 2, readyReplicas: 0}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: web-6985bf7774
  namespace: shop
  uid: shop-cr-web-6985bf7774
  resourceVersion: "1"
  creationTimestamp: "2026-11-12T09:00:00Z"
  labels: {app: web}
  ownerReferences: [${webOwner}]
revision: 1
---
${webPods}${claims}
apiVersion: batch/v1
kind: CronJob
metadata: ${meta('report', 'shop', '2026-10-20T09:00:00Z')}, labels: {app: report}}
spec: {schedule: "0 * * * *", suspend: false}
status: {}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: report-29412720
  namespace: shop
  uid: shop-job-report-29412720
  resourceVersion: "1"
  creationTimestamp: "2026-11-21T11:00:00Z"
  labels: {app: report}
  ownerReferences: [${owner('batch/v1', 'CronJob', 'report', 'shop-report')}]
spec: {completions: 1, parallelism: 1}
status: {succeeded: 1, conditions: [{type: Complete, status: "True"}]}
---
${pod({
  name: 'report-29412720-c8d2x',
  node: 'node-1',
  created: '2026-11-21T11:00:01Z',
  // The pod with two owners: the Job that made it and the lease that it took.
  owners: `[${owner('batch/v1', 'Job', 'report-29412720', 'shop-job-report-29412720')}, ${reference('v1', 'ConfigMap', 'report-lease', 'shop-report-lease')}]`,
  labels: '{app: report, batch.kubernetes.io/job-name: report-29412720}',
  phase: 'Succeeded',
})}${configMap('report-lease', '')}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: ${meta('databases.shop.example.com', '', '2026-10-11T08:30:00Z')}}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Database, plural: databases, singular: database, shortNames: [db], categories: [all]}
  versions: [{name: v1, served: true, storage: true}]
status: {conditions: [{type: Established, status: "True", reason: InitialNamesAccepted}]}
---
apiVersion: shop.example.com/v1
kind: Database
metadata: ${meta('orders', 'shop', '2026-10-12T09:00:00Z')}, finalizers: [shop.example.com/backup]}
---
${configMap('orders-credentials', owner('shop.example.com/v1', 'Database', 'orders', 'shop-orders'), 'shop', 'Secret')}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: ${meta('read-all', '', '2026-10-12T09:00:00Z')}, ownerReferences: [${reference('apps/v1', 'Deployment', 'api', 'shop-deploy-api')}]}
---${oddities}
`;

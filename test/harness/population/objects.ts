/**
 * The objects of a generated population: shaped like those of a real cluster (probes, tolerations, volumes,
 * labels), because the size of what surrounds the metadata decides what a list costs.
 */

export interface OwnerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
  readonly blockOwnerDeletion: true;
}

export type Manifest = Readonly<Record<string, unknown>>;

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerRef[];
}

export function ownedBy(apiVersion: string, kind: string, name: string, uid: string): OwnerRef[] {
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

export function deployment(metadata: Metadata, replicas: number): Manifest {
  const labels = metadata.labels ?? {};
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '3' }, ...metadata },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels) },
  };
}

export function replicaSet(metadata: Metadata, replicas: number): Manifest {
  const labels = metadata.labels ?? {};
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { annotations: { 'deployment.kubernetes.io/desired-replicas': String(replicas) }, ...metadata },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels) },
  };
}

export function statefulSet(metadata: Metadata, replicas: number): Manifest {
  const labels = metadata.labels ?? {};
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas,
      serviceName: metadata.name,
      selector: { matchLabels: labels },
      template: template(labels),
    },
  };
}

export function controllerRevision(metadata: Metadata, revision: number): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata,
    revision,
    data: { spec: { template: { ...template(metadata.labels ?? {}), $patch: 'replace' } } },
  };
}

export function job(metadata: Metadata, completions: number): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      completions,
      parallelism: completions,
      template: { metadata: {}, spec: { ...podSpec(), restartPolicy: 'Never' } },
    },
  };
}

export function service(metadata: Metadata): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { clusterIP: 'None', selector: metadata.labels, ports: [{ name: 'http', port: 8080 }] },
  };
}

export function endpointSlice(metadata: Metadata): Manifest {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: 'IPv4',
    endpoints: [],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

export function configMap(metadata: Metadata): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { 'settings.yaml': 'level: info\n'.repeat(8) },
  };
}

export function pod(metadata: Metadata, nodeName: string, finished: boolean): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...podSpec(), nodeName, restartPolicy: finished ? 'Never' : 'Always' },
  };
}

/** What a kubelet would report, as the body of a merge patch of `status`. `at` is an RFC 3339 time. */
export function podStatus(finished: boolean, index: number, at: string): Manifest {
  const ready = finished ? 'False' : 'True';
  const conditions = [
    'PodReadyToStartContainers',
    'Initialized',
    'Ready',
    'ContainersReady',
    'PodScheduled',
  ].map(type => ({
    type,
    status: type === 'Ready' || type === 'ContainersReady' ? ready : 'True',
    lastTransitionTime: at,
  }));
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const container = {
    name: 'app',
    image: IMAGE,
    imageID: `${IMAGE}@sha256:${'5b0bcabd1ed22e9f'.repeat(4)}`,
    containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
    ready: !finished,
    started: !finished,
    restartCount: index % 50 === 0 ? 3 : 0,
    state: finished
      ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }
      : { running: { startedAt: at } },
  };
  return {
    status: {
      phase: finished ? 'Succeeded' : 'Running',
      conditions,
      containerStatuses: [container],
      hostIP: '192.168.0.1',
      hostIPs: [{ ip: '192.168.0.1' }],
      podIP: ip,
      podIPs: [{ ip }],
      startTime: at,
      qosClass: 'Burstable',
    },
  };
}

export function node(name: string): Manifest {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } };
}

export function nodeStatus(at: string): Manifest {
  const resources = { cpu: '32', memory: '128Gi', pods: '250' };
  const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map(type => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    reason: type === 'Ready' ? 'KubeletReady' : 'KubeletHasSufficient',
    message: 'kubelet is posting ready status',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  }));
  return { status: { capacity: resources, allocatable: resources, conditions } };
}

const IMAGE = 'registry.example.com/team/app:1.36.3';

function template(labels: Readonly<Record<string, string>>): Manifest {
  return { metadata: { labels }, spec: podSpec() };
}

function podSpec(): Manifest {
  const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 };
  return {
    containers: [
      {
        name: 'app',
        image: IMAGE,
        args: ['--config=/etc/app/settings.yaml', '--listen=:8080'],
        env: [
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'LOG_LEVEL', value: 'info' },
        ],
        ports: [{ name: 'http', containerPort: 8080 }],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        readinessProbe: probe,
        livenessProbe: probe,
        volumeMounts: [{ name: 'settings', mountPath: '/etc/app' }],
      },
    ],
    volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
    tolerations: ['not-ready', 'unreachable'].map(taint => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
  };
}

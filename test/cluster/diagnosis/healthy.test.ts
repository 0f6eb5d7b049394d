/**
 * A healthy cluster has nothing to warn of: not at rest with ordinary workloads of every kind, not while they are
 * rolled out and scaled, and not while they are deleted.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { Source } from '../../../src/source/source.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';

/** Everything that was ever found above `info`, with the moment's message. */
class Watched {
  readonly found = new Map<string, string>();
  readonly #view = new ClusterView();
  #source: Source | undefined;
  #diagnosis: Diagnosis | undefined;
  #timer: NodeJS.Timeout | undefined;

  async start(kubeconfig: string): Promise<void> {
    const source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
    this.#source = source;
    await source.start(batch => {
      const now = Date.now();
      const changes = this.#view.apply(batch, now);
      this.#diagnosis?.apply(changes, now);
      this.#look();
    });
    await source.graphComplete;
    await source.factsComplete;
    this.#diagnosis = diagnoseCluster(this.#view, Date.now());
    this.#look();
    this.#timer = setInterval(() => {
      this.#diagnosis?.advance(Date.now());
      this.#look();
    }, 250);
  }

  /** How many objects the view holds, so that an empty view doesn't pass for a healthy one. */
  get objects(): number {
    return this.#view.graph.size;
  }

  get complete(): boolean {
    return this.#view.complete;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#source?.close();
  }

  #look(): void {
    for (const { code, severity, object, message } of this.#diagnosis?.all() ?? []) {
      if (severity === 'info') continue;
      this.found.set(`${severity} ${code} ${object.kind} ${object.namespace}/${object.name}`, message);
    }
  }
}

const container = `
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: example.com/app:1}]`;

const workloads = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: app, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: app, namespace: shop}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: app, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: app}
subjects: [{kind: ServiceAccount, name: app}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:${container}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop}
spec: {selector: {app: api}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: api, namespace: shop}
spec: {defaultBackend: {service: {name: api, port: {number: 80}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: api, namespace: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: api}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: api, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}
  minReplicas: 3
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-0}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: disks, hostPath: {path: /nowhere}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: disks, hostPath: {path: /nowhere}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:${container}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {storageClassName: disks, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: shop}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:${container}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old, namespace: shop}
spec:
  replicas: 1
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec:${container}
---
apiVersion: batch/v1
kind: Job
metadata: {name: import, namespace: shop}
spec:
  completions: 2
  parallelism: 2
  template:
    spec:
      restartPolicy: Never${container}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          containers: [{name: app, image: example.com/app:1}]
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: shop}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: app, image: example.com/app:1}]
`;

let cluster: Cluster;
const watched = new Watched();

async function fieldOf(what: string, path: string): Promise<string> {
  return cluster.kubectl(['get', what, '-n', 'shop', '-o', `jsonpath={${path}}`]);
}

async function allReady(): Promise<void> {
  await eventually(async () => {
    expect(await fieldOf('deployment/api', '.status.updatedReplicas},{.status.availableReplicas')).toBe(
      '3,3',
    );
    expect(await fieldOf('deployment/api', '.status.replicas')).toBe('3');
    expect(await fieldOf('statefulset/db', '.status.updatedReplicas},{.status.readyReplicas')).toBe('2,2');
    expect(await fieldOf('daemonset/agent', '.status.updatedNumberScheduled},{.status.numberReady')).toBe(
      '2,2',
    );
  });
}

beforeAll(async () => {
  cluster = await startControlPlane({ nodes: 2 });
  await cluster.apply(workloads);
  await allReady();
  await eventually(async () => expect(await fieldOf('job/import', '.status.succeeded')).toBe('2'));
  await watched.start(await cluster.kubeconfig());
});
afterAll(async () => {
  await watched.stop();
  await cluster.stop();
});

describe('nothing above info is found', () => {
  test('at rest, with workloads of every kind', async () => {
    await eventually(async () => {
      const jobs = await cluster.kubectl(['get', 'jobs', '-n', 'shop', '-o', 'name']);
      expect(jobs).toContain('report-');
    });
    expect(watched.complete).toBe(true);
    expect(watched.objects).toBeGreaterThan(200);
    expect(Object.fromEntries(watched.found)).toEqual({});
  });

  test('while everything is rolled out anew and scaled', async () => {
    for (const what of ['deployment/api', 'statefulset/db', 'daemonset/agent']) {
      await cluster.kubectl(['rollout', 'restart', what, '-n', 'shop']);
    }
    await cluster.kubectl(['scale', 'rc/old', '-n', 'shop', '--replicas=3']);
    await allReady();
    await cluster.kubectl(['scale', 'statefulset/db', '-n', 'shop', '--replicas=1']);
    await cluster.kubectl(['rollout', 'undo', 'deployment/api', '-n', 'shop']);
    await eventually(async () => expect(await fieldOf('statefulset/db', '.status.replicas')).toBe('1'));
    expect(Object.fromEntries(watched.found)).toEqual({});
  });

  test('while workloads are deleted, in the background and in the foreground', async () => {
    const gone = async (what: string, cascade: string): Promise<void> => {
      await cluster.kubectl(['delete', what, '-n', 'shop', `--cascade=${cascade}`]);
    };
    await gone('pod/alone', 'background');
    await gone('deployment/api', 'background');
    await gone('statefulset/db', 'foreground');
    await gone('job/import', 'foreground');
    await gone('rc/old', 'background');
    await gone('pvc/data-db-0', 'background');
    await cluster.kubectl(['delete', 'namespace', 'shop']);
    expect(Object.fromEntries(watched.found)).toEqual({});
  });

  test('until there is something to find', async () => {
    const owner = '{apiVersion: v1, kind: ConfigMap, name: gone, uid: 00000000-0000-4000-8000-000000000000}';
    await cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: wrong, ownerReferences: [${owner}]}
`);
    await eventually(() =>
      expect([...watched.found.keys()]).toEqual(['error NamespacedOwnerOfClusterScoped ClusterRole /wrong']),
    );
  });
});

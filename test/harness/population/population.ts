/**
 * Fills a real API server with a generated population: one namespace through ordinary writes, so that managed fields and
 * encoding are the server's own, the others as copies of it. The controller manager and the scheduler have to be off.
 */
import type { ApiClient } from '../api-client.ts';
import type { Cluster } from '../cluster.ts';
import { copyNamespace } from './copies.ts';
import {
  configMap,
  controllerRevision,
  deployment,
  endpointSlice,
  job,
  type Manifest,
  type Metadata,
  node,
  nodeStatus,
  ownedBy,
  pod,
  podStatus,
  replicaSet,
  service,
  statefulSet,
} from './objects.ts';
import { namespaceName, nodeName } from './template.ts';

export interface PopulationOptions {
  readonly pods: number;
  /** Called now and then with the number of pods written so far. */
  readonly progress?: (pods: number) => void;
}

/** A workload that becomes one ownership tree. Of 40 pods, 25 belong to Deployments, 10 to StatefulSets. */
interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job';
  readonly namespace: string;
  readonly name: string;
  readonly pods: number;
  /** Number of the first of its pods in the namespace, which spreads them over nodes. */
  readonly first: number;
}

const WORKLOADS_AT_ONCE = 12;

/** Pods of a namespace, and of a node. Of 400 pods in one, a StatefulSet has 5. */
export const PODS_IN_NAMESPACE = 400;
const PODS_ON_NODE = 100;
export const NODES_OF_NAMESPACE = PODS_IN_NAMESPACE / PODS_ON_NODE;

/**
 * Resolves when everything is written: in `team-00001` exactly 400 pods, where there are so many, and the rest in the
 * last namespace. The same number makes the same names and shapes each time. The API server is stopped for the
 * copies, and is not started where nothing is left to write: reading so much takes it as long as writing did.
 */
export async function populate(
  cluster: Pick<Cluster, 'api' | 'component' | 'etcd'>,
  { pods, progress = () => {} }: PopulationOptions,
): Promise<void> {
  const writer = new Writer(cluster.api);
  await writer.room(1, Math.min(pods, PODS_IN_NAMESPACE));
  const whole = Math.floor(pods / PODS_IN_NAMESPACE);
  if (whole > 1) {
    await cluster.component('kube-apiserver').kill();
    await copyNamespace({
      etcd: cluster.etcd,
      nodes: NODES_OF_NAMESPACE,
      namespaces: whole,
      progress: namespaces => progress(namespaces * PODS_IN_NAMESPACE),
    });
  }
  if (whole === 0 || pods % PODS_IN_NAMESPACE === 0) return;
  if (whole > 1) await cluster.component('kube-apiserver').start();
  await writer.room(whole + 1, pods % PODS_IN_NAMESPACE);
}

/** Workloads of a namespace that hold exactly `pods` pods. */
function planWorkloads(namespace: string, pods: number): Workload[] {
  const cycle = [
    { kind: 'Deployment', size: 10 },
    { kind: 'StatefulSet', size: 5 },
    { kind: 'Deployment', size: 10 },
    { kind: 'Job', size: 2 },
    { kind: 'StatefulSet', size: 5 },
    { kind: 'Deployment', size: 5 },
    { kind: 'Job', size: 3 },
  ] as const;
  const workloads: Workload[] = [];
  for (let first = 0, turn = 0; first < pods; turn += 1) {
    // The length is positive, so the remainder is a valid index.
    const { kind, size } = cycle[turn % cycle.length] as (typeof cycle)[number];
    const count = Math.min(size, pods - first);
    workloads.push({ kind, namespace, name: `${kind.toLowerCase()}-${turn + 1}`, pods: count, first });
    first += count;
  }
  return workloads;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: WORKLOADS_AT_ONCE }, worker));
}

class Writer {
  readonly #api: ApiClient;
  readonly #now = new Date().toISOString().replace(/\.\d+/, '');
  /** Number of the first node of the namespace that is being filled. */
  #firstNode = 1;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** The namespace of this number, and nodes for its pods. */
  async room(number: number, pods: number): Promise<void> {
    this.#firstNode = 1 + (number - 1) * NODES_OF_NAMESPACE;
    const nodes = Array.from({ length: Math.ceil(pods / PODS_ON_NODE) }, (_, index) =>
      nodeName(this.#firstNode + index),
    );
    await inParallel(nodes, name => this.#node(name));
    const namespace = namespaceName(number);
    await this.#namespace(namespace);
    await inParallel(planWorkloads(namespace, pods), workload => this.#workload(workload));
  }

  async #node(name: string): Promise<void> {
    await this.#create('/api/v1/nodes', node(name));
    await this.#status(`/api/v1/nodes/${name}`, nodeStatus(this.#now), 'kubelet');
  }

  async #namespace(name: string): Promise<void> {
    await this.#create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await this.#create(
      `/api/v1/namespaces/${name}/configmaps`,
      configMap({ name: 'settings', namespace: name }),
    );
  }

  #workload(workload: Workload): Promise<void> {
    switch (workload.kind) {
      case 'Deployment':
        return this.#deployment(workload);
      case 'StatefulSet':
        return this.#statefulSet(workload);
      case 'Job':
        return this.#job(workload);
    }
  }

  /** With two ReplicaSets of earlier roll-outs, which real ones keep. */
  async #deployment({ name, namespace, pods, first }: Workload): Promise<void> {
    const labels = { app: name, 'app.kubernetes.io/part-of': namespace };
    const path = `/apis/apps/v1/namespaces/${namespace}`;
    const uid = await this.#create(`${path}/deployments`, deployment({ name, namespace, labels }, pods));
    await this.#status(`${path}/deployments/${name}`, replicas(pods, { updatedReplicas: pods }));
    const sets = [0, 0, pods].map(async (count, index) => {
      const hash = suffix(first + index, 10);
      const metadata: Metadata = {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...labels, 'pod-template-hash': hash },
        ownerReferences: ownedBy('apps/v1', 'Deployment', name, uid),
      };
      const setUid = await this.#create(`${path}/replicasets`, replicaSet(metadata, count));
      if (count === 0) return;
      await this.#status(`${path}/replicasets/${metadata.name}`, replicas(count, {}));
      const owners = ownedBy('apps/v1', 'ReplicaSet', metadata.name, setUid);
      await this.#pods(
        Array.from({ length: count }, (_, pod) => ({
          ...metadata,
          name: `${metadata.name}-${suffix(first + pod, 5)}`,
          ownerReferences: owners,
        })),
        first,
        false,
      );
    });
    await Promise.all(sets);
    await this.#service(name, namespace, labels);
  }

  async #statefulSet({ name, namespace, pods, first }: Workload): Promise<void> {
    const labels = { app: name, 'app.kubernetes.io/part-of': namespace };
    const path = `/apis/apps/v1/namespaces/${namespace}`;
    const uid = await this.#create(`${path}/statefulsets`, statefulSet({ name, namespace, labels }, pods));
    await this.#status(`${path}/statefulsets/${name}`, replicas(pods, { currentReplicas: pods }));
    const ownerReferences = ownedBy('apps/v1', 'StatefulSet', name, uid);
    const revision = (index: number) => `${name}-${suffix(first + index, 10)}`;
    const revisions = [1, 2].map(index =>
      this.#create(
        `${path}/controllerrevisions`,
        controllerRevision({ name: revision(index), namespace, labels, ownerReferences }, index),
      ),
    );
    await Promise.all(revisions);
    await this.#pods(
      Array.from({ length: pods }, (_, ordinal) => ({
        name: `${name}-${ordinal}`,
        namespace,
        labels: {
          ...labels,
          'statefulset.kubernetes.io/pod-name': `${name}-${ordinal}`,
          'apps.kubernetes.io/pod-index': String(ordinal),
          'controller-revision-hash': revision(2),
        },
        ownerReferences,
      })),
      first,
      false,
    );
    await this.#service(name, namespace, labels);
  }

  async #job({ name, namespace, pods, first }: Workload): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    const uid = await this.#create(path, job({ name, namespace }, pods));
    const labels = { 'batch.kubernetes.io/job-name': name, 'batch.kubernetes.io/controller-uid': uid };
    const ownerReferences = ownedBy('batch/v1', 'Job', name, uid);
    await this.#pods(
      Array.from({ length: pods }, (_, index) => ({
        name: `${name}-${suffix(first + index, 5)}`,
        namespace,
        labels,
        ownerReferences,
      })),
      first,
      true,
    );
  }

  async #service(name: string, namespace: string, labels: Readonly<Record<string, string>>): Promise<void> {
    const uid = await this.#create(
      `/api/v1/namespaces/${namespace}/services`,
      service({ name, namespace, labels }),
    );
    const slice: Metadata = {
      name: `${name}-slice`,
      namespace,
      labels: { 'kubernetes.io/service-name': name },
      ownerReferences: ownedBy('v1', 'Service', name, uid),
    };
    await this.#create(
      `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
      endpointSlice(slice),
    );
  }

  async #pods(pods: readonly Metadata[], first: number, finished: boolean): Promise<void> {
    const written = pods.map(async (metadata, index) => {
      const number = first + index;
      const path = `/api/v1/namespaces/${metadata.namespace}/pods`;
      await this.#create(
        path,
        pod(metadata, nodeName(this.#firstNode + Math.floor(number / PODS_ON_NODE)), finished),
      );
      await this.#status(`${path}/${metadata.name}`, podStatus(finished, number, this.#now), 'kubelet');
    });
    await Promise.all(written);
  }

  /** Resolves with the uid. */
  async #create(path: string, body: Manifest): Promise<string> {
    const created = await this.#api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: `${path}?fieldManager=kube-controller-manager`,
      body,
    });
    return created.metadata.uid;
  }

  async #status(path: string, body: Manifest, manager = 'kube-controller-manager'): Promise<void> {
    await this.#api.json({
      method: 'PATCH',
      path: `${path}/status?fieldManager=${manager}`,
      contentType: 'application/merge-patch+json',
      body,
    });
  }
}

function replicas(count: number, more: Manifest): Manifest {
  return {
    status: {
      replicas: count,
      readyReplicas: count,
      availableReplicas: count,
      observedGeneration: 1,
      ...more,
    },
  };
}

/** A name suffix as Kubernetes would make it at random, but the same each time. */
function suffix(number: number, length: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let text = '';
  for (let value = Math.imul(number + 1, 2654435761) >>> 0; text.length < length; ) {
    text += letters[value % letters.length];
    value = Math.imul(value ^ (value >>> 13), 1103515245) >>> 0;
  }
  return `${text.slice(0, Math.max(0, length - 5))}${tail(number, Math.min(5, length))}`;
}

/** Distinct for distinct numbers below 27⁵, which random suffixes are not. */
function tail(number: number, length: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let text = '';
  for (let value = number; text.length < length; value = Math.floor(value / letters.length)) {
    text = letters[value % letters.length] + text;
  }
  return text;
}

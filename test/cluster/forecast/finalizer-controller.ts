/**
 * A small real controller that removes a finalizer from what is being deleted: as its ServiceAccount, and only while a
 * pod of its Deployment runs. What a handler is to a forecast.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { ApiClient } from '../../harness/api-client.ts';
import type { Cluster } from '../../harness/cluster.ts';

export interface ControllerOptions {
  readonly cluster: Cluster;
  /** Of its Deployment and its ServiceAccount. */
  readonly namespace: string;
  readonly name: string;
  readonly finalizer: string;
  /** What it watches, of the core group: `configmaps`. */
  readonly resource: string;
  /** It runs beside the cluster, as administrator, and has no Deployment. */
  readonly outside?: boolean;
}

const PAUSE_MS = 200;

/** Of a controller called so: its ServiceAccount with permissions on ConfigMaps everywhere, and a Deployment of one pod. */
export function controllerManifests({
  namespace,
  name,
}: Pick<ControllerOptions, 'namespace' | 'name'>): string {
  const labels = `{app: ${name}}`;
  return `
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${namespace}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${namespace}-${name}}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${namespace}-${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${namespace}-${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: 1
  selector: {matchLabels: ${labels}}
  template:
    metadata: {labels: ${labels}}
    spec:
      serviceAccountName: ${name}
      terminationGracePeriodSeconds: 1
      containers: [{name: manager, image: registry.example.com/manager}]
`;
}

export class FinalizerController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #running: Promise<void>;
  #works = false;
  #stopped = false;
  /** Requests that the API server refused. */
  refusals = 0;

  private constructor(options: ControllerOptions, client: ApiClient) {
    this.#options = options;
    this.#client = client;
    this.#running = this.#run();
  }

  /** With a token of its ServiceAccount; looks on until `work` is called. */
  static async start(options: ControllerOptions): Promise<FinalizerController> {
    const { cluster, namespace, name, outside = false } = options;
    if (outside) return new FinalizerController(options, cluster.api);
    const token = (await cluster.kubectl(['create', 'token', name, '-n', namespace])).trim();
    const client = new ApiClient({ server: cluster.server, ca: readFileSync(cluster.tls.ca), token });
    return new FinalizerController(options, client);
  }

  /** From now on it removes the finalizer wherever it may. */
  work(): void {
    this.#works = true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (this.#works && (await this.#isUp())) await this.#round();
      } catch {
        // A request got no answer. It tries again, as controllers do.
      }
      await sleep(PAUSE_MS);
    }
  }

  async #isUp(): Promise<boolean> {
    const { cluster, namespace, name, outside = false } = this.#options;
    if (outside) return true;
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`;
    const { items } = await cluster.api.json<JsonRecord>({ path });
    return list(items)
      .map(record)
      .some(pod => {
        const { deletionTimestamp } = record(pod['metadata']);
        return deletionTimestamp === undefined && text(record(pod['status'])['phase']) === 'Running';
      });
  }

  async #round(): Promise<void> {
    const { finalizer, resource } = this.#options;
    for (const object of await this.#items(`/api/v1/${resource}`)) {
      const { name, namespace, deletionTimestamp, finalizers } = record(object['metadata']);
      const held = list(finalizers).map(text);
      if (deletionTimestamp === undefined || !held.includes(finalizer)) continue;
      const { status } = await this.#client.send({
        method: 'PATCH',
        path: `/api/v1/namespaces/${text(namespace)}/${resource}/${text(name)}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: held.filter(each => each !== finalizer) } },
      });
      if (status > 299) this.refusals += 1;
    }
  }

  async #items(path: string): Promise<readonly JsonRecord[]> {
    const { status, body } = await this.#client.send({ path });
    if (status > 299) this.refusals += 1;
    return status > 299 ? [] : list(record(JSON.parse(body))['items']).map(record);
  }
}

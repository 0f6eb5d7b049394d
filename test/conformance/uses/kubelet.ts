/**
 * A kubelet without containers, which starts a pod only if everything that it names is there, and a provisioner of
 * volumes. Both decide by what the API server answers, not by what the product says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { ApiClient, WatchEvent } from '../../harness/api-client.ts';
import { ENDS_LABEL, PROVISIONER } from './random-uses.ts';

const NODE = 'kubelet-1';
const MERGE = 'application/merge-patch+json';
const HEARTBEAT_MS = 10_000;
/** Its images need a pull secret. */
const PRIVATE_REGISTRY = 'private.example/';
/** Its images arrive once `pullSlowImages` is called. */
const SLOW_REGISTRY = 'slow.example/';
/** A pod that could not start is tried again after so long. */
const RETRY_MS = 1500;

export class Kubelet {
  readonly #api: ApiClient;
  readonly #pods = new Map<string, JsonRecord>();
  /** Pods that are being started, or were. */
  readonly #begun = new Set<string>();
  readonly #closers: (() => void)[] = [];
  #isHeld = false;
  #isStopped = false;
  #isPulling = true;
  #changedAt = Date.now();
  #next = 1;
  trouble = '';

  private constructor(api: ApiClient) {
    this.#api = api;
  }

  static async start(api: ApiClient): Promise<Kubelet> {
    const kubelet = new Kubelet(api);
    await kubelet.#register();
    kubelet.#follow('/api/v1/pods', event => kubelet.#onPod(event));
    kubelet.#follow('/api/v1/persistentvolumeclaims', event => kubelet.#onClaim(event));
    void kubelet.#tick(RETRY_MS, () => kubelet.#startAll());
    void kubelet.#tick(HEARTBEAT_MS, () => kubelet.#renew());
    return kubelet;
  }

  /** Starts no more pods until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#startAll();
  }

  pods(): readonly JsonRecord[] {
    return [...this.#pods.values()];
  }

  /** Resolves after `quiet` milliseconds without a change of a pod. */
  async rest(quiet: number): Promise<void> {
    this.#changedAt = Math.max(this.#changedAt, Date.now() - quiet / 2);
    for (let left = quiet; left > 0; left = this.#changedAt + quiet - Date.now()) await sleep(left);
  }

  /** Lists what a new container of the pod would lack. */
  missingForContainer(pod: JsonRecord): Promise<readonly string[]> {
    const { initContainers, containers } = record(pod['spec']);
    return this.#missing(pod, neededBy([...list(initContainers), ...list(containers)].map(record)));
  }

  /** Has the images of the slow registry at last. */
  pullSlowImages(): void {
    this.#isPulling = false;
    this.#startAll();
  }

  stop(): void {
    this.#isStopped = true;
    for (const close of this.#closers) close();
  }

  async #register(): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } };
    await this.#api.json({ method: 'POST', path: '/api/v1/nodes', body });
    const room = { cpu: '100k', memory: '100Ti', pods: '100k' };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
    const status = { capacity: room, allocatable: room, conditions };
    await this.#patch(`/api/v1/nodes/${NODE}`, { status });
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: NODE },
      spec: this.#beat(),
    };
    await this.#api.json({ method: 'POST', path: LEASES, body: lease });
  }

  #beat(): JsonRecord {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    return { holderIdentity: NODE, leaseDurationSeconds: 40, renewTime };
  }

  async #renew(): Promise<void> {
    await this.#api.json({
      method: 'PATCH',
      path: `${LEASES}/${NODE}`,
      contentType: MERGE,
      body: { spec: this.#beat() },
    });
  }

  #follow(path: string, on: (event: WatchEvent<JsonRecord>) => void): void {
    const open = (): void => {
      if (!this.#isStopped) this.#closers.push(this.#api.watch<JsonRecord>(`${path}?watch=1`, on, open));
    };
    open();
  }

  async #tick(every: number, act: () => unknown): Promise<void> {
    while (!this.#isStopped) {
      try {
        await act();
      } catch (error) {
        this.trouble = String(error);
      }
      await sleep(every);
    }
  }

  #onPod({ type, object }: WatchEvent<JsonRecord>): void {
    const { uid, deletionTimestamp } = record(object['metadata']);
    const id = text(uid);
    if (id === '') return;
    this.#changedAt = Date.now();
    if (type === 'DELETED') return void this.#pods.delete(id);
    this.#pods.set(id, object);
    if (text(record(object['spec'])['nodeName']) !== NODE) return;
    if (deletionTimestamp !== undefined) this.#do(() => this.#end(object));
    else if (!this.#isHeld && !this.#begun.has(id)) this.#do(() => this.#begin(object));
  }

  #do(act: () => Promise<void>): void {
    void act().catch(error => {
      if (!this.#isStopped) this.trouble = String(error);
    });
  }

  #startAll(): void {
    if (this.#isHeld) return;
    for (const [uid, pod] of this.#pods) {
      const { deletionTimestamp } = record(pod['metadata']);
      const isOurs = text(record(pod['spec'])['nodeName']) === NODE && deletionTimestamp === undefined;
      if (isOurs && !this.#begun.has(uid)) this.#do(() => this.#begin(pod));
      else if (isOurs) this.#do(() => this.#startEphemeral(pod));
    }
  }

  async #end(pod: JsonRecord): Promise<void> {
    const body = { gracePeriodSeconds: 0, preconditions: { uid: record(pod['metadata'])['uid'] } };
    await this.#api.send({ method: 'DELETE', path: pathOf(pod), body });
  }

  async #begin(pod: JsonRecord): Promise<void> {
    const { uid, labels } = record(pod['metadata']);
    const id = text(uid);
    this.#begun.add(id);
    try {
      const unmounted = await this.#missingVolumes(pod);
      const refused = await this.#refusedImages(pod);
      for (const [reason, missing] of [
        ['ContainerCreating', unmounted],
        ['ImagePullBackOff', refused],
        ['CreateContainerConfigError', await this.missingForContainer(pod)],
      ] as const) {
        if (missing.length === 0) continue;
        await this.#report(pod, waiting(pod, reason, missing.join(', ')));
        this.#begun.delete(id);
        return;
      }
      await this.#report(pod, this.#running(pod));
      if (record(labels)[ENDS_LABEL] !== undefined) await this.#report(pod, ended(pod));
    } catch (error) {
      this.#begun.delete(id);
      throw error;
    }
  }

  async #report(pod: JsonRecord, status: JsonRecord): Promise<void> {
    const before = record(this.#pods.get(text(record(pod['metadata'])['uid']))?.['status']);
    const said = (of: JsonRecord): string =>
      JSON.stringify([of['phase'], list(of['containerStatuses']).map(each => record(each)['state'])]);
    if (said(before) !== said(status)) await this.#patch(pathOf(pod), { status });
  }

  #missingVolumes(pod: JsonRecord): Promise<readonly string[]> {
    const needed = list(record(pod['spec'])['volumes'])
      .map(record)
      .flatMap(
        ({ configMap, secret, projected, persistentVolumeClaim, csi, iscsi, azureFile, ...others }) => [
          ['configmaps', configMap],
          ['secrets', secret],
          ['persistentvolumeclaims', persistentVolumeClaim],
          ['secrets', record(csi)['nodePublishSecretRef']],
          ['secrets', azureFile],
          // Only an initiator that logs in to its target needs the credentials.
          ...(record(iscsi)['chapAuthSession'] === true || record(iscsi)['chapAuthDiscovery'] === true
            ? [['secrets', record(iscsi)['secretRef']]]
            : []),
          ...Object.values(others).map(each => ['secrets', record(each)['secretRef']]),
          ...list(record(projected)['sources'])
            .map(record)
            .flatMap(each => [
              ['configmaps', each['configMap']],
              ['secrets', each['secret']],
              ['clustertrustbundles', each['clusterTrustBundle']],
            ]),
        ],
      );
    return this.#missing(pod, needed as [string, unknown][]);
  }

  /** Lists images of a private registry that no pull secret of the pod opens; those that are missing are passed over. */
  async #refusedImages({ metadata, spec }: JsonRecord): Promise<readonly string[]> {
    const { containers, imagePullSecrets } = record(spec);
    const images = list(containers).map(each => text(record(each)['image']));
    const refused = images.filter(each => each.startsWith(PRIVATE_REGISTRY));
    if (refused.length === 0) return [];
    const { namespace } = record(metadata);
    for (const each of list(imagePullSecrets)) {
      const path = `/api/v1/namespaces/${text(namespace)}/secrets/${text(record(each)['name'])}`;
      if ((await this.#api.send({ path })).status === 200) return [];
    }
    return refused;
  }

  async #missing(pod: JsonRecord, needed: readonly [string, unknown][]): Promise<readonly string[]> {
    const namespace = text(record(pod['metadata'])['namespace']);
    const missing: string[] = [];
    for (const [resource, reference] of needed) {
      const { name, secretName, claimName, optional } = record(reference);
      const named = text(name) || text(secretName) || text(claimName);
      if (named === '' || optional === true) continue;
      const place = wide[resource] ?? `/api/v1/namespaces/${namespace}`;
      const { status } = await this.#api.send({ path: `${place}/${resource}/${named}` });
      if (status === 404) missing.push(`${resource} ${named}`);
      else if (status !== 200) throw new Error(`${resource} ${named}: ${status}`);
    }
    return missing;
  }

  /** Starts each once, as soon as its image is there: they are never started again. */
  async #startEphemeral(pod: JsonRecord): Promise<void> {
    const asked = list(record(pod['spec'])['ephemeralContainers']).map(record);
    const before = list(record(pod['status'])['ephemeralContainerStatuses']).map(record);
    if (asked.every(({ name }) => before.some(each => each['name'] === name && isCreated(each)))) return;
    const statuses: JsonRecord[] = [];
    for (const each of asked) {
      const known = before.find(({ name }) => name === each['name']);
      const missing = await this.#missing(pod, neededBy([each]));
      const waits = text(each['image']).startsWith(SLOW_REGISTRY) && this.#isPulling ? 'Pulling' : undefined;
      const reason = waits ?? (missing.length > 0 ? 'CreateContainerConfigError' : undefined);
      const { name, image } = each;
      const now =
        reason === undefined
          ? { ready: true, containerID: `fake://${text(name)}`, state: { running: {} } }
          : { ready: false, state: { waiting: { reason } } };
      statuses.push(
        known && isCreated(known) ? known : { name, image, imageID: '', restartCount: 0, ...now },
      );
    }
    if (JSON.stringify(statuses.map(reasonOf)) === JSON.stringify(before.map(reasonOf))) return;
    await this.#patch(pathOf(pod), { status: { ephemeralContainerStatuses: statuses } });
  }

  #running(pod: JsonRecord): JsonRecord {
    const number = this.#next++;
    const podIP = `10.${1 + (number >> 16)}.${(number >> 8) % 256}.${number % 256}`;
    return {
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(type => ({
        type,
        status: 'True',
      })),
      containerStatuses: statuses(pod, true, { running: {} }),
    };
  }

  /** Makes the volume of a claim whose StorageClass has this provisioner. */
  #onClaim({ type, object }: WatchEvent<JsonRecord>): void {
    const { metadata, spec, status } = object;
    const { namespace, name, uid, annotations, labels } = record(metadata);
    const provisioner = record(annotations)['volume.kubernetes.io/storage-provisioner'];
    const isUnmade = record(labels)['volume'] === 'none' || text(record(status)['phase']) !== 'Pending';
    if (type === 'DELETED' || provisioner !== PROVISIONER || isUnmade) return;
    const { accessModes, resources, storageClassName } = record(spec);
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
    const body = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${text(uid)}`, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
      spec: {
        accessModes,
        storageClassName,
        claimRef,
        capacity: record(resources)['requests'],
        hostPath: { path: '/data' },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    };
    this.#do(async () => {
      await this.#api.send({ method: 'POST', path: '/api/v1/persistentvolumes', body });
    });
  }

  async #patch(path: string, body: JsonRecord): Promise<void> {
    const { status, body: answer } = await this.#api.send({
      method: 'PATCH',
      path: `${path}/status`,
      contentType: MERGE,
      body,
    });
    if (status >= 300 && status !== 404) throw new Error(`${path}: ${status} ${answer.slice(0, 300)}`);
  }
}

const wide: Readonly<Record<string, string>> = {
  clustertrustbundles: '/apis/certificates.k8s.io/v1beta1',
};
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Lists the references of containers' environments. */
function neededBy(containers: readonly JsonRecord[]): [string, unknown][] {
  return containers.flatMap(({ env, envFrom }) => [
    ...list(envFrom)
      .map(record)
      .flatMap((each): [string, unknown][] => [
        ['configmaps', each['configMapRef']],
        ['secrets', each['secretRef']],
      ]),
    ...list(env)
      .map(each => record(record(each)['valueFrom']))
      .flatMap((each): [string, unknown][] => [
        ['configmaps', each['configMapKeyRef']],
        ['secrets', each['secretKeyRef']],
      ]),
  ]);
}

function isCreated({ containerID }: JsonRecord): boolean {
  return containerID !== undefined;
}

function reasonOf({ state }: JsonRecord): string {
  return text(record(record(state)['waiting'])['reason']);
}

function pathOf({ metadata }: JsonRecord): string {
  const { namespace, name } = record(metadata);
  return `/api/v1/namespaces/${text(namespace)}/pods/${text(name)}`;
}

function statuses(pod: JsonRecord, ready: boolean, state: JsonRecord): JsonRecord[] {
  return list(record(pod['spec'])['containers']).map(each => {
    const { name, image } = record(each);
    return { name, image, imageID: '', ready, restartCount: 0, state };
  });
}

function waiting(pod: JsonRecord, reason: string, message: string): JsonRecord {
  return {
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False' },
    ],
    containerStatuses: statuses(pod, false, { waiting: { reason, message } }),
  };
}

function ended(pod: JsonRecord): JsonRecord {
  return {
    phase: 'Succeeded',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False', reason: 'PodCompleted' },
    ],
    containerStatuses: statuses(pod, false, { terminated: { exitCode: 0, reason: 'Completed' } }),
  };
}

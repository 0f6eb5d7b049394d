/** What survived its controller is adopted by one that is created again from a ControllerRevision, a ReplicaSet or pods. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { type Actor, deleting, openActor } from '../actions/acting.ts';
import { settled } from '../settled.ts';

const names = ['cache-0', 'cache-1', 'cache-2'];

/** Fields of many kinds, so that a template that lost one would restart the pods. */
const cache = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: cache, namespace: default}
spec:
  replicas: 3
  serviceName: cache-peers
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: cache}}
  template:
    metadata:
      labels: {app: cache, tier: data}
      annotations: {example.com/note: "1"}
    spec:
      terminationGracePeriodSeconds: 1
      tolerations: [{key: example.com/slow, operator: Exists}]
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - {weight: 1, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}
      containers:
        - name: app
          image: registry.example.com/cache:1
          env: [{name: MODE, value: fast}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
          resources: {requests: {cpu: 10m, memory: 1Mi}}
          ports: [{containerPort: 6379}]
          readinessProbe: {tcpSocket: {port: 6379}}
          volumeMounts: [{name: scratch, mountPath: /scratch}, {name: data, mountPath: /data}]
      volumes: [{name: scratch, emptyDir: {}}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], storageClassName: by-hand, resources: {requests: {storage: 1Mi}}}
`;

/** With a projected token, tolerations and a priority that the API server adds to its pods. */
const api = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: default, annotations: {example.com/team: shop}}
spec:
  replicas: 2
  minReadySeconds: 1
  selector: {matchLabels: {app: api}}
  template:
    metadata:
      labels: {app: api, tier: front}
      annotations: {example.com/note: "1"}
    spec:
      terminationGracePeriodSeconds: 1
      tolerations: [{key: example.com/slow, operator: Exists}]
      initContainers: [{name: first, image: "registry.example.com/first:1"}]
      containers:
        - name: app
          image: registry.example.com/api:1
          env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
          resources: {requests: {cpu: 10m, memory: 1Mi}}
          ports: [{containerPort: 8080}]
          livenessProbe: {httpGet: {port: 8080}}
          volumeMounts: [{name: scratch, mountPath: /scratch}]
      volumes: [{name: scratch, emptyDir: {}}]
`;

const volumes = names.map(
  name => `
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: of-${name}}
spec:
  storageClassName: by-hand
  accessModes: [ReadWriteOnce]
  capacity: {storage: 2Mi}
  hostPath: {path: /tmp/of-${name}}`,
);

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('adoption of survivors', () => {
  let cluster: Cluster;
  let actor: Actor;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-journal-'));
    guardFolder(folder);
    await cluster.apply(cache + volumes.join(''));
    await settled(cluster, 'default');
    actor = await openActor({ kubeconfig: await cluster.kubeconfig(), folder });
  });
  afterAll(async () => {
    await actor?.close();
    await cluster?.stop();
  });

  async function pods(): Promise<readonly { uid: string; owners: readonly string[] }[]> {
    const found = await Promise.all(names.map(name => actor.find('Pod', 'default', name)));
    return found.map(({ uid, owners }) => ({ uid, owners: owners.map(each => each.uid) }));
  }

  async function adopt(target: KubeObject, id: string): Promise<Ended> {
    const diagnosis = diagnoseCluster(actor.view, Date.now());
    const remedy = offeredRemedies.byId(diagnosis, target, id);
    if (remedy === undefined) throw new Error('no such remedy');
    return actor.act(actor.prepare({ verb: 'unblock', target, remedy }));
  }

  async function undo({ entries }: Ended): Promise<Ended> {
    const entry = await actor.journal.entry(entries.at(-1) ?? '');
    if (entry === undefined) throw new Error('no entry');
    const kept = await actor.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, actor.view), kept, actor.view);
    if (intent === undefined) throw new Error('nothing to do');
    return actor.act(actor.prepare(intent));
  }

  async function orphan(kind: string, name: string): Promise<void> {
    const target = await actor.find(kind, 'default', name);
    expect(await actor.act(actor.prepare(deleting('orphan', target)))).toMatchObject({ state: 'reached' });
  }

  it('keeps every pod, and can be undone', async () => {
    const before = await pods();
    const target = await actor.find('StatefulSet', 'default', 'cache');
    expect(await actor.act(actor.prepare(deleting('orphan', target)))).toMatchObject({ state: 'reached' });
    expect((await pods()).flatMap(each => each.owners)).toEqual([]);

    const adopted = await adopt(await actor.find('Pod', 'default', 'cache-1'), 'adopt/statefulset/cache');
    expect(adopted).toMatchObject({ state: 'reached', departures: [] });
    await settled(cluster, 'default');
    const { uid } = await actor.find('StatefulSet', 'default', 'cache');
    expect(uid).not.toBe(target.uid);
    expect(await pods()).toEqual(before.map(each => ({ ...each, owners: [uid] })));
    const set = await cluster.api.json<{ status: { currentRevision: string; updateRevision: string } }>({
      path: '/apis/apps/v1/namespaces/default/statefulsets/cache',
    });
    expect(set.status.currentRevision).toBe(set.status.updateRevision);
    expect(set).toMatchObject({
      spec: {
        serviceName: 'cache-peers',
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { storageClassName: 'by-hand' } }],
        template: { spec: { containers: [{ env: [{ value: 'fast' }, {}] }] } },
      },
    });

    expect(await undo(adopted)).toMatchObject({ state: 'reached', departures: [] });
    expect(await pods()).toEqual(before.map(each => ({ ...each, owners: [] })));
  });

  it('keeps the pods of a Deployment, and can be undone', async () => {
    await cluster.apply(api);
    await settled(cluster, 'default');
    // The second template leaves a ReplicaSet behind that wants no pods.
    await cluster.apply(api.replace('api:1', 'api:2'));
    await settled(cluster, 'default');
    const before = await ofApi();
    expect(before.filter(each => each.startsWith('Pod'))).toHaveLength(2);

    await orphan('Deployment', 'api');
    const [current = ''] = before.flatMap(each => each.match(/^Pod \S+ of (\S+)$/u)?.[1] ?? []);
    const ended = await adopt(await actor.find('ReplicaSet', 'default', current), 'adopt/deployment/api');
    expect(ended).toMatchObject({ state: 'reached', departures: [] });
    await settled(cluster, 'default');
    expect(await ofApi()).toEqual(before);
    const deployment = await read('deployments', 'api');
    expect(deployment).toMatchObject({
      metadata: { annotations: { 'example.com/team': 'shop', 'deployment.kubernetes.io/revision': '2' } },
      spec: {
        minReadySeconds: 1,
        selector: { matchLabels: { app: 'api' } },
        template: { metadata: { labels: { app: 'api', tier: 'front' } } },
      },
      status: { updatedReplicas: 2 },
    });

    expect(await undo(ended)).toMatchObject({ state: 'reached', departures: [] });
    expect(await ofApi()).toEqual(before.map(each => each.replace(/ of api$/u, '')));
  });

  it('keeps the pods of a ReplicaSet, which its Deployment then adopts', async () => {
    const before = await ofApi();
    const [pod = '', set = ''] = /^Pod (\S+) of (\S+)$/mu.exec(before.join('\n'))?.slice(1) ?? [];
    const spec = async (): Promise<unknown> => {
      const { template } = (await read('replicasets', set))['spec'] as JsonRecord;
      return template;
    };
    const template = await spec();
    await orphan('ReplicaSet', set);
    const ended = await adopt(await actor.find('Pod', 'default', pod), `adopt/replicaset/${set}`);
    expect(ended).toMatchObject({ state: 'reached', departures: [] });
    await settled(cluster, 'default');
    expect(await ofApi()).toEqual(before);
    expect(await spec()).toEqual(template);

    const adopted = await adopt(await actor.find('ReplicaSet', 'default', set), 'adopt/deployment/api');
    expect(adopted).toMatchObject({ state: 'reached', departures: [] });
    await settled(cluster, 'default');
    expect(await ofApi()).toEqual(
      before.map(each => (each.startsWith('ReplicaSet') ? `${each} of api` : each)),
    );
    expect(await undo(adopted)).toMatchObject({ state: 'reached', departures: [] });
    expect(await undo(ended)).toMatchObject({ state: 'reached', departures: [] });
    expect((await ofApi()).filter(each => each.includes(pod))).toEqual([`Pod ${pod}`]);
  });

  async function read(resource: string, name: string): Promise<JsonRecord> {
    return cluster.api.json({ path: `/apis/apps/v1/namespaces/default/${resource}/${name}` });
  }

  /** Lists ReplicaSets and pods with their controllers; a pod that restarted has another name. */
  async function ofApi(): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const [kind, path] of [
      ['ReplicaSet', '/apis/apps/v1/namespaces/default/replicasets'],
      ['Pod', '/api/v1/namespaces/default/pods'],
    ] as const) {
      const { items } = await cluster.api.json<{ items: readonly { metadata: ObjectMeta }[] }>({ path });
      for (const { metadata } of items) {
        if (!metadata.name.startsWith('api-')) continue;
        const owners = metadata.ownerReferences ?? [];
        lines.push([`${kind} ${metadata.name}`, ...owners.map(({ name }) => `of ${name}`)].join(' '));
      }
    }
    return lines.sort();
  }
});

interface ObjectMeta {
  readonly name: string;
  readonly ownerReferences?: readonly { readonly name: string }[];
}

/** Pods that survived their StatefulSet are adopted by one that is created again from its ControllerRevision. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
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

  async function adopt(): Promise<Ended> {
    const target = await actor.find('Pod', 'default', 'cache-1');
    const diagnosis = diagnoseCluster(actor.view, Date.now());
    const remedy = offeredRemedies.byId(diagnosis, target, 'adopt/statefulset/cache');
    if (remedy === undefined) throw new Error('no such remedy');
    return actor.act(actor.prepare({ verb: 'unblock', target, remedy }));
  }

  it('keeps every pod, and can be undone', async () => {
    const before = await pods();
    const target = await actor.find('StatefulSet', 'default', 'cache');
    expect(await actor.act(actor.prepare(deleting('orphan', target)))).toMatchObject({ state: 'reached' });
    expect((await pods()).flatMap(each => each.owners)).toEqual([]);

    const adopted = await adopt();
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

    const entry = await actor.journal.entry(adopted.entries.at(-1) ?? '');
    if (entry === undefined) throw new Error('no entry');
    const kept = await actor.journal.backupOf(entry);
    const undo = Undo.plan(entry, kept, actor.view);
    const intent = Undo.intent(entry, undo, kept, actor.view);
    if (intent === undefined) throw new Error('nothing to do');
    expect(await actor.act(actor.prepare(intent))).toMatchObject({ state: 'reached', departures: [] });
    expect(await pods()).toEqual(before.map(each => ({ ...each, owners: [] })));
  });
});

/**
 * Claims that were deleted under their pods, rescued on a real control plane: the volume and its data go to a new claim of the
 * same name, and the pods come back with it. No storage driver is there, so a volume that would be reclaimed stays `Released`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionResult } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, said } from '../tool.ts';

const volume = (name: string, storageClass = 'disk'): string => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}, annotations: {pv.kubernetes.io/provisioned-by: disk.example.com}}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  storageClassName: ${storageClass}
  csi: {driver: disk.example.com, volumeHandle: ${name}}
`;

const pod = (app: string, volumes = ''): string => `
  template:
    metadata: {labels: {app: ${app}}}
    spec:
      terminationGracePeriodSeconds: 3
      containers: [{name: app, image: registry.example.com/app}]${volumes}`;

const storageClasses = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disk}
provisioner: disk.example.com
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
`;

const deployment = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: files, namespace: default, labels: {tier: store}, annotations: {example.com/owner: team-a}}
spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}${pod('api', '\n      volumes: [{name: files, persistentVolumeClaim: {claimName: files}}]')}
`;

const statefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}${pod('db')}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], storageClassName: late, resources: {requests: {storage: 1Gi}}}
`;

interface Claim {
  readonly metadata: {
    readonly uid: string;
    readonly labels?: object;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly volumeName?: string; readonly resources: object };
  readonly status: { readonly phase: string };
}

interface Volume {
  readonly metadata: { readonly uid: string };
  readonly spec: {
    readonly persistentVolumeReclaimPolicy: string;
    readonly claimRef: { readonly uid?: string; readonly name: string };
  };
  readonly status: { readonly phase: string };
}

describe('rescuing a claim', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let state: string;
  const env = (): { kubeconfig: string; env: Record<string, string | undefined> } => ({
    kubeconfig,
    env: { XDG_STATE_HOME: state, GC_TREE_READ_ONLY: undefined },
  });
  const claim = (name: string): Promise<Claim> =>
    cluster.api.json<Claim>({ path: `/api/v1/namespaces/default/persistentvolumeclaims/${name}` });
  const disk = (name: string): Promise<Volume> =>
    cluster.api.json<Volume>({ path: `/api/v1/persistentvolumes/${name}` });

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-rescue-'));
    cluster = await startControlPlane({ nodes: 2 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(
      [storageClasses, volume('pv-1'), volume('late-1', 'late'), volume('late-2', 'late')].join('---'),
    );
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  async function running(app: string, count: number): Promise<void> {
    await eventually(async () => {
      const args = ['get', 'pods', '-n', 'default', '-l', `app=${app}`, '-o'];
      const phases = await cluster.kubectl([...args, 'jsonpath={.items[*].status.phase}']);
      expect(phases.split(' ').sort()).toEqual(Array.from({ length: count }, () => 'Running'));
    });
  }

  /** Deletes the claim under its pods, and returns the name of its volume. */
  async function lose(name: string): Promise<{ readonly volume: string; readonly before: Claim }> {
    const before = await claim(name);
    await cluster.kubectl(['delete', 'pvc', name, '-n', 'default', '--wait=false']);
    await eventually(async () => expect((await claim(name)).metadata.deletionTimestamp).toBeDefined());
    return { volume: before.spec.volumeName ?? '', before };
  }

  async function rescue(name: string): Promise<ActionResult> {
    const args = ['unblock', `pvc/${name}`, '-n', 'default', '--remedy', `rescue-claim/${name}`];
    const { code, stdout, stderr } = await runTool([...args, '--yes', '-o', 'json'], env());
    expect(stderr).not.toContain('kubectl gc-tree:');
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as ActionResult;
  }

  async function isRescued(name: string, lost: Awaited<ReturnType<typeof lose>>, uid: string): Promise<void> {
    await eventually(async () => {
      const [now, itsVolume] = [await claim(name), await disk(lost.volume)];
      expect(now.metadata.uid).not.toBe(lost.before.metadata.uid);
      expect(now.spec.volumeName).toBe(lost.volume);
      expect(now.status.phase).toBe('Bound');
      expect(itsVolume).toMatchObject({
        metadata: { uid },
        spec: { persistentVolumeReclaimPolicy: 'Retain', claimRef: { name, uid: now.metadata.uid } },
        status: { phase: 'Bound' },
      });
    });
  }

  it('gives the volume of a Deployment to a new claim that is like the old one', async () => {
    await cluster.apply(deployment);
    await running('api', 2);
    const lost = await lose('files');
    const { uid } = (await disk(lost.volume)).metadata;
    expect(await said(['why', 'pvc/files', '-n', 'default'], env())).toContain(
      `${lost.volume} keeps its data, for the new PersistentVolumeClaim files`,
    );
    expect(await said(['why', `pv/${lost.volume}`, '-n', 'default'], env())).toContain(
      'It is deleted with PersistentVolumeClaim default/files, and so is its data, because its reclaim policy is Delete: that claim is being deleted already.',
    );
    const result = await rescue('files');
    expect(result.losses).toEqual([]);
    expect(result.objects.map(({ forecast, observed }) => `${forecast} ${observed}`).sort()).toEqual([
      'bound asForecast',
      'deleted asForecast',
      'deleted asForecast',
      'deleted asForecast',
      'made asForecast',
      'recreated asForecast',
    ]);
    await isRescued('files', lost, uid);
    await running('api', 2);
    const { metadata, spec } = await claim('files');
    expect(metadata.labels).toEqual({ tier: 'store' });
    expect(metadata.annotations).toMatchObject({ 'example.com/owner': 'team-a' });
    expect(spec.resources).toEqual(lost.before.spec.resources);
    const { code } = await runTool(['undo', result.journal.entries.at(-1) ?? '', '--yes'], env());
    expect(code).toBe(0);
    expect(await disk(lost.volume)).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: 'Delete', claimRef: { uid: metadata.uid } },
      status: { phase: 'Bound' },
    });
    expect((await claim('files')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('lets a StatefulSet get the volume with the claim that it creates itself', async () => {
    await cluster.apply(statefulSet);
    await running('db', 2);
    const lost = await lose('data-db-0');
    const { uid } = (await disk(lost.volume)).metadata;
    await rescue('data-db-0');
    await isRescued('data-db-0', lost, uid);
    await running('db', 2);
  });

  it('is what keeps the data: without it the StatefulSet gets a claim without a volume', async () => {
    const lost = await lose('data-db-1');
    await cluster.kubectl(['delete', 'pod', 'db-1', '-n', 'default', '--wait=false']);
    await eventually(async () => {
      expect((await claim('data-db-1')).metadata.uid).not.toBe(lost.before.metadata.uid);
      expect((await claim('data-db-1')).spec.volumeName).toBeUndefined();
      expect((await disk(lost.volume)).status.phase).toBe('Released');
    });
  });
});

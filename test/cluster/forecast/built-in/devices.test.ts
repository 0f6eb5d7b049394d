/** VolumeAttachments follow the pods that use a volume, and a tainted device evicts its pods. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';
import { planOf } from '../ends.ts';

const minor = minorNumber(testedVersion());

interface Plan {
  readonly warnings: readonly string[];
}

interface Attachment {
  readonly metadata: { readonly name: string; readonly uid: string };
}

describe('what a node has', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });
  const plan = (...targets: readonly string[]): Promise<Plan> => planOf(kubeconfig, ['delete', ...targets]);
  const attachments = async (): Promise<readonly Attachment[]> =>
    (
      await cluster.api.json<{ readonly items: readonly Attachment[] }>({
        path: '/apis/storage.k8s.io/v1/volumeattachments',
      })
    ).items;
  const patchStatus = (path: string, status: object): Promise<unknown> =>
    cluster.api.json({
      method: 'PATCH',
      path: `${path}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 1,
      controllerManagerFlags: ['--attach-detach-reconcile-sync-period=2s'],
    });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  /** Plays the CSI driver's attacher, and resolves with the one VolumeAttachment. */
  const attached = (not?: string): Promise<Attachment> =>
    eventually(async () => {
      const [found, ...others] = await attachments();
      expect(others).toEqual([]);
      expect(found).toBeDefined();
      expect(found?.metadata.uid).not.toBe(not);
      await patchStatus(`/apis/storage.k8s.io/v1/volumeattachments/${found?.metadata.name}`, {
        attached: true,
      });
      return found as Attachment;
    });

  it('is a VolumeAttachment while a pod uses the volume', async () => {
    await cluster.kubectl([
      'annotate',
      'node/node-1',
      'volumes.kubernetes.io/controller-managed-attach-detach=true',
    ]);
    await cluster.apply(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  csi: {driver: example.com, volumeHandle: disk}
  persistentVolumeReclaimPolicy: Retain
  storageClassName: ""
  claimRef: {namespace: default, name: data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  storageClassName: ""
  volumeName: disk
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: default}
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: main}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`);
    const first = await attached();
    const target = `volumeattachment/${first.metadata.name}`;
    expect((await plan(target)).warnings.join(' ')).toContain(
      'persistentvolume-attach-detach-controller may create another one while a pod on the node uses the volume',
    );
    await cluster.kubectl(['delete', target, '--wait=false']);
    await attached(first.metadata.uid);
    expect((await plan('pod/db', '-n', 'default', '-A')).warnings.join(' ')).toContain(
      'persistentvolume-attach-detach-controller deletes the VolumeAttachments of its volumes',
    );
    await cluster.kubectl(['delete', 'pod/db', '-n', 'default', '--wait=false']);
    await eventually(async () => expect(await attachments()).toEqual([]));
  });

  it.skipIf(minor < 36)('is no pod with a device whose taint it does not tolerate', async () => {
    const device = (name: string, taints: string): string => `{name: ${name}${taints}}`;
    const slice = (taints: string): string => `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [${device('gpu-0', taints)}, ${device('gpu-1', taints)}, ${device('gpu-2', '')}]
`;
    await cluster.apply(slice(''));
    const pods = ['fragile', 'tolerant', 'healthy'];
    for (const [index, name] of pods.entries()) {
      await cluster.apply(`
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: ${name}, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default}
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: main}]
  resourceClaims: [{name: gpu, resourceClaimName: ${name}}]
`);
      const { metadata } = await cluster.api.json<Attachment>({
        path: `/api/v1/namespaces/default/pods/${name}`,
      });
      const tolerations = name === 'tolerant' ? [{ operator: 'Exists', effect: 'NoExecute' }] : [];
      await patchStatus(`/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/${name}`, {
        allocation: {
          devices: {
            results: [
              {
                request: 'gpu',
                driver: 'gpu.example.com',
                pool: 'node-1',
                device: `gpu-${index}`,
                tolerations,
              },
            ],
          },
        },
        reservedFor: [{ resource: 'pods', name, uid: metadata.uid }],
      });
    }
    await cluster.component('kube-controller-manager').stop();
    await cluster.apply(slice(', taints: [{key: example.com/broken, effect: NoExecute}]'));
    expect(await tells('plan', '-A')).toMatch(
      /device-taint-eviction-controller.* such as those of ResourceClaim default\/fragile/u,
    );
    await cluster.component('kube-controller-manager').start();
    await eventually(async () =>
      expect(
        (await cluster.kubectl(['get', 'pods', '-n', 'default', '-o', 'name'])).trim().split('\n').sort(),
      ).toEqual(['pod/healthy', 'pod/tolerant']),
    );
  });
});

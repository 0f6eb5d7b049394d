/** Volumes, snapshots and attachments that are being deleted, down to the object or permission that decides. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

async function answer(target: string, stdin: string): Promise<DiagnosisItem> {
  const { out, err, exitCode } = await command(`why ${target} -o json -f - --closed-world`, { stdin });
  expect(exitCode, err).toBeLessThan(2);
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(`no answer about ${target}`);
  return item;
}

async function words(target: string, stdin: string): Promise<string> {
  return (await command(`why ${target} -f - --closed-world`, { stdin })).out;
}

const born = 'creationTimestamp: "2026-05-01T08:00:00Z"';
const deleting = `${born}, deletionTimestamp: "2026-05-02T08:00:00Z", deletionGracePeriodSeconds: 0`;
const join = (...objects: readonly string[]): string => objects.join('---\n');

const volume = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: vol-7, uid: v7, ${deleting}, finalizers: [external-provisioner.volume.kubernetes.io/finalizer]}
spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {namespace: shop, name: data, uid: gone}, csi: {driver: smb.csi.k8s.io, volumeHandle: h}}
status: {phase: Released}
`;
const driver = `
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: smb.csi.k8s.io, uid: cd, ${born}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: csi-smb-controller, namespace: kube-system, uid: dc, ${born}}
spec: {replicas: 1, template: {spec: {serviceAccountName: csi-smb-controller-sa}}}
status: {replicas: 1, readyReplicas: 1}
`;
const role = (verbs: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: smb-provisioner, uid: cr, ${born}}
rules: [{apiGroups: [""], resources: [persistentvolumes], verbs: [${verbs}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: smb-provisioner, uid: crb, ${born}}
subjects: [{kind: ServiceAccount, name: csi-smb-controller-sa, namespace: kube-system}]
roleRef: {kind: ClusterRole, name: smb-provisioner, apiGroup: rbac.authorization.k8s.io}
`;

describe('a volume whose driver may not change it', () => {
  const forbidden = join(volume, driver, role('get, list, watch, create, delete'));

  test('is held by the missing permission, which two commands grant', async () => {
    const { summary, remedies } = await answer('pv/vol-7', forbidden);
    expect(summary).toContain(
      'ServiceAccount kube-system/csi-smb-controller-sa may neither patch nor update persistentvolumes',
    );
    expect(remedies[0]?.kubectl).toBe(
      'kubectl create clusterrole csi-smb-controller-sa-patch-persistentvolumes --verb=patch --verb=update --resource=persistentvolumes && kubectl create clusterrolebinding csi-smb-controller-sa-patch-persistentvolumes --clusterrole=csi-smb-controller-sa-patch-persistentvolumes --serviceaccount=kube-system:csi-smb-controller-sa',
    );
  });

  test('is not said to be still stored', async () => {
    expect(await words('pv/vol-7', forbidden)).not.toMatch(
      /isn't deleted yet|until its handlers|in the log/u,
    );
  });

  test('is left to a driver that may, or whose roles were not collected', async () => {
    for (const stdin of [join(volume, driver, role('get, patch')), join(volume, driver)])
      expect((await answer('pv/vol-7', stdin)).summary).toContain(
        'stays until the CSI driver smb.csi.k8s.io has deleted the volume behind it',
      );
  });
});

const claim = (name: string, more: string, spec = ''): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}, namespace: shop, uid: c-${name}, ${more}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}${spec}}
status: {phase: ${more === born ? 'Pending' : 'Bound'}}
`;
const snapshot = (more: string, status: string): string => `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: nightly, namespace: shop, uid: s1, ${more}}
spec: {source: {persistentVolumeClaimName: data}}
status: {boundVolumeSnapshotContentName: snapcontent-1, ${status}}
`;
const content = (more: string): string => `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotContent
metadata: {name: snapcontent-1, uid: s2, ${more}}
spec: {deletionPolicy: Delete, driver: smb.csi.k8s.io, volumeSnapshotRef: {kind: VolumeSnapshot, name: nightly, namespace: shop, uid: s1}}
`;
const snapshotController = driver
  .split('---')
  .at(-1)
  ?.replace('csi-smb-controller,', 'snapshot-controller,')
  .replace('uid: dc', 'uid: sc') as string;
const source = 'finalizers: [snapshot.storage.kubernetes.io/pvc-as-source-protection]';

describe('a claim of which a snapshot is being taken', () => {
  const held = claim('data', `${deleting}, ${source}`);

  test('waits until the snapshot is ready, and quotes why it is not', async () => {
    const failing = snapshot(born, 'readyToUse: false, error: {message: "quota exceeded on pool-3"}');
    const { summary, remedies } = await answer(
      'pvc/data -n shop',
      join(held, failing, content(born), driver, snapshotController),
    );
    expect(summary).toContain('waits until VolumeSnapshot nightly is ready to use');
    expect(summary).toContain('quota exceeded on pool-3');
    expect(remedies[0]?.title).toContain('get VolumeSnapshot nightly ready');
  });

  test('names a driver that is gone', async () => {
    const { summary } = await answer(
      'pvc/data -n shop',
      join(held, snapshot(born, 'readyToUse: false'), content(born), snapshotController),
    );
    expect(summary).toContain('nothing in this cluster looks like the CSI driver smb.csi.k8s.io');
  });

  test('waits for no snapshot that is ready, or that was taken of another claim', async () => {
    for (const each of [
      snapshot(born, 'readyToUse: true'),
      snapshot(born, 'readyToUse: false').replace('Name: data', 'Name: other'),
    ])
      expect((await answer('pvc/data -n shop', join(held, each, snapshotController))).summary).not.toContain(
        'waits until',
      );
  });
});

describe('a snapshot', () => {
  const both =
    'finalizers: [snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection, snapshot.storage.kubernetes.io/volumesnapshot-bound-protection]';
  const held = snapshot(`${deleting}, ${both}`, 'readyToUse: true');

  test.each(['dataSource', 'dataSourceRef'])('waits for the claim that names it in %s', async field => {
    const restored = claim(
      'copy',
      born,
      `, ${field}: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: nightly}`,
    );
    const { summary } = await answer(
      'volumesnapshot/nightly -n shop',
      join(held, restored, snapshotController),
    );
    expect(summary).toContain('waits until PersistentVolumeClaim copy is bound');
    expect(summary).toContain('no pod uses it');
    const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: p2, ${born}}
spec: {containers: [{name: a, image: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: copy}}]}
status: {phase: Pending}
`;
    const used = await answer(
      'volumesnapshot/nightly -n shop',
      join(held, restored, pod, snapshotController),
    );
    expect(used.summary).not.toContain('no pod uses it');
  });

  test('waits for its content, which its own driver has to delete', async () => {
    const leaving = content(
      `${deleting}, finalizers: [snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection]`,
    );
    const { summary } = await answer(
      'volumesnapshot/nightly -n shop',
      join(held, leaving, snapshotController),
    );
    expect(summary).toContain('waits until VolumeSnapshotContent snapcontent-1 is gone');
    expect(summary).toContain('nothing in this cluster looks like the CSI driver smb.csi.k8s.io');
  });
});

const attachment = (more: string): string => `
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: csi-9, uid: a9, ${more}}
spec: {attacher: smb.csi.k8s.io, nodeName: n-1, source: {persistentVolumeName: vol-7}}
status: {attached: true}
`;

const node = `
apiVersion: v1
kind: Node
metadata: {name: n-1, uid: n1, ${born}}
`;

describe('a volume that is still attached', () => {
  test('waits for its attachment, and so for the driver', async () => {
    const leaving = attachment(`${deleting}, finalizers: [external-attacher/smb-csi-k8s-io]`);
    const { summary } = await answer('pv/vol-7', join(volume, leaving, driver, node));
    expect(summary).toContain('waits until VolumeAttachment csi-9 is gone');
    expect(summary).toContain('VolumeAttachment csi-9 is held by external-attacher/smb-csi-k8s-io');
  });

  test('waits first for the one of its attachments that is being deleted', async () => {
    const staying = attachment(born).replace('csi-9, uid: a9', 'csi-1, uid: a1');
    const leaving = attachment(`${deleting}, finalizers: [external-attacher/smb-csi-k8s-io]`);
    const { summary } = await answer('pv/vol-7', join(volume, staying, leaving, driver));
    expect(summary).toContain('waits until VolumeAttachment csi-9 and VolumeAttachment csi-1 are gone');
  });

  test('does not wait for the attachment of another volume', async () => {
    const other = attachment(born).replace('vol-7', 'vol-8');
    expect((await answer('pv/vol-7', join(volume, other, driver))).summary).not.toContain('VolumeAttachment');
  });
});

describe('a claim whose pod was deleted on a node that is gone silent', () => {
  const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: p1, ${born}, deletionTimestamp: "2026-05-02T08:00:00Z", deletionGracePeriodSeconds: 30}
spec: {nodeName: n-1, containers: [{name: a, image: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}
status: {phase: Running}
`;
  const node = `
apiVersion: v1
kind: Node
metadata: {name: n-1, uid: n1, ${born}}
status: {conditions: [{type: Ready, status: "Unknown", reason: NodeStatusUnknown, lastTransitionTime: "2026-05-02T07:00:00Z"}]}
`;

  test('waits for that node', async () => {
    const held = claim('data', `${deleting}, finalizers: [kubernetes.io/pvc-protection]`);
    const { summary } = await answer('pvc/data -n shop', join(held, pod, node));
    expect(summary).toContain("Pod web mounts it, which is being deleted: the kubelet on n-1 doesn't answer");
  });
});

import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import { now } from '../../../cli/documents/cluster.ts';
import { diagnose as diagnoseAll, findings as findingsOf } from '../../subjects.ts';

const node = `
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
`;
const findings = (yaml: string, code: Finding['code'], at = now): readonly Finding[] =>
  findingsOf(node + yaml, code, at);
const diagnose = (yaml: string, blind: readonly string[] = []): readonly Finding[] =>
  diagnoseAll(node + yaml, blind);

const deleted = (at = '11:50:00'): string => `deletionTimestamp: "2026-11-21T${at}Z"`;
const claim = (at: string, more = ''): string => `
- {kind: PersistentVolumeClaim, name: data, ${deleted(at)}, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-1}, status: {phase: Bound}${more}}
`;
const pod = (more = '', phase = 'Running', nodeName = 'node-1'): string => `
- {kind: Pod, name: web, spec: {nodeName: ${nodeName}, containers: [{name: main}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: ${phase}}${more}}
`;
const volume = (more: string, policy = 'Delete'): string => `
- {kind: PersistentVolume, name: pv-1, namespace: "", spec: {persistentVolumeReclaimPolicy: ${policy}, claimRef: {namespace: shop, name: data, uid: data}, csi: {driver: ebs.csi.aws.com}}, ${more}}
`;

describe('a claim that is being deleted', () => {
  it('stays while a pod mounts it', () => {
    const [finding] = findings(claim('11:50:00') + pod(), 'VolumeClaimInUse');
    expect(finding).toMatchObject({
      severity: 'warning',
      certainty: 'exact',
      message: 'PersistentVolumeClaim shop/data stays as long as Pod web mounts it.',
      since: Date.parse('2026-11-21T11:50:00Z'),
    });
    expect(finding?.related).toMatchObject([{ kind: 'Pod', name: 'web' }]);
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual(['caution delete/pod/web']);
  });

  it.each([
    [
      'is created again, and empty, with the pod of a StatefulSet',
      'volumeClaimTemplates: [{metadata: {name: data}}]',
      ': StatefulSet web creates the pod again, with an empty claim',
    ],
    ['is not created again by a StatefulSet without its template', 'volumeClaimTemplates: []', ''],
  ])('%s', (_, templates, clause) => {
    const yaml = `
- {apiVersion: apps/v1, kind: StatefulSet, name: web, spec: {replicas: 1, ${templates}}}
- {kind: PersistentVolumeClaim, name: data-web-0, ${deleted('11:50:00')}, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-1}, status: {phase: Bound}}
- {kind: Pod, name: web-0, owners: [apps/v1 StatefulSet web web +c +b], spec: {nodeName: node-1, containers: [{name: main}], volumes: [{name: d, persistentVolumeClaim: {claimName: data-web-0}}]}, status: {phase: Running}}
`;
    const [finding] = findings(yaml, 'VolumeClaimInUse');
    expect(finding?.remedies().map(({ title }) => title)).toEqual([
      `delete Pod web-0, so that the claim is deleted${clause}`,
    ]);
  });

  it('stays even for a pod that has finished', () => {
    const [finding] = findings(claim('11:50:00') + pod('', 'Succeeded'), 'VolumeClaimInUse');
    expect(finding?.message).toContain('mounts it, although it has finished.');
  });

  it('is not kept by a pod without a node', () => {
    expect(findings(claim('11:50:00') + pod('', 'Pending', '""'), 'VolumeClaimInUse')).toEqual([]);
  });

  it('is ordinary in the first minute, and while its pods go in their grace period', () => {
    const fresh = claim('11:59:30') + pod();
    expect(findings(fresh, 'VolumeClaimInUse')[0]?.severity).toBe('info');
    expect(findings(fresh, 'VolumeClaimInUse', now + 60_000)[0]?.severity).toBe('warning');
    const going = pod(', deletionTimestamp: "2026-11-21T12:00:10Z", deletionGracePeriodSeconds: 30');
    expect(findings(claim('11:50:00') + going, 'VolumeClaimInUse')[0]?.severity).toBe('info');
  });

  it('is kept by the pod whose generic ephemeral volume it is, until that pod has stopped', () => {
    const ephemeral = (grace: number): string => `
- {kind: PersistentVolumeClaim, name: web-scratch, ${deleted()}, finalizers: [kubernetes.io/pvc-protection], owners: [v1 Pod web web +c +b]}
- {kind: Pod, name: web, ${deleted('11:59:59')}, deletionGracePeriodSeconds: ${grace}, finalizers: [a.example/b], spec: {nodeName: node-1, containers: [{name: main}], volumes: [{name: scratch, ephemeral: {}}]}, status: {phase: Running}}
`;
    expect(findings(ephemeral(30), 'VolumeClaimInUse')).toHaveLength(1);
    expect(findings(ephemeral(0), 'VolumeClaimInUse')).toEqual([]);
  });

  it('can have its data kept first', () => {
    const yaml = claim('11:50:00') + pod() + volume('status: {phase: Bound}');
    const offered = findings(yaml, 'VolumeClaimInUse')[0]?.remedies() ?? [];
    expect(offered.find(({ id }) => id === 'retain-volume/pv-1')).toMatchObject({
      risk: 'caution',
      requests: [{ verb: 'PATCH', path: '/api/v1/persistentvolumes/pv-1' }],
    });
    const retained = claim('11:50:00') + pod() + volume('status: {phase: Bound}', 'Retain');
    expect(
      findings(retained, 'VolumeClaimInUse')[0]
        ?.remedies()
        .map(({ id }) => id),
    ).toEqual(['rescue-claim/data', 'delete/pod/web']);
  });
});

describe('a pod and a claim that it owns', () => {
  const owned = ', owners: [v1 Pod web web +b]';
  const waiting = (grace: number): string =>
    `, ${deleted('11:49:59')}, deletionGracePeriodSeconds: ${grace}, finalizers: [foregroundDeletion]`;

  it('wait for each other for good', () => {
    const yaml = claim('11:50:00', owned) + pod(waiting(0));
    const [finding] = findings(yaml, 'PodVolumeDeadlock');
    expect(finding).toMatchObject({ severity: 'error', object: { kind: 'Pod', name: 'web' } });
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe redelete/background-now',
      'safe clear-block/persistentvolumeclaim/data',
    ]);
    expect(finding?.chain.map(({ by, object }) => `${by} ${object.kind}`)).toEqual([
      ' Pod',
      'blocked by PersistentVolumeClaim',
      'held by PersistentVolumeClaim',
    ]);
    const [used] = findings(yaml, 'VolumeClaimInUse');
    expect(used?.severity).toBe('error');
    expect(used?.message).toContain('Pod web in turn waits for the claim');
  });

  it('do not yet while the containers may run', () => {
    expect(findings(claim('11:50:00', owned) + pod(waiting(30)), 'PodVolumeDeadlock')).toEqual([]);
  });

  it('do not where the claim does not block', () => {
    const free = claim('11:50:00', owned.replace(' +b', '')) + pod(waiting(0));
    expect(findings(free, 'PodVolumeDeadlock')).toEqual([]);
  });
});

describe('a volume that is being deleted', () => {
  const protectedOne = (phase: string, finalizers: string): string =>
    `${deleted()}, finalizers: [${finalizers}], status: {phase: ${phase}}`;
  const bound = volume(protectedOne('Bound', 'kubernetes.io/pv-protection'));
  const live =
    '- {kind: PersistentVolumeClaim, name: data, spec: {volumeName: pv-1}, status: {phase: Bound}}\n';

  it('stays while a claim is bound to it', () => {
    const [finding] = findings(bound + live, 'VolumeProtected');
    expect(finding?.message).toBe(
      'PersistentVolume pv-1 stays as long as PersistentVolumeClaim shop/data is bound to it, and that claim is not being deleted.',
    );
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'caution retain-volume/pv-1',
      'caution delete/persistentvolumeclaim/data',
    ]);
  });

  it('tells a claim of the same name from the one that it is bound to', () => {
    const [finding] = findings(
      bound + live.replace('name: data', 'name: data, uid: another'),
      'VolumeProtected',
    );
    expect(finding?.message).toContain('and that claim is gone');
    expect(finding?.remedies()).toEqual([]);
  });

  it('names the pods that keep its claim in turn', () => {
    const [finding] = findings(bound + claim('11:50:00') + pod(), 'VolumeProtected');
    expect(finding?.message).toContain('which is being deleted and stays as long as Pod web mounts it');
  });

  it('is assumed to have its claim where claims cannot be listed', () => {
    const [finding] = diagnose(bound, ['persistentvolumeclaims']);
    expect(finding).toMatchObject({ code: 'VolumeProtected', certainty: 'assumed' });
    expect(finding?.message).toContain('cannot be seen');
  });

  const released = volume(protectedOne('Released', 'external-provisioner.volume.kubernetes.io/finalizer'));

  const driver = (ready = 1): string => `
- {kind: CSIDriver, name: ebs.csi.aws.com, namespace: ""}
- {kind: Deployment, name: ebs-csi-controller, namespace: kube-system, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: ${ready}}}
- {kind: DaemonSet, name: ebs-csi-node, namespace: kube-system, status: {desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, numberAvailable: 1}}
- {kind: Deployment, name: efs-csi-controller, namespace: kube-system, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}
`;

  it('stays until its driver has deleted what is behind it', () => {
    const [finding] = findings(released + driver(), 'VolumeProtected');
    expect(finding).toMatchObject({ severity: 'warning', certainty: 'assumed' });
    expect(finding?.message).toBe(
      'PersistentVolume pv-1 stays until the CSI driver ebs.csi.aws.com has deleted the volume behind it and removed external-provisioner.volume.kubernetes.io/finalizer; Deployment kube-system/ebs-csi-controller seems to be the one that removes it, and is running.',
    );
    expect(finding?.related).toMatchObject([{ kind: 'Deployment', name: 'ebs-csi-controller' }]);
    expect(finding?.remedies().at(-1)).toMatchObject({ risk: 'dangerous' });
  });

  it('stays for good if its driver is gone', () => {
    const [finding] = findings(released, 'FinalizerWithoutController');
    expect(finding).toMatchObject({ severity: 'error' });
    expect(finding?.message).toContain('nothing in this cluster looks like the CSI driver ebs.csi.aws.com');
    const [unsure] = diagnose(released, ['csidrivers.storage.k8s.io']);
    expect(unsure).toMatchObject({ severity: 'warning' });
    expect(unsure?.message).toContain('unknown: csidrivers.storage.k8s.io cannot be seen');
  });

  it('stays as long as the controller of its own driver has no ready pod', () => {
    const [finding] = diagnose(released + driver(0));
    expect(finding?.message).toContain('Deployment kube-system/ebs-csi-controller');
    expect(finding?.message).toContain('and has no ready pod');
  });

  it('may have a driver whose controller runs outside, if only its part on the nodes is seen', () => {
    const onNodes = driver().replace(/- .kind: Deployment, name: ebs.*\n/u, '');
    expect(findings(released + onNodes, 'VolumeProtected')[0]?.message).toContain(
      'the CSI driver ebs.csi.aws.com removes it, which may run outside of the cluster',
    );
  });

  it('is ordinary in the first minute', () => {
    const fresh = released.replace('11:50:00', '11:59:30');
    expect(findings(fresh + driver(), 'VolumeProtected')[0]?.severity).toBe('info');
  });

  it('is left to others where nothing of this holds it', () => {
    const lagging = volume(protectedOne('Released', 'kubernetes.io/pv-protection'));
    expect(findings(lagging, 'VolumeProtected')).toEqual([]);
  });
});

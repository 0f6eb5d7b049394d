import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { FindingCode } from '../../src/diagnosis/engine/codes.ts';
import type { Diagnosis } from '../../src/diagnosis/engine/diagnosis.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { Uid } from '../../src/model/object.ts';
import { now, objects, viewOf } from '../cli/documents/cluster.ts';

const codes: ReadonlySet<FindingCode> = new Set([
  'StatefulSetSurvivor',
  'ReplicaSetSurvivor',
  'JobSurvivor',
  'PodOnUnreachableNode',
  'PodOnMissingNode',
  'PodTerminatingUnscheduled',
  'PodVolumeDeadlock',
  'VolumeClaimInUse',
  'VolumeProtected',
]);

const marks = (name: string): string =>
  `{app: web, statefulset.kubernetes.io/pod-name: ${name}, controller-revision-hash: web-r}`;
const deleting = (seconds: number): string =>
  `deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: ${seconds}`;
const mounting = 'volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]';

/** Of each object several states, in no order. */
const states = objects(`
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: StatefulSet, name: web, uid: set, spec: {replicas: 2, selector: {matchLabels: {app: web}}}}
- {kind: StatefulSet, name: web, uid: set, spec: {replicas: 2, selector: {matchLabels: {app: other}}}}
- {kind: StatefulSet, name: web, uid: set, ${deleting(0)}, finalizers: [orphan], spec: {replicas: 1, selector: {matchLabels: {app: web}}}}
- {kind: ControllerRevision, name: web-r}
- {kind: Pod, name: web-0, labels: ${marks('web-0')}, spec: {nodeName: node-1}, status: {phase: Running}}
- {kind: Pod, name: web-0, labels: ${marks('web-0')}, owners: [apps/v1 StatefulSet web set +c +b], spec: {nodeName: node-1}, status: {phase: Running}}
- {kind: Pod, name: web-0, labels: ${marks('web-0')}, ${deleting(30)}, spec: {nodeName: node-1, ${mounting}}, status: {phase: Running}}
- {kind: Pod, name: web-0, labels: ${marks('web-0')}, ${deleting(0)}, finalizers: [foregroundDeletion], spec: {nodeName: node-1, ${mounting}}, status: {phase: Running}}
- {kind: Pod, name: web-1, labels: ${marks('web-1')}, spec: {nodeName: node-1, ${mounting}}, status: {phase: Running}}
- {kind: Pod, name: web-1, labels: ${marks('web-1')}, ${deleting(0)}, finalizers: [a.example/b], spec: {}, status: {phase: Pending}}
- {kind: PersistentVolumeClaim, name: data, ${deleting(0)}, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: disk}}
- {kind: PersistentVolumeClaim, name: data, ${deleting(0)}, finalizers: [kubernetes.io/pvc-protection], owners: [v1 Pod web-0 web-0 +b], spec: {volumeName: disk}}
- {kind: PersistentVolumeClaim, name: data, spec: {volumeName: disk}}
- {kind: PersistentVolume, name: disk, namespace: "", spec: {persistentVolumeReclaimPolicy: Delete}, status: {phase: Bound}}
- {kind: PersistentVolume, name: disk, namespace: "", ${deleting(0)}, finalizers: [kubernetes.io/pv-protection], spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {namespace: shop, name: data, uid: data}}, status: {phase: Bound}}
- {kind: PersistentVolume, name: disk, namespace: "", ${deleting(0)}, finalizers: [external-provisioner.volume.kubernetes.io/finalizer], spec: {persistentVolumeReclaimPolicy: Delete, csi: {driver: ebs.csi.aws.com}}, status: {phase: Released}}
- {kind: CSIDriver, name: ebs.csi.aws.com, namespace: ""}
- {kind: Deployment, name: api, uid: api, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}
- {kind: ReplicaSet, name: api-h, uid: rs, labels: {app: api, pod-template-hash: h}, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}
- {kind: ReplicaSet, name: api-h, uid: rs, labels: {app: api, pod-template-hash: h}, owners: [apps/v1 Deployment api api +c +b], spec: {replicas: 1, selector: {matchLabels: {app: api}}}}
- {kind: Pod, name: api-h-abcde, labels: {app: api, pod-template-hash: h}, spec: {nodeName: node-2}, status: {phase: Running}}
- {kind: Job, name: import, uid: job, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: job}}}}
- {kind: Pod, name: import-abcde, labels: {batch.kubernetes.io/job-name: import, batch.kubernetes.io/controller-uid: job}, spec: {nodeName: node-1}, status: {phase: Running}}
- {kind: Pod, name: import-fghij, labels: {batch.kubernetes.io/job-name: import, batch.kubernetes.io/controller-uid: job}, spec: {nodeName: node-1}, status: {phase: Running}}
`);

/** A pod that waits for the claim which it mounts. */
const deadlock = states.filter(
  change =>
    change.op === 'upsert' &&
    (change.object.finalizers.includes('foregroundDeletion') ||
      (change.object.name === 'data' && change.object.owners.length > 0)),
);

const anyChange: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...states), fc.boolean())
  .map(([change, goes]) =>
    goes && change.op === 'upsert'
      ? { op: 'delete', type: change.object.type, uid: change.object.uid }
      : change,
  );

/** What is told of each object by the rules on trial; remedies by their ids. */
function picture(diagnosis: Diagnosis): Map<Uid, readonly string[]> {
  const told = new Map<Uid, string[]>();
  for (const { remedies, ...finding } of diagnosis.all()) {
    if (!codes.has(finding.code)) continue;
    const line = JSON.stringify({ ...finding, ids: remedies().map(({ id, risk }) => `${risk} ${id}`) });
    told.set(finding.object.uid, [...(told.get(finding.object.uid) ?? []), line].sort());
  }
  return told;
}

/** Whether an adoption or its advice is offered depends on other objects, and is decided when remedies are read. */
function withoutAdoption(told: ReadonlyMap<Uid, readonly string[]>, uid: Uid): readonly string[] | undefined {
  return told.get(uid)?.map(line => line.replace(/"\w+ (?:adopt\/|let-adopt|recreate\/)[^"]*"/u, 'adoption'));
}

test('after any history, what is kept on survivors, pods and volumes is what a fresh look finds', () => {
  const step = fc.record({
    changes: fc.array(anyChange, { minLength: 1, maxLength: 4 }),
    after: fc.constantFrom(0, 1000, 45_000, 120_000),
  });
  const seen = new Set<FindingCode>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), history => {
      const view = viewOf('[]');
      let time = now;
      const kept = diagnoseCluster(view, time);
      let before = picture(kept);
      for (const { changes, after } of history) {
        time += after;
        const told = new Set(kept.advance(time));
        for (const uid of kept.apply(view.apply({ changes }, 0), time)) told.add(uid);
        const current = picture(kept);
        expect(Object.fromEntries(current)).toEqual(Object.fromEntries(picture(diagnoseCluster(view, time))));
        for (const uid of new Set([...before.keys(), ...current.keys()])) {
          if (!told.has(uid)) expect(withoutAdoption(current, uid)).toEqual(withoutAdoption(before, uid));
        }
        for (const { code } of kept.all()) seen.add(code);
        before = current;
      }
    }),
    // Random histories seldom bring these two together, and one in some hundred lacks a code in 150.
    { numRuns: 400, examples: [[[{ changes: deadlock, after: 1000 }]]] },
  );
  // Else the histories show nothing.
  expect([...codes].filter(code => !seen.has(code))).toEqual([]);
});

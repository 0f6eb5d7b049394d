/** Sentences that random clusters have shown to be wrong, each on the smallest cluster that shows it. */
import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import { explain } from '../../src/diagnosis/explain/explanation.ts';
import type { Uid } from '../../src/model/object.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';
import { diagnose } from './subjects.ts';

function explained(yaml: string, uid: string): ReturnType<typeof explain> {
  const view = viewOf(yaml);
  const node = view.graph.get(uid as Uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return explain(diagnoseCluster(view, now), node);
}

const goingNamespace =
  '- {kind: Namespace, name: shop, namespace: "", deletionTimestamp: "2026-11-21T11:30:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}';

test('of a pod that survived its set nothing is promised while its namespace is being deleted', () => {
  const survivor = `
- {kind: Pod, name: db-0, labels: {statefulset.kubernetes.io/pod-name: db-0, apps.kubernetes.io/pod-index: "0", controller-revision-hash: db-h}, spec: {nodeName: node-1}, status: {phase: Running}}`;
  expect(explained(survivor, 'db-0').next).toMatch(/^Nothing/u);
  expect(explained(`${goingNamespace}${survivor}`, 'db-0').next).toBe(
    'It will be deleted: its namespace shop is being deleted with everything in it.',
  );
});

test('what the collector fails on goes all the same with its namespace', () => {
  const token = `
- {kind: Secret, name: token, owners: [gone.example.com/v1 Gone gone]}`;
  expect(explained(token, 'token').summary).not.toContain('namespace');
  expect(explained(`${goingNamespace}${token}`, 'token').summary).toMatch(
    /; token is deleted all the same, because its namespace shop is being deleted with everything in it\.$/u,
  );
});

test('an object that is being deleted does not stay because the kind of its controller is not served', () => {
  const held = `
- {kind: ConfigMap, name: settings, deletionTimestamp: "2026-11-21T11:30:00Z", finalizers: [orphan], owners: [gone.example.com/v1 Gone gone gone +c]}`;
  expect(explained(held, 'settings').next).toBeUndefined();
});

test('what keeps an object is not said to stay itself', () => {
  const [finding] = diagnose(`
- {kind: ConfigMap, name: first, owners: [v1 Pod never]}
- {kind: Secret, name: second, owners: [v1 Pod never, v1 ConfigMap first]}`).filter(
    ({ code }) => code === 'PartlyDangling',
  );
  expect(finding?.message).toBe(
    "Secret shop/second stays as long as ConfigMap first does; its owner Pod never doesn't exist, and the collector removes such references when it next looks at it.",
  );
});

test('a claim may be mounted by pods that cannot be seen', () => {
  const claim = `
- {kind: PersistentVolumeClaim, name: data, deletionTimestamp: "2026-11-21T11:30:00Z", finalizers: [kubernetes.io/pvc-protection]}`;
  const [blind] = diagnose(claim, ['pods']);
  expect(blind?.certainty).toBe('assumed');
  expect(blind?.message).toContain('whether a pod still mounts it cannot be seen');
  const [seeing] = diagnose(claim);
  expect(seeing?.message).toContain('should have removed it: no pod mounts it');
});

test('a dependent that waits for itself is let go in two ways, each under an id of its own', () => {
  const foreground = 'deletionTimestamp: "2026-11-21T11:30:00Z", finalizers: [foregroundDeletion]';
  const found = diagnose(`
- {kind: ConfigMap, name: owner, ${foreground}}
- {kind: Secret, name: own, ${foreground}, owners: [v1 ConfigMap owner owner +b, v1 Secret own own +b]}`).find(
    ({ object }) => object.name === 'owner',
  );
  expect(found?.remedies().map(({ id, title }) => `${id}: ${title}`)).toEqual([
    'clear-block/secret/own/itself: unblock own: stop waiting for itself',
    'clear-block/secret/own: unblock owner: stop waiting for own',
  ]);
});

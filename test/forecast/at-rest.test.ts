import { describe, expect, test } from 'vitest';
import { nodes, plan, planDelete, pod, titles, viewOf, waits } from './fixtures.ts';

/** At the moment of the forecast deleted for so long. */
const longAgo = 'deletionTimestamp: "2026-11-21T11:48:00Z"';
const justNow = 'deletionTimestamp: "2026-11-21T11:59:50Z"';

const job = (conditions: string): string => `
- {kind: Job, name: backup, ${longAgo}, finalizers: [foregroundDeletion], spec: {parallelism: 1, completions: 1}, status: {succeeded: 1, conditions: [${conditions}]}}
- {kind: Pod, name: backup-1, ${longAgo}, deletionGracePeriodSeconds: 0, finalizers: [batch.kubernetes.io/job-tracking], owners: [batch/v1 Job backup backup +c +b], spec: {nodeName: node-1}, status: {phase: Succeeded}}`;

describe('what has had its time without ending ends only if somebody acts', () => {
  test('a foreground deletion that nothing blocks stays, and goes where it has only begun', () => {
    const of = (since: string) =>
      viewOf(`- {kind: ConfigMap, name: a, ${since}, finalizers: [foregroundDeletion]}`);
    expect(waits(plan(of(longAgo), 'none'), 'ConfigMap a')).toEqual([
      'the garbage collector, though nothing that can be seen blocks it',
    ]);
    expect(titles(plan(of(justNow), 'none').deleted)).toEqual(['ConfigMap a']);
  });

  test('a restart of kube-controller-manager finishes it', () => {
    const view = viewOf(`- {kind: ConfigMap, name: a, ${longAgo}, finalizers: [foregroundDeletion]}`);
    expect(titles(plan(view, 'restart').deleted)).toEqual(['ConfigMap a']);
  });

  test('it stays as long as the collector deletes one dependent after the other, and no longer', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${longAgo}, finalizers: [foregroundDeletion]}
- {kind: Secret, name: b, owners: [v1 ConfigMap a a +b], ${justNow}, finalizers: [foregroundDeletion]}`);
    expect(titles(plan(view, 'none').deleted)).toEqual(['ConfigMap a', 'Secret b']);
  });

  test('a counted pod of a finished Job stays, and its Job with it', () => {
    const view = viewOf(`${nodes}${job('{type: Complete, status: "True"}')}`);
    const none = plan(view, 'none');
    expect(titles(none.deleted)).toEqual([]);
    expect(waits(none, 'Job backup')).toEqual([
      'Pod backup-1, held by finalizer batch.kubernetes.io/job-tracking',
    ]);
  });

  test('a counted pod of a finished Job holds up its namespace, whose other content goes once it is released', () => {
    const view = viewOf(`${nodes}${job('{type: Complete, status: "True"}')}
- {kind: ConfigMap, name: settings}`);
    const made = planDelete(view, 'shop');
    expect(titles(made.deleted)).toEqual([]);
    expect(titles(made.doomed)).toEqual(['ConfigMap settings']);
  });

  test('a claim that no pod mounts stays, as long as nothing happens to it', () => {
    const view = viewOf(
      `- {kind: PersistentVolumeClaim, name: data, ${longAgo}, deletionGracePeriodSeconds: 0, finalizers: [kubernetes.io/pvc-protection], status: {phase: Bound}}`,
    );
    expect(titles(plan(view, 'none').terminating)).toEqual(['PersistentVolumeClaim data']);
  });

  test('it goes on when something that it waits for happens', () => {
    const view = viewOf(`${nodes}
- {kind: ConfigMap, name: a, ${longAgo}, finalizers: [foregroundDeletion]}
- {kind: PersistentVolumeClaim, name: data, ${longAgo}, deletionGracePeriodSeconds: 0, finalizers: [kubernetes.io/pvc-protection], status: {phase: Bound}, owners: [v1 ConfigMap a a +b]}
${pod('web', '', ', volumes: []').replace('containers: [{name: main}]', 'containers: [{name: main}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]')}`);
    expect(titles(plan(view, 'none').deleted)).toEqual([]);
    expect(titles(planDelete(view, 'web').deleted)).toEqual([
      'ConfigMap a',
      'PersistentVolumeClaim data',
      'Pod web',
    ]);
  });
});

test('a pod past its grace period on a ready node stays, and goes where it has just been told to stop', () => {
  const of = (since: string, ready = 'True') =>
    viewOf(`
- {kind: Node, name: node-1, namespace: '', status: {conditions: [{type: Ready, status: "${ready}"}]}}
- {kind: Pod, name: web, deletionGracePeriodSeconds: 30, ${since}, spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running}}`);
  expect(waits(plan(of(longAgo), 'none'), 'Pod web')).toEqual(['the kubelet on node-1']);
  expect(waits(plan(of(longAgo), 'restart'), 'Pod web')).toEqual(['the kubelet on node-1']);
  expect(titles(plan(of(justNow), 'none').deleted)).toEqual(['Pod web']);
});

test('a pod within its grace period is yet to stop, however long ago it was told to, and then its Job lets it go', () => {
  // Told to stop 100 seconds ago, within 300.
  const view = viewOf(`${nodes}
- {kind: Job, name: backup, spec: {parallelism: 0, completions: 1, selector: {matchLabels: {job: backup}}}, status: {}}
- {kind: Pod, name: backup-1, labels: {job: backup}, deletionTimestamp: "2026-11-21T12:03:20Z", deletionGracePeriodSeconds: 300, finalizers: [batch.kubernetes.io/job-tracking], owners: [batch/v1 Job backup backup +c +b], spec: {nodeName: node-1, restartPolicy: Never, containers: [{name: main}]}, status: {phase: Running}}`);
  expect(titles(plan(view, 'none').deleted)).toEqual(['Pod backup-1']);
});

import { describe, expect, test } from 'vitest';
import { now } from '../../../cli/documents/cluster.ts';
import { codesOn, findingOn, findingsOn, remediesIn } from '../../judged.ts';
import { diagnose } from '../../subjects.ts';

const at = '2026-11-21T11:48:00Z';
const deleting = `deletionTimestamp: "${at}", deletionGracePeriodSeconds: 0`;
const justNow = 'deletionTimestamp: "2026-11-21T11:59:50Z", deletionGracePeriodSeconds: 0';
const operator = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}`;

function pod(name: string, more: string, phase = 'Running'): string {
  return `
- {kind: Pod, name: ${name}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: ${phase}}, ${more}}`;
}

describe('an object held by a finalizer', () => {
  const held = `
- {kind: ConfigMap, name: settings, ${deleting}, finalizers: [example.com/drain]}`;

  test('that nothing handles is stuck', () => {
    const found = findingOn(held, 'settings', 'FinalizerWithoutController');
    expect(found).toMatchObject({ severity: 'error', certainty: 'exact', since: Date.parse(at) });
    expect(found.message).toBe(
      'ConfigMap shop/settings is stuck: it is held by the finalizer example.com/drain, and nothing in this cluster handles example.com.',
    );
    expect(found.evidence).toEqual([
      `metadata.deletionTimestamp: ${at}`,
      'metadata.finalizers: [example.com/drain]',
      'no API group, webhook configuration or workload of example.com found',
    ]);
    expect(remediesIn(found)).toEqual([
      'safe bring-back-controller',
      'dangerous remove-finalizer/example.com/drain',
    ]);
  });

  test('that a controller handles is worth knowing, and a warning after a minute', () => {
    const young = held.replace(deleting, justNow) + operator;
    expect(findingOn(young, 'settings', 'TerminatingHeldByFinalizer').severity).toBe('info');
    const found = findingOn(young, 'settings', 'TerminatingHeldByFinalizer', now + 60_000);
    expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(found.message).toMatch(/: Deployment ops\/drain-operator seems to be the one that removes it/);
    expect(found.related.map(({ name }) => name)).toEqual(['drain-operator']);
    expect(remediesIn(found)).toEqual([
      'safe see-controller',
      'dangerous remove-finalizer/example.com/drain',
    ]);
  });

  test('is judged by the finalizer that nothing handles where it has several', () => {
    const two = held.replace('[example.com/drain]', '[example.com/drain, example.org/copy]') + operator;
    const found = findingOn(two, 'settings', 'FinalizerWithoutController');
    expect(found.message).toMatch(
      /finalizer example\.org\/copy, and nothing in this cluster handles example\.org; example\.com\/drain holds it as well\.$/,
    );
  });

  test('is none of this while it is not being deleted, or held by the collector alone', () => {
    expect(codesOn(held.replace(`${deleting}, `, ''), 'settings')).toEqual(['FinalizerHandlerAbsent']);
    expect(codesOn(held.replace('example.com/drain', 'orphan'), 'settings')).toEqual(['OrphanPending']);
  });

  test('that the control plane handles is no error where the control plane cannot be seen', () => {
    const range = `
- {kind: ServiceCIDR, name: more, namespace: "", ${deleting}, finalizers: [networking.k8s.io/service-cidr-finalizer]}`;
    const found = findingOn(range, 'more', 'TerminatingHeldByFinalizer');
    expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(found.message).toMatch(/kube-controller-manager removes it, which cannot be seen from here\.$/);
    expect(found.remedies().at(-1)?.title).toMatch(/Services keep addresses that no range covers/);
  });

  test('that a controller for one object of another kind handles may still go where that kind cannot be seen', () => {
    const app = `
- {kind: ConfigMap, name: app, ${deleting}, finalizers: [clusterscoped.controller.cattle.io/sync_c-m-abc]}
- {kind: Deployment, name: rancher, namespace: cattle-system, spec: {replicas: 1}, status: {readyReplicas: 1}}`;
    const found = findingOn(app, 'app', 'TerminatingHeldByFinalizer');
    expect(found).toMatchObject({ severity: 'warning', certainty: 'assumed' });
    expect(found.message).toMatch(/whether that downstream cluster still exists cannot be seen/);
  });

  test('of a claim in use is left to the finding that names the pods', () => {
    const claim = `
- {kind: PersistentVolumeClaim, name: data, ${deleting}, finalizers: [kubernetes.io/pvc-protection]}
- {kind: Pod, name: user, spec: {nodeName: n, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}`;
    expect(codesOn(claim, 'data')).not.toContain('TerminatingHeldByFinalizer');
    const unused = claim.split('\n').slice(0, 2).join('\n');
    expect(codesOn(unused, 'data')).toContain('TerminatingHeldByFinalizer');
  });

  test('is told besides what another finding tells of', () => {
    const claim = `
- {kind: PersistentVolumeClaim, name: data, ${deleting}, finalizers: [kubernetes.io/pvc-protection, example.com/drain]}
- {kind: Pod, name: user, spec: {nodeName: n, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}`;
    expect(codesOn(claim, 'data')).toEqual(
      expect.arrayContaining(['VolumeClaimInUse', 'FinalizerWithoutController']),
    );
  });
});

describe('a Service whose load balancer is being deleted', () => {
  const service = (when: string): string => `
- {kind: Service, name: front, ${when}, finalizers: [service.kubernetes.io/load-balancer-cleanup]}`;

  test('is worth knowing at first, as cloud providers take their time', () => {
    expect(findingsOn(service(justNow), 'front')).toMatchObject([
      { code: 'LoadBalancerCleanupPending', severity: 'info' },
    ]);
    expect(findingsOn(service(justNow), 'front', now + 240_000)).toMatchObject([{ severity: 'info' }]);
    expect(findingsOn(service(justNow), 'front', now + 300_000)).toMatchObject([{ severity: 'warning' }]);
  });

  test('says what removing the finalizer costs', () => {
    const found = findingOn(service(deleting), 'front', 'LoadBalancerCleanupPending');
    expect(remediesIn(found)).toEqual([
      'safe find-controller',
      'dangerous remove-finalizer/service.kubernetes.io/load-balancer-cleanup',
    ]);
    expect(found.remedies()[1]?.title).toMatch(/load balancer is left behind .* billed/);
  });
});

describe('a pod whose containers have stopped', () => {
  const job = `
- {kind: Job, name: import, uid: import, spec: {selector: {matchLabels: {a: b}}}}`;
  const tracked = (owners: string): string =>
    pod(
      'import-x',
      `owners: [${owners}], ${deleting}, finalizers: [batch.kubernetes.io/job-tracking]`,
      'Failed',
    );

  test('and that a finalizer holds which nothing handles', () => {
    const found = findingOn(
      pod('web-2', `${deleting}, finalizers: [example.com/drain]`),
      'web-2',
      'PodHeldByFinalizer',
    );
    expect(found).toMatchObject({ severity: 'error', brief: 'held by example.com/drain' });
    expect(found.message).toBe(
      'Pod shop/web-2 is deleted and past its grace period, but is held by the finalizer example.com/drain, and nothing in this cluster handles example.com; Node node-1 no longer exists, so nothing in the pod can run or report again.',
    );
    const finished = pod('web-2', `${deleting}, finalizers: [example.com/drain]`, 'Succeeded');
    expect(findingOn(finished, 'web-2', 'PodHeldByFinalizer').message).toMatch(
      /^Pod shop\/web-2 has stopped, but/,
    );
  });

  test('and that failed has stopped by the word of a kubelet, never by that of PodGC', () => {
    const failed = pod('web-2', `${deleting}, finalizers: [example.com/drain]`, 'Failed');
    const on = (status: string): string => `
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "${status}"}]}}${failed}`;
    const said = (yaml: string): string => findingOn(yaml, 'web-2', 'PodHeldByFinalizer').message;
    expect(said(on('True'))).toMatch(/^Pod shop\/web-2 has stopped, but/);
    expect(said(on('Unknown'))).toMatch(/^Pod shop\/web-2 is deleted and past its grace period, but/);
    expect(said(failed)).toMatch(/^Pod shop\/web-2 is deleted and past its grace period, but/);
  });

  test('is no finding before its grace period is over', () => {
    const stopping = pod(
      'web-2',
      'deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30, finalizers: [example.com/drain]',
    );
    expect(codesOn(stopping, 'web-2')).not.toContain('PodHeldByFinalizer');
  });

  test('of a Job that is there must not lose its finalizer', () => {
    const found = findingOn(
      job + tracked('batch/v1 Job import import +c +b'),
      'import-x',
      'PodHeldByFinalizer',
    );
    expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(found.message).toMatch(/removes when it has counted the pod for Job import/);
    expect(remediesIn(found)).toEqual([
      'safe find-controller',
      'dangerous remove-finalizer/batch.kubernetes.io/job-tracking',
    ]);
    expect(found.remedies()[1]?.title).toMatch(/Job import miscounts/);
  });

  test.each([
    [
      'of a Job that is gone',
      'batch/v1 Job import import +c +b',
      /Job import is gone, so nothing is left to count/,
    ],
    ['that no Job owns any more', '', /no Job owns the pod any more/],
  ])('%s can lose it', (_, owners, words) => {
    const found = findingOn(tracked(owners), 'import-x', 'PodHeldByFinalizer');
    expect(found.message).toMatch(words);
    expect(remediesIn(found)).toEqual(['safe remove-finalizer/batch.kubernetes.io/job-tracking']);
  });

  test('and that was deleted by force while it waits in the foreground', () => {
    const kept = pod('web-0', `${deleting}, finalizers: [foregroundDeletion]`);
    const found = findingOn(kept, 'web-0', 'ForceDeletedPodKeptByForeground');
    expect(found.severity).toBe('warning');
    expect(remediesIn(found)).toEqual(['caution redelete/background-now']);
  });

  test.each([
    ['its kubelet has reported the end', 'Succeeded', 'finalizers: [foregroundDeletion]'],
    ['it is not deleted in the foreground', 'Running', 'finalizers: [example.com/drain]'],
  ])('but not where %s', (_, phase, more) => {
    expect(codesOn(pod('web-0', `${deleting}, ${more}`, phase), 'web-0')).not.toContain(
      'ForceDeletedPodKeptByForeground',
    );
  });
});

describe('a finalizer that waits for what is over', () => {
  const counted = (conditions: string): string => `
- {kind: Job, name: backup, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion], spec: {completions: 1}, status: {succeeded: 1, conditions: [${conditions}]}}
- {kind: Pod, name: backup-1, owners: [batch/v1 Job backup backup +c +b], deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [batch.kubernetes.io/job-tracking], spec: {nodeName: node-1}, status: {phase: Succeeded}}`;

  test.each(['Complete', 'Failed'])('is safe to remove from a pod of a Job that is %s', type => {
    const found = findingOn(
      counted(`{type: ${type}, status: "True"}`),
      'backup',
      'ForegroundBlockedByFinalizer',
    );
    expect(found.message).toMatch(
      /should have removed it: Job backup has finished, so nothing is left to count/,
    );
    expect(remediesIn(found)[0]).toBe('safe remove-finalizer/batch.kubernetes.io/job-tracking');
  });

  test('is dangerous to remove from a pod of a Job that still counts', () => {
    const found = findingOn(counted(''), 'backup', 'ForegroundBlockedByFinalizer');
    expect(found.message).not.toMatch(/should have removed it/);
    expect(remediesIn(found)).toContain('dangerous remove-finalizer/batch.kubernetes.io/job-tracking');
  });

  const namespace = `
- {kind: Namespace, name: shop, namespace: "", ${deleting}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}`;

  test.each([
    [
      'pods',
      'a pod mounts it',
      `
- {kind: PersistentVolumeClaim, name: held, ${deleting}, finalizers: [kubernetes.io/pvc-protection]}`,
    ],
    [
      'jobs.batch',
      'its Job still counts it',
      pod(
        'held',
        `owners: [batch/v1 Job import import +c +b], ${deleting}, finalizers: [batch.kubernetes.io/job-tracking]`,
        'Succeeded',
      ),
    ],
    [
      'secrets',
      'something blocks it',
      `
- {kind: ConfigMap, name: held, ${deleting}, finalizers: [foregroundDeletion]}`,
    ],
  ])('may wait where %s cannot be seen: whether %s', (blind, _, held) => {
    const about = (resources: readonly string[]): readonly unknown[] =>
      diagnose(namespace + held, resources)
        .filter(({ object }) => object.kind === 'Namespace')
        .map(({ message, certainty }) => [message.includes('should have removed it'), certainty]);
    expect(about([])).toEqual([[true, 'exact']]);
    expect(about([blind])).toEqual([[false, 'assumed']]);
  });

  test('is dangerous to remove where what it waits for cannot be seen', () => {
    const claim = `
- {kind: PersistentVolumeClaim, name: data, ${deleting}, finalizers: [kubernetes.io/pvc-protection]}`;
    const risks = (yaml: string, blind: readonly string[]): readonly string[] =>
      diagnose(yaml, blind)
        .flatMap(remediesIn)
        .filter(each => each.includes('remove-finalizer'));
    expect(risks(claim, [])).toEqual(['safe remove-finalizer/kubernetes.io/pvc-protection']);
    expect(risks(claim, ['pods'])).toEqual(['dangerous remove-finalizer/kubernetes.io/pvc-protection']);
    const counts = pod(
      'import-x',
      `owners: [batch/v1 Job import import +c +b], ${deleting}, finalizers: [batch.kubernetes.io/job-tracking]`,
      'Succeeded',
    );
    expect(risks(counts, [])).toEqual(['safe remove-finalizer/batch.kubernetes.io/job-tracking']);
    expect(risks(counts, ['jobs.batch'])).toEqual([
      'dangerous remove-finalizer/batch.kubernetes.io/job-tracking',
    ]);
  });
});

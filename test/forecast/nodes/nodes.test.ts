import { describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { taintOutOfService } from '../../../src/diagnosis/rules/pods/unreleased-pods.ts';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { shellLine } from '../../../src/model/text/shell-line.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { now, objectOf, plan, planDelete, pod, titles, viewOf } from '../fixtures.ts';
import { effectsOf, fates, namespace, node, planTaint, podOn, statefulSet } from './fixtures.ts';

const both = node('alive', 'True') + node('lost', 'Unknown');
const taint = '{key: node.kubernetes.io/out-of-service, value: nodeshutdown, effect: NoExecute}';

/** The same on whichever node. */
const inhabitants = (on: string): string =>
  namespace +
  both +
  statefulSet('db', on) +
  podOn('bare', { node: on }) +
  podOn('held', { node: on, more: 'finalizers: [example.com/hold]' }) +
  podOn('done', { node: on, phase: 'Succeeded' }) +
  podOn('stubborn', { node: on, spec: 'tolerations: [{operator: Exists}]' }) +
  podOn('elsewhere', { node: on === 'lost' ? 'alive' : 'lost' });

const withVersion = (view: ClusterView, serverVersion: string): ClusterView => {
  view.settings = { ...view.settings, serverVersion };
  return view;
};

describe('a node that is deleted', () => {
  test('loses all its pods to PodGC after the quarantine, whatever they tolerate', () => {
    for (const on of ['lost', 'alive']) {
      const plan = planDelete(viewOf(inhabitants(on)), on);
      expect(plan.outcome).toBe('Stuck');
      expect(fates(plan)).toEqual([
        'bare Deleted by pod-garbage-collector 40..80',
        'db-0 Deleted by pod-garbage-collector 40..80',
        'done Deleted by pod-garbage-collector 40..80',
        'held Terminating by pod-garbage-collector 40..80 held by example.com/hold',
        'stubborn Deleted by pod-garbage-collector 40..80',
      ]);
      expect(titles(plan.deleted)).toEqual([
        `Node ${on}`,
        'Pod bare',
        'Pod db-0',
        'Pod done',
        'Pod stubborn',
      ]);
      expect(plan.recreated).toMatchObject([{ by: { name: 'db' }, kind: 'Pod', count: 1 }]);
    }
  });

  test('is believed at once by a PodGC that knows no quarantine', () => {
    const plan = planDelete(withVersion(viewOf(inhabitants('lost')), 'v1.16.0'), 'lost');
    expect(fates(plan)[0]).toBe('bare Deleted by pod-garbage-collector 0..20');
  });

  test('takes along what it owns: its Lease, its CSINode and its mirror pods', () => {
    const owner = 'owners: [v1 Node lost]';
    const plan = planDelete(
      viewOf(`${namespace}${both}
- {kind: Lease, name: lease-lost, namespace: kube-node-lease, ${owner}}
- {kind: CSINode, name: csi-lost, ${owner}}${podOn('static-lost', { node: 'lost', owners: 'v1 Node lost lost +c' })}`),
      'lost',
    );
    expect(plan.outcome).toBe('Completes');
    expect(titles(plan.deleted)).toEqual([
      'CSINode csi-lost',
      'Node lost',
      'Lease lease-lost',
      'Pod static-lost',
    ]);
  });

  test('may lose sooner what was being deleted, while its kubelet runs', () => {
    const leaving = (on: string): string =>
      podOn('leaving', {
        node: on,
        more: 'deletionTimestamp: "2026-11-21T12:00:25Z", deletionGracePeriodSeconds: 30',
      });
    const spans = ['alive', 'lost'].map(on => fates(planDelete(viewOf(namespace + both + leaving(on)), on)));
    expect(spans).toEqual([
      ['leaving Deleted by pod-garbage-collector 0..80'],
      ['leaving Deleted by pod-garbage-collector 40..80'],
    ]);
  });

  test('lets its volumes go after six minutes more, because nobody reports that they are unmounted', () => {
    const [volume, ...more] = effectsOf(planDelete(viewOf(inhabitants('lost')), 'lost')).volumes;
    expect(more).toEqual([]);
    expect(volume).toMatchObject({ claim: { name: 'data-db-0' }, volume: 'pv-db', node: 'lost' });
    expect(volume?.because).toContain('6 minutes after the pod has ended');
    expect(volume?.because).toContain('--disable-force-detach-on-timeout');
  });

  test('loses nothing as long as a finalizer keeps it', () => {
    const kept = node('lost', 'Unknown').replace(
      'name: lost,',
      'name: lost, finalizers: [example.com/hold],',
    );
    const plan = planDelete(viewOf(namespace + kept + podOn('a', { node: 'lost' })), 'lost');
    expect([plan.outcome, plan.nodes, titles(plan.deleted)]).toEqual(['Stuck', undefined, []]);
  });

  test('warns before it is deleted under containers that run', () => {
    const plan = planDelete(viewOf(inhabitants('alive')), 'alive');
    const alarms = warningWords.sentences(plan.alarms);
    expect(warningWords.all(plan).join('\n')).not.toContain('No kubelet confirms');
    expect(alarms).toEqual([expect.stringContaining('Node alive is Ready: its containers run on')]);
    expect(warningWords.all(plan)[0]).toBe(alarms[0]);
    const lost = planDelete(viewOf(inhabitants('lost')), 'lost');
    expect(warningWords.sentences(lost.alarms)).toEqual([]);
    expect(warningWords.all(lost)[0]).toMatch(
      /^No kubelet confirms that the containers on lost have stopped\./,
    );
  });
});

describe('a node that is tainted out-of-service', () => {
  test('and doesn’t answer loses to PodGC what is evicted, and keeps what tolerates the taint', () => {
    const plan = planTaint(viewOf(inhabitants('lost')), 'lost');
    expect(plan.outcome).toBe('Stuck');
    expect(fates(plan)).toEqual([
      'bare Deleted by pod-garbage-collector 0..20',
      'db-0 Deleted by pod-garbage-collector 0..20',
      // Finished, so that it has no grace period left.
      'done Deleted by taint-eviction-controller 0..0',
      'held Terminating by pod-garbage-collector 0..20 held by example.com/hold',
      'stubborn Stays',
    ]);
    expect(shellLine(plan.kubectl)).toBe(
      'kubectl taint nodes lost node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    );
    expect(warningWords.sentences(plan.alarms)).toEqual([]);
  });

  test('and is Ready lets its kubelet stop the pods, and the plan says loudly that it is the wrong thing', () => {
    const plan = planTaint(viewOf(inhabitants('alive')), 'alive');
    expect(fates(plan)).toEqual([
      'bare Deleted by kubelet 0..30',
      'db-0 Deleted by kubelet 0..30',
      'done Deleted by taint-eviction-controller 0..0',
      'held Terminating by kubelet 0..30 held by example.com/hold',
      'stubborn Stays',
    ]);
    expect(effectsOf(plan).couldRunTwice).toEqual([]);
    expect(warningWords.sentences(plan.alarms)).toEqual([
      expect.stringContaining('only for a node that is certain to be powered off: pods that'),
    ]);
  });

  test('lets its volumes go with their pods', () => {
    const { volumes } = effectsOf(planTaint(viewOf(inhabitants('lost')), 'lost'));
    expect(volumes).toMatchObject([{ claim: { name: 'data-db-0' }, volume: 'pv-db' }]);
    expect(volumes[0]?.because).toContain('without waiting for an unmount');
  });

  test('keeps a volume that a pod on it still uses', () => {
    const second = podOn('reader', {
      node: 'lost',
      spec: 'tolerations: [{operator: Exists}], volumes: [{name: v, persistentVolumeClaim: {claimName: data-db-0}}]',
    });
    expect(effectsOf(planTaint(viewOf(inhabitants('lost') + second), 'lost')).volumes).toEqual([]);
    const finished = second.replace('phase: Running', 'phase: Failed');
    expect(effectsOf(planTaint(viewOf(inhabitants('lost') + finished), 'lost')).volumes).toHaveLength(1);
  });

  test('lets a volume go with the last pod that uses it, in whatever order they are known', () => {
    const claim = `
- {kind: PersistentVolumeClaim, name: shared, spec: {volumeName: pv-1}, status: {phase: Bound}}`;
    const user = (name: string, seconds: number): string =>
      podOn(name, {
        node: 'lost',
        spec: `tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: ${seconds}}], volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}]`,
      });
    for (const [one, other] of [
      [0, 300],
      [300, 0],
    ] as const) {
      const pods = user('one', one) + user('other', other);
      const [volume] = effectsOf(planTaint(viewOf(namespace + both + claim + pods), 'lost')).volumes;
      expect(volume?.earliest).toBe(now + 300_000);
    }
  });

  test('lets go of the volume of a pod that a finalizer keeps, and says nothing of one that no pod needed', () => {
    const held = namespace + both + statefulSet('db', 'lost', ', finalizers: [example.com/hold]');
    expect(effectsOf(planTaint(viewOf(held), 'lost')).volumes).toMatchObject([
      { claim: { name: 'data-db-0' } },
    ]);
    const finished = statefulSet('db', 'lost').replace('phase: Running', 'phase: Succeeded');
    expect(effectsOf(planTaint(viewOf(namespace + both + finished), 'lost')).volumes).toEqual([]);
  });

  test('with NoSchedule evicts nothing, and PodGC deletes what is being deleted', () => {
    const deleting = podOn('leaving', {
      node: 'lost',
      more: 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 30',
    });
    const plan = planTaint(viewOf(inhabitants('lost') + deleting), 'lost', 'NoSchedule');
    expect(fates(plan)).toEqual([
      'bare Stays',
      'db-0 Stays',
      'done Stays',
      'held Stays',
      'leaving Deleted by pod-garbage-collector 0..20',
      'stubborn Stays',
    ]);
    expect(titles(plan.deleted)).toEqual(['Pod leaving']);
  });

  test('for a while tolerates what says so', () => {
    const patient = podOn('patient', {
      node: 'lost',
      spec: 'tolerations: [{key: node.kubernetes.io/out-of-service, operator: Exists, tolerationSeconds: 120}]',
    });
    const plan = planTaint(viewOf(namespace + both + patient), 'lost');
    expect(fates(plan)).toEqual(['patient Deleted by pod-garbage-collector 120..140']);
  });

  test('changes nothing where the node has the taint', () => {
    const plan = planTaint(viewOf(namespace + node('lost', 'Unknown', taint)), 'lost');
    expect(plan.outcome).toBe('NoChange');
    expect(plan.nodes).toBeUndefined();
    expect(warningWords.all(plan)).toEqual([
      'Node lost has the taint node.kubernetes.io/out-of-service:NoExecute already.',
    ]);
    // Another effect is another taint.
    const other = taint.replace('NoExecute', 'NoSchedule');
    const more = planTaint(
      viewOf(namespace + node('lost', 'Unknown', other) + podOn('a', { node: 'lost' })),
      'lost',
    );
    expect(fates(more)).toEqual(['a Deleted by pod-garbage-collector 0..20']);
  });

  test('is empty, and is tainted all the same', () => {
    const plan = planTaint(viewOf(both), 'lost');
    expect([plan.outcome, plan.deleted, effectsOf(plan).pods]).toEqual(['Completes', [], []]);
    expect(plan.steps().map(({ request }) => request)).toEqual(['PATCH /api/v1/nodes/lost']);
  });

  test('means nothing to a PodGC that is too old, which the plan says', () => {
    const plan = planTaint(withVersion(viewOf(inhabitants('lost')), 'v1.23.4'), 'lost');
    expect(fates(plan)).toContain('db-0 Terminating by taint-eviction-controller 0..0');
    expect(warningWords.all(plan).join('\n')).toContain('Kubernetes 1.23 ignores');
    expect(effectsOf(plan)).toMatchObject({ volumes: [], couldRunTwice: [] });
    const alpha = planTaint(withVersion(viewOf(inhabitants('lost')), 'v1.25.0'), 'lost');
    expect(warningWords.all(alpha).join('\n')).toContain('feature gate NodeOutOfServiceVolumeDetach');
  });

  test('by a remedy is told alike', () => {
    const deleting = ', deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 30';
    const view = viewOf(namespace + both + statefulSet('db', 'lost', deleting));
    const remedy = taintOutOfService(new TrackedView(view, now), objectOf(view, 'lost'));
    const plan = forecast(view, { verb: 'unblock', target: objectOf(view, 'db-0'), remedy }, { now });
    expect(fates(plan)).toEqual(['db-0 Deleted by pod-garbage-collector 0..20']);
    expect(effectsOf(plan).couldRunTwice).toMatchObject([{ pod: { name: 'db-0' } }]);
  });
});

describe('a pod could run twice', () => {
  test('where a StatefulSet makes it again without its kubelet’s word', () => {
    const view = viewOf(inhabitants('lost'));
    for (const plan of [planDelete(view, 'lost'), planTaint(view, 'lost')]) {
      const [twice, ...more] = effectsOf(plan).couldRunTwice;
      expect(more).toEqual([]);
      expect(twice).toMatchObject({
        pod: { kind: 'Pod', name: 'db-0' },
        node: 'lost',
        replacedBy: { kind: 'StatefulSet', name: 'db' },
        claim: undefined,
      });
      expect(twice?.because).toContain('for an unknown time');
    }
  });

  test('for as long as a kubelet that answers needs to stop it', () => {
    const { couldRunTwice } = effectsOf(planDelete(viewOf(inhabitants('alive')), 'alive'));
    expect(couldRunTwice).toMatchObject([{ pod: { name: 'db-0' } }]);
    expect(couldRunTwice[0]?.because).toContain('within 30 s');
  });

  test('even where the forecast’s StatefulSet waits for the pods below, which one in parallel doesn’t', () => {
    const set = statefulSet('db', 'alive').replace('replicas: 1,', 'replicas: 2,');
    const sick = set.replace('status: "True"', 'status: "False"');
    const second = podOn('db-1', {
      node: 'lost',
      owners: 'apps/v1 StatefulSet db db +c +b',
      more: 'labels: {app: db}',
    });
    const plan = planDelete(viewOf(namespace + both + sick + second), 'lost');
    expect(plan.recreated).toEqual([]);
    expect(effectsOf(plan).couldRunTwice).toMatchObject([{ pod: { name: 'db-1' } }]);
  });

  test('under another name with the same claim', () => {
    const labels = '{app: api}';
    const claim = (name: string): string =>
      podOn(name, {
        node: 'lost',
        owners: 'apps/v1 ReplicaSet api api +c +b',
        more: `labels: ${labels}`,
        spec: 'volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}]',
      });
    const view = viewOf(`${namespace}${both}
- {kind: PersistentVolumeClaim, name: shared, status: {phase: Bound}}
- {kind: ReplicaSet, name: api, spec: {replicas: 1, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: 1}}${claim('api-x')}`);
    expect(effectsOf(planDelete(view, 'lost')).couldRunTwice).toMatchObject([
      { pod: { name: 'api-x' }, claim: 'shared', replacedBy: { kind: 'ReplicaSet' } },
    ]);
  });

  test('not where its containers have finished', () => {
    const finished = statefulSet('db', 'lost').replace('phase: Running', 'phase: Failed');
    expect(effectsOf(planDelete(viewOf(namespace + both + finished), 'lost')).couldRunTwice).toEqual([]);
  });
});

describe('new pods', () => {
  test('stay Pending where no node is left for them, and the plan says so', () => {
    const plan = planDelete(viewOf(namespace + node('only', 'True') + statefulSet('db', 'only')), 'only');
    expect(plan.recreated).toMatchObject([{ count: 1, pending: 1 }]);
    expect(warningWords.all(plan)).toContain(
      'No node that is left takes new pods: one stays Pending until one is ready for it.',
    );
    const placed = planDelete(viewOf(inhabitants('lost')), 'lost');
    expect(placed.recreated).toMatchObject([{ count: 1, pending: 0 }]);
    expect(warningWords.all(placed).join('\n')).toContain('are assumed to fit');
  });

  test('count as the action’s own where they would come later by themselves', () => {
    const silent = '{key: node.kubernetes.io/unreachable, effect: NoExecute}';
    const labels = '{app: api}';
    const replica = (name: string, on: string): string =>
      podOn(name, {
        node: on,
        owners: 'apps/v1 ReplicaSet api api +c +b',
        more: `labels: ${labels}`,
        spec: 'tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]',
      });
    const view = viewOf(`${namespace}${node('alive', 'True')}${node('lost', 'Unknown', silent)}
- {kind: ReplicaSet, name: api, spec: {replicas: 1, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: 1}}${replica('api-x', 'lost')}`);
    expect(plan(view, 'none').recreated).toMatchObject([{ by: { name: 'api' }, count: 1 }]);
    expect(planDelete(view, 'lost').recreated).toMatchObject([{ by: { name: 'api' }, anyway: false }]);
    expect(fates(planDelete(view, 'lost'))).toEqual(['api-x Deleted by pod-garbage-collector 40..80']);
  });

  test('count apart from those of another node that is gone', () => {
    const labels = '{app: api}';
    const replica = (name: string, on: string): string =>
      podOn(name, { node: on, owners: 'apps/v1 ReplicaSet api api +c +b', more: `labels: ${labels}` });
    const view = viewOf(`${namespace}${node('alive', 'True')}${node('other', 'True')}
- {kind: ReplicaSet, name: api, spec: {replicas: 3, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: 3}}${replica('api-x', 'gone')}${replica('api-y', 'gone')}${replica('api-z', 'other')}`);
    expect(plan(view, 'none').recreated).toMatchObject([{ by: { name: 'api' }, count: 2 }]);
    expect(planDelete(view, 'other').recreated).toMatchObject([
      { by: { name: 'api' }, count: 1, anyway: false },
      { by: { name: 'api' }, count: 2, anyway: true },
    ]);
  });

  test('of a DaemonSet aren’t made on a node that is tainted or gone', () => {
    const labels = 'labels: {app: agent}';
    const owners = 'apps/v1 DaemonSet agent agent +c +b';
    const view = viewOf(`${namespace}${both}
- {kind: DaemonSet, name: agent, spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {${labels}}}}, status: {desiredNumberScheduled: 2, currentNumberScheduled: 2}}${['alive', 'lost'].map(on => podOn(`agent-${on}`, { node: on, owners, more: labels })).join('')}`);
    for (const plan of [planDelete(view, 'lost'), planTaint(view, 'lost')]) {
      expect(plan.outcome).toBe('Completes');
      expect(plan.recreated).toEqual([]);
      expect(titles(plan.deleted)).toContain('Pod agent-lost');
    }
  });
});

test('an action that touches no node says nothing of nodes', () => {
  const view = viewOf(namespace + both.replaceAll('alive', 'node-1') + pod('a', ''));
  const plan = planDelete(view, 'a');
  expect([plan.nodes, warningWords.sentences(plan.alarms)]).toEqual([undefined, []]);
});

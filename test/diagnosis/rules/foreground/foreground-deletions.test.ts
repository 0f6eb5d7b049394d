import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { codesOn, findingOn, findingsOn, remediesIn } from '../../judged.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]';
const justNow = 'deletionTimestamp: "2026-11-21T11:59:50Z", finalizers: [foregroundDeletion]';
const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const node = `
- {kind: Node, name: node-1, namespace: "", status: {conditions: [{type: Ready, status: "True"}]}}`;

function pod(name: string, more: string): string {
  return `
- {kind: Pod, name: ${name}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running}, ${more}}`;
}

const web = `
- {kind: StatefulSet, name: web, ${foreground}}`;

describe('a foreground deletion that waits for a finalizer', () => {
  const stuck = `${node}${web}${pod('web-2', `owners: [apps/v1 StatefulSet web web +c +b], ${deleting}, finalizers: [example.com/drain]`)}`;

  test('names the dependent, its finalizer, and that nothing handles it', () => {
    const found = findingOn(stuck, 'web', 'ForegroundBlockedByFinalizer');
    expect(found).toMatchObject({
      severity: 'error',
      certainty: 'exact',
      brief: 'waits for web-2: example.com/drain',
      since: Date.parse('2026-11-21T11:48:00Z'),
      message:
        'StatefulSet shop/web is stuck: its foreground deletion waits for Pod web-2, which is held by the finalizer example.com/drain, and nothing in this cluster handles example.com.',
    });
    expect(found.related.map(({ name }) => name)).toEqual(['web-2']);
    expect(found.evidence).toContain('metadata.finalizers: [foregroundDeletion]');
    expect(found.evidence).toContain('Pod shop/web-2: metadata.finalizers: [example.com/drain]');
    expect(found.chain.map(({ by, object, finalizer }) => [by, object.name, finalizer])).toEqual([
      ['', 'web', undefined],
      ['blocked by', 'web-2', undefined],
      ['held by', 'web-2', 'example.com/drain'],
    ]);
    expect(remediesIn(found)).toEqual([
      'safe bring-back-controller',
      'safe clear-block/pod/web-2',
      'dangerous remove-finalizer/example.com/drain',
    ]);
  });

  test('is not told of a dependent that does not block', () => {
    const free = stuck.replace('web web +c +b', 'web web +c');
    expect(codesOn(free, 'web')).toEqual(['ForegroundStale']);
    expect(codesOn(free.replace(foreground, justNow), 'web')).toEqual([]);
  });

  test('follows dependents of dependents down to the finalizer', () => {
    const deep = `${node}
- {kind: Deployment, name: api, ${foreground}}
- {kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b], ${foreground}}${pod('api-1-x', `owners: [apps/v1 ReplicaSet api-1 api-1 +c +b], ${deleting}, finalizers: [example.com/drain]`)}`;
    const found = findingOn(deep, 'api', 'ForegroundBlockedByFinalizer');
    expect(found.message).toMatch(
      /waits for ReplicaSet api-1, which waits for Pod api-1-x, which is held by/,
    );
    expect(remediesIn(found)[1]).toBe('safe clear-block/replicaset/api-1');
    expect(codesOn(deep, 'api-1')).toEqual(['ForegroundBlockedByFinalizer']);
  });

  test('picks the dependent that is held among others that are only stopping', () => {
    const stopping = pod(
      'web-0',
      'owners: [apps/v1 StatefulSet web web +c +b], deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30',
    );
    const found = findingOn(stuck + stopping, 'web', 'ForegroundBlockedByFinalizer');
    expect(found.brief).toBe('waits for web-2: example.com/drain');
    expect(remediesIn(found)).not.toContain('safe clear-block/pod/web-0');
  });

  test('offers each of several that are held, and to wait for none', () => {
    const more = pod(
      'web-1',
      `owners: [apps/v1 StatefulSet web web +c +b], ${deleting}, finalizers: [example.com/drain]`,
    );
    const found = findingOn(stuck + more, 'web', 'ForegroundBlockedByFinalizer');
    expect(found.message).toMatch(/waits for Pod web-1 \(and for 1 other\), and Pod web-1 is held by/);
    expect(remediesIn(found).slice(1, 4)).toEqual([
      'safe clear-block/pod/web-1',
      'safe clear-block/pod/web-2',
      'caution redelete/background',
    ]);
  });

  test('is only info while a controller that is there may just be at it', () => {
    const handled = (at: string): string => `${node}
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}
- {kind: StatefulSet, name: web, ${at}}${pod('web-2', `owners: [apps/v1 StatefulSet web web +c +b], ${deleting}, finalizers: [example.com/drain]`)}`;
    expect(findingOn(handled(justNow), 'web', 'ForegroundBlockedByFinalizer')).toMatchObject({
      severity: 'info',
    });
    const late = findingOn(handled(foreground), 'web', 'ForegroundBlockedByFinalizer');
    expect(late.severity).toBe('warning');
    expect(late.message).toMatch(/Deployment ops\/drain-operator seems to be the one that removes it/);
  });

  test('is an error where nobody can tell whether anything handles it, unless the controller is well known', () => {
    const unseen = (finalizer: string) => {
      const view = viewOf(stuck.replace('example.com/drain', finalizer));
      const type = view.catalog.resolveKind('apps/v1', 'Deployment');
      if (type === undefined) throw new Error('no type');
      view.apply(
        {
          changes: [],
          statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }],
        },
        0,
      );
      return findingOn(view, 'web', 'ForegroundBlockedByFinalizer');
    };
    expect(unseen('example.com/drain')).toMatchObject({ severity: 'error', certainty: 'assumed' });
    expect(unseen('example.com/drain').message).toMatch(/is unknown: deployments\.apps cannot be seen\.$/);
    expect(unseen('finalizer.keda.sh')).toMatchObject({ severity: 'warning', certainty: 'assumed' });
  });

  test('becomes a warning by itself when its time has come', () => {
    const view = viewOf(`${node}
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}
- {kind: StatefulSet, name: web, ${justNow}}${pod('web-2', `owners: [apps/v1 StatefulSet web web +c +b], ${deleting}, finalizers: [example.com/drain]`)}`);
    const diagnosis = diagnoseCluster(view, now);
    expect(diagnosis.nextDue).toBe(Date.parse('2026-11-21T12:00:50Z'));
    expect(diagnosis.advance(now + 60_000)).toContain('web');
    expect(diagnosis.of('web' as Uid)[0]?.severity).toBe('warning');
  });

  test('tells of a claim that is in use', () => {
    const found = findingOn(
      `${node}
- {kind: ConfigMap, name: app, ${foreground}}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 ConfigMap app app +b], ${deleting}, finalizers: [kubernetes.io/pvc-protection]}
- {kind: Pod, name: user, spec: {nodeName: node-1, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}`,
      'app',
      'ForegroundBlockedByFinalizer',
    );
    expect(found.message).toMatch(
      /PersistentVolumeClaim data, which is in use by Pod user \(finalizer kubernetes.io\/pvc-protection\), which nothing deletes\.$/,
    );
    expect(found.chain.map(({ by, object }) => `${by} ${object.name}`)).toEqual([
      ' app',
      'blocked by data',
      'mounted by user',
    ]);
    expect(remediesIn(found)).toEqual(['safe free-dependent', 'safe clear-block/persistentvolumeclaim/data']);
  });
});

describe('a foreground deletion that waits for what is never collected', () => {
  const bad = `
- {kind: ConfigMap, name: a, ${foreground}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b, example.com/v1 Widget w w]}`;

  test('an owner of a kind that nothing serves', () => {
    const found = findingOn(bad, 'a', 'ForegroundBlockedByUnresolvableOwner');
    expect(found).toMatchObject({ severity: 'error', certainty: 'exact' });
    expect(found.message).toBe(
      "ConfigMap shop/a is stuck: its foreground deletion waits for ConfigMap b, which the garbage collector doesn't delete: nothing serves Widget of example.com/v1, so it is unknown whether its other owner w exists.",
    );
    expect(found.chain.at(-1)).toMatchObject({ by: 'owned by', object: { kind: 'Widget', name: 'w' } });
    expect(remediesIn(found)).toEqual(['safe clear-block/configmap/b', 'caution prune-reference/w']);
  });

  test('an API that fails for now is no error, and not certain', () => {
    const view = viewOf(bad);
    view.apply({ changes: [], failedGroups: [{ resource: '*.example.com', reason: '503' }] }, 0);
    const found = findingOn(view, 'a', 'ForegroundBlockedByUnresolvableOwner');
    expect(found).toMatchObject({ severity: 'warning', certainty: 'assumed' });
    expect(found.message).toMatch(/the API of example.com\/v1 cannot be reached now/);
  });

  test('a cluster-scoped dependent of a namespaced owner', () => {
    const found = findingOn(
      `
- {kind: ConfigMap, name: a, ${foreground}}
- {kind: ClusterRole, name: r, owners: [v1 ConfigMap a a +b]}`,
      'a',
      'ForegroundBlockedByClusterScopedDependent',
    );
    // Without a version of the server.
    expect(found).toMatchObject({ severity: 'error', certainty: 'assumed' });
    expect(found.message).toMatch(
      /waits for ClusterRole r, which the garbage collector of Kubernetes 1\.20 or newer never deletes/,
    );
    expect(remediesIn(found)).toEqual([
      'safe clear-block/clusterrole/r',
      'caution prune-reference/a',
      'caution delete/clusterrole/r',
    ]);
  });
});

describe('a foreground deletion that waits for itself', () => {
  test('by a reference of the object to itself', () => {
    const found = findingOn(
      `- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a +b], ${foreground}}`,
      'a',
      'SelfOwnerDeadlock',
    );
    expect(found.message).toBe(
      'ConfigMap shop/a is stuck: its foreground deletion waits for itself: it names itself as an owner, with blockOwnerDeletion.',
    );
    expect(remediesIn(found)).toEqual([
      'safe clear-block/configmap/a',
      'caution prune-reference/a',
      'caution redelete/background',
    ]);
  });

  test('but not by one that does not block', () => {
    const free = `- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a], ${foreground}}`;
    expect(codesOn(free, 'a')).toEqual(['ForegroundStale']);
  });

  const cycle = `
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b +b], ${foreground}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b], ${foreground}}`;

  test('around a cycle whose members all wait', () => {
    expect(codesOn(cycle, 'a')).toEqual(['ForegroundCycleDeadlock']);
    const found = findingOn(cycle, 'b', 'ForegroundCycleDeadlock');
    expect(found.severity).toBe('error');
    expect(found.message).toMatch(
      /^ConfigMap shop\/b is stuck: its foreground deletion waits for ConfigMap a,/,
    );
    expect(found.chain.at(-1)?.because).toMatch(/cycle closes: ConfigMap b → ConfigMap a → ConfigMap b/);
    expect(remediesIn(found)).toEqual(['safe clear-block/configmap/a', 'caution redelete/background']);
  });

  test('an owner outside of the cycle is told about it, and offered the reference that breaks it', () => {
    const above = `${cycle.replace('[v1 ConfigMap b b +b]', '[v1 ConfigMap b b +b, v1 ConfigMap top top +b]')}
- {kind: ConfigMap, name: top, ${foreground}}`;
    const found = findingOn(above, 'top', 'ForegroundCycleDeadlock');
    expect(found.message).toMatch(
      /waits for ConfigMap a.*, and ConfigMap a and ConfigMap b wait for each other/,
    );
    expect(remediesIn(found)).toEqual(['safe clear-block/configmap/b', 'safe clear-block/configmap/a']);
  });

  test('a cycle with a member that does not wait yet is broken by the collector, and no finding until it is late', () => {
    const opening = (at: string): string => `
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b +b], ${at}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b]}`;
    expect(codesOn(opening(justNow), 'a')).toEqual([]);
    expect(codesOn(opening(foreground), 'a')).toEqual(['ForegroundStale']);
  });

  test('a pod that waits for the claim it mounts is told by the rule for that', () => {
    const found = codesOn(
      `${node}
- {kind: Pod, name: p, ${deleting}, finalizers: [foregroundDeletion], spec: {nodeName: node-1, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 Pod p p +b], ${deleting}, finalizers: [kubernetes.io/pvc-protection]}
- {kind: ConfigMap, name: none}`,
      'p',
    );
    expect(found.filter(code => code !== 'PodVolumeDeadlock')).toEqual([]);
  });
});

describe('a foreground deletion that only the collector is late for', () => {
  test('nothing blocks any more', () => {
    const found = findingOn(web, 'web', 'ForegroundStale');
    expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(remediesIn(found)).toEqual(['safe remove-finalizer/foregroundDeletion', 'safe check-collector']);
  });

  test('is no finding within its first minute, and then is', () => {
    const fresh = `
- {kind: StatefulSet, name: web, ${justNow}}`;
    expect(findingsOn(fresh, 'web')).toEqual([]);
    expect(codesOn(fresh, 'web', now + 51_000)).toEqual(['ForegroundStale']);
  });

  test('is not certain where a kind that could block cannot be seen', () => {
    const view = viewOf(web);
    const secrets = view.catalog.resolveKind('v1', 'Secret');
    if (secrets === undefined) throw new Error('no type');
    view.apply(
      {
        changes: [],
        statuses: [{ type: secrets, state: 'blind', count: 0, facts: false, reason: '403' }],
      },
      0,
    );
    const found = findingOn(view, 'web', 'ForegroundStale');
    expect(found.certainty).toBe('assumed');
    expect(found.message).toMatch(/unless something among secrets blocks it, which cannot be seen/);
  });

  test('a dependent that should be gone by now', () => {
    const found = findingOn(
      `${web}
- {kind: ConfigMap, name: c, owners: [apps/v1 StatefulSet web web +b]}`,
      'web',
      'ForegroundStale',
    );
    expect(found.message).toMatch(
      /waits for ConfigMap c, which the garbage collector should have deleted by now/,
    );
    expect(remediesIn(found)).toEqual(['safe check-collector', 'caution redelete/background']);
  });

  test('is no finding while it deletes one dependent after the other', () => {
    const busy = `${node}${web}
- {kind: ConfigMap, name: c, owners: [apps/v1 StatefulSet web web +b]}${pod('web-9', 'owners: [apps/v1 StatefulSet web web +b], deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30')}`;
    expect(codesOn(busy, 'web')).toEqual([]);
  });

  test('a pod that its kubelet is stopping is nothing to report', () => {
    const stopping = `${node}${web}${pod('web-0', 'owners: [apps/v1 StatefulSet web web +b], deletionTimestamp: "2026-11-21T12:10:00Z", deletionGracePeriodSeconds: 1320')}`;
    expect(codesOn(stopping, 'web')).toEqual([]);
  });
});

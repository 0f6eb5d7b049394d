import { describe, expect, test } from 'vitest';
import { deployment, nodes, plan, planDelete, planUnblock, pod, titles, viewOf, waits } from './fixtures.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]';
const held = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers:';

describe('stuck deletions are forecast as stuck, with the one thing that holds them', () => {
  test('a blocking dependent is held by a foreign finalizer (docs/kubernetes.md §10 row 1)', () => {
    const view = viewOf(
      `${nodes}
- {kind: ConfigMap, name: web, ${foreground}}${pod('web-2', 'v1 ConfigMap web web +b', `, ${held} [example.com/drain]`)}`,
    );
    const none = plan(view, 'none');
    expect(none.outcome).toBe('Stuck');
    expect(waits(none, 'ConfigMap web')).toEqual(['Pod web-2, held by finalizer example.com/drain']);
    expect(waits(none, 'Pod web-2')).toEqual([
      'finalizer example.com/drain, which its own controller has to remove',
    ]);
    expect(none.terminating.map(({ cause }) => cause)).toEqual([
      'example.com/drain holds web-2',
      'held by example.com/drain',
    ]);
    const unblocked = planUnblock(view, 'web', 'clear-block/pod/web-2');
    expect(unblocked.outcome).toBe('Completes');
    expect(titles(unblocked.deleted)).toEqual(['ConfigMap web']);
    expect(unblocked.changed).toMatchObject([{ ownerReferencesUnblocked: ['web'] }]);
    expect(titles(unblocked.terminating)).toEqual(['Pod web-2']);
  });

  test('an owner of an unresolvable kind keeps a blocking dependent from being collected (docs/kubernetes.md §10 row 2)', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b, example.com/v1 Widget w w]}`);
    expect(waits(plan(view, 'none'), 'ConfigMap a')).toEqual([
      'ConfigMap b, which is never collected while its owner kind example.com/v1 Widget cannot be resolved',
    ]);
  });

  test('a cluster-scoped dependent is never collected (docs/kubernetes.md §10 row 3)', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}}
- {kind: ClusterRole, name: r, owners: [v1 ConfigMap a a +b]}`);
    expect(waits(plan(view, 'none'), 'ConfigMap a')?.[0]).toMatch(/^ClusterRole r, which is cluster-scoped/);
  });

  test('an object that blocks itself (docs/kubernetes.md §10 row 4)', () => {
    const view = viewOf('- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a +b]}');
    const deleted = planDelete(view, 'a', 'foreground');
    expect(deleted.outcome).toBe('Stuck');
    expect(waits(deleted, 'ConfigMap a')?.[0]).toMatch(/^itself: its owner reference to itself blocks/);
    expect(deleted.timingDependent).toEqual([]);
    const stuck = viewOf(`- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a +b], ${foreground}}`);
    expect(plan(stuck, 'none').outcome).toBe('Stuck');
    expect(planUnblock(stuck, 'a', 'clear-block/configmap/a').outcome).toBe('Completes');
    expect(planUnblock(stuck, 'a', 'redelete/background').outcome).toBe('Completes');
  });

  test('a cycle whose members all wait (docs/kubernetes.md §10 row 5)', () => {
    const cycle = viewOf(`
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b +b], ${foreground}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b], ${foreground}}`);
    for (const verb of ['none', 'restart'] as const) {
      const forecast = plan(cycle, verb);
      // A restart doesn't hold up what is held up without it.
      expect(forecast.outcome).toBe(verb === 'none' ? 'Stuck' : 'NoChange');
      expect(waits(forecast, 'ConfigMap a')?.[0]).toMatch(
        /^ConfigMap b, which waits for ConfigMap a: a cycle of blocking owner references/,
      );
    }
    const freed = planUnblock(cycle, 'a', 'redelete/background');
    expect(freed.outcome).toBe('Completes');
    expect(titles(freed.deleted)).toEqual(['ConfigMap a', 'ConfigMap b']);
  });

  test('a cycle of which one member is deleted in the foreground goes completely', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b b +b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b]}`);
    const forecast = planDelete(view, 'a', 'foreground');
    expect(forecast).toMatchObject({ outcome: 'Completes', timingDependent: [] });
    expect(titles(forecast.deleted)).toEqual(['ConfigMap a', 'ConfigMap b']);
  });

  test('a pod in foreground deletion owns the claim that it mounts (docs/kubernetes.md §10 row 7)', () => {
    const view = viewOf(`${nodes}
- {kind: Pod, name: p, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [foregroundDeletion], spec: {nodeName: node-1, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Failed}}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 Pod p p +b], ${held} [kubernetes.io/pvc-protection]}`);
    const none = plan(view, 'none');
    expect(none.outcome).toBe('Stuck');
    expect(waits(none, 'Pod p')?.[0]).toMatch(
      /^PersistentVolumeClaim data, which waits for Pod p, which mounts/,
    );
    expect(waits(none, 'PersistentVolumeClaim data')?.[0]).toMatch(/^Pod p, .*a deadlock$/);
    const freed = planUnblock(view, 'p', 'redelete/background');
    expect(freed.outcome).toBe('Completes');
    expect(titles(freed.deleted)).toEqual(['PersistentVolumeClaim data', 'Pod p']);
  });

  test('a pod on a node that is not ready waits for its kubelet', () => {
    const view = viewOf(`${nodes}
- {kind: Pod, name: p, spec: {nodeName: node-2, terminationGracePeriodSeconds: 30, containers: [{name: a}]}, status: {phase: Running}}`);
    const forecast = planDelete(view, 'p');
    expect(forecast.outcome).toBe('Stuck');
    expect(waits(forecast, 'Pod p')?.[0]).toMatch(/^the kubelet on node-2: the node is not ready/);
  });

  test('a namespace with something that is held', () => {
    const view = viewOf(`${nodes}${deployment('api', 2)}
- {kind: ConfigMap, name: kept, finalizers: [example.com/a]}`);
    const forecast = planDelete(view, 'shop');
    expect(forecast.outcome).toBe('Stuck');
    expect(waits(forecast, 'Namespace shop')).toEqual(['ConfigMap kept, held by finalizer example.com/a']);
    expect(titles(forecast.deleted)).toContain('Deployment api');
  });
});

import { describe, expect, test } from 'vitest';
import { allWarnings } from '../../src/text/plan/warnings.ts';
import { planDelete, planUnblock, titles, viewOf } from './fixtures.ts';

describe('where the order of work decides, no end is presented as certain', () => {
  test('an orphan strip that races a waiting owner', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: orphaning, deletionTimestamp: "2026-11-21T11:59:59Z", finalizers: [orphan]}
- {kind: ConfigMap, name: waiting, deletionTimestamp: "2026-11-21T11:59:59Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: both, owners: [v1 ConfigMap orphaning orphaning +b, v1 ConfigMap waiting waiting +b]}
- {kind: Service, name: target}`);
    const forecast = planUnblock(view, 'waiting', 'redelete/foreground');
    expect(forecast.timingDependent).toMatchObject([{ object: { name: 'both' } }]);
    expect(forecast.timingDependent[0]?.outcomes.length).toBeGreaterThan(1);
    for (const list of [forecast.deleted, forecast.changed, forecast.terminating]) {
      expect(titles(list)).not.toContain('ConfigMap both');
    }
    expect(allWarnings(forecast).join()).toMatch(/The end depends on timing for one object/);
  });

  test('a dependent that does not block may be judged when its owner has left the foreground deletion', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: held, finalizers: [example.com/x]}
- {kind: Secret, name: unblocking, owners: [v1 ConfigMap held]}`);
    const forecast = planDelete(view, 'held', 'foreground');
    expect(forecast.timingDependent).toMatchObject([
      { object: { name: 'unblocking' }, outcomes: [{ end: 'deleted' }, { end: 'kept' }] },
    ]);
    expect(forecast).toMatchObject({ deleted: [], outcome: 'Stuck' });
  });

  test('a dependent that blocks is waited for, and one of an owner that nothing else holds goes either way', () => {
    const blocking = viewOf(`
- {kind: ConfigMap, name: held, finalizers: [example.com/x]}
- {kind: Secret, name: blocks, owners: [v1 ConfigMap held held +b]}`);
    expect(planDelete(blocking, 'held', 'foreground')).toMatchObject({ timingDependent: [] });
    const free = viewOf(`
- {kind: ConfigMap, name: free}
- {kind: Secret, name: unblocking, owners: [v1 ConfigMap free]}`);
    expect(planDelete(free, 'free', 'foreground')).toMatchObject({ timingDependent: [] });
  });

  test('two owners deleted in the background take their common dependent in any order', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: Secret, name: both, owners: [v1 ConfigMap a, v1 ConfigMap b]}`);
    const forecast = planDelete(view, 'a b');
    expect(forecast.ordersTried).toBeGreaterThan(0);
    expect(forecast).toMatchObject({ outcome: 'Completes', timingDependent: [] });
    expect(titles(forecast.deleted)).toEqual(['ConfigMap a', 'ConfigMap b', 'Secret both']);
  });

  test('one of two owners goes: the other keeps the dependent, which loses a reference', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: Secret, name: both, owners: [v1 ConfigMap a, v1 ConfigMap b]}`);
    for (const cascade of ['background', 'foreground', 'orphan'] as const) {
      const forecast = planDelete(view, 'a', cascade);
      expect(titles(forecast.deleted)).toEqual(['ConfigMap a']);
      expect(forecast.changed).toMatchObject([{ ownerReferencesRemoved: ['a'] }]);
      expect(forecast.timingDependent).toEqual([]);
    }
  });

  test('a plain tree is not tried in other orders', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: Secret, name: below, owners: [v1 ConfigMap a]}`);
    expect(planDelete(view, 'a').ordersTried).toBe(0);
  });
});

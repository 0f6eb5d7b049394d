import { describe, expect, test } from 'vitest';
import { Forecaster, type ForecasterOptions } from '../../src/forecast/compose/forecaster.ts';
import { Forecast } from '../../src/forecast/plan/forecast-result.ts';
import type { Uid } from '../../src/model/object.ts';
import { planWords } from '../../src/text/index.ts';
import { dependence } from '../../src/text/plan/handlers.ts';
import { warningWords } from '../../src/text/plan/warning-words.ts';
import { now, planDelete, planUnblock, titles, viewOf } from './fixtures.ts';

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
    expect(warningWords.all(forecast).join()).toMatch(/The end depends on timing for one object/);
  });

  test('what depends on timing without the action is no effect of it', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: other}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:59:59Z", finalizers: [foregroundDeletion, example.com/x]}
- {kind: Secret, name: unblocking, owners: [v1 ConfigMap held]}`);
    const forecast = planDelete(view, 'other');
    expect(forecast.timingDependent).toMatchObject([{ object: { name: 'unblocking' }, anyway: true }]);
    expect(forecast.outcome).toBe('Completes');
    expect(warningWords.all(forecast).join()).not.toContain('timing');
    const lines = [...planWords.lines(forecast, { wide: false, steps: false })];
    const text = lines.map(({ spans }) => spans.map(each => each.text).join('')).join('\n');
    expect(text).toContain('1 object is deleted.');
    expect(text).toContain('Secret unblocking: depends on timing either way');
    expect([...planWords.guard(forecast, { seesAll: true, mayName: () => true })]).toEqual([]);
    const target = [...view.graph.nodes()].find(({ identity }) => identity.name === 'other')?.object;
    if (target === undefined) throw new Error('no other');
    const narrow = Forecaster.create(view, { now, scope: 'action' }).forecast({
      verb: 'delete',
      cascade: 'background',
      targets: [target],
    });
    const uncertain = forecast.timingDependent[0]?.object.uid as Uid;
    expect(narrow.endElsewhere?.(uncertain)).toBe('terminating');
    for (const each of [forecast, narrow]) expect(Forecast.deletionCheck(each)(uncertain)).toBe(true);
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

  test('one that does not block and is held, too: its own dependents then stay with it', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: top}
- {kind: Secret, name: held, finalizers: [example.com/x], owners: [v1 ConfigMap top]}
- {kind: Service, name: below, owners: [v1 Secret held held +b]}`);
    const { timingDependent, terminating, deleted } = planDelete(view, 'top', 'foreground');
    expect(timingDependent).toMatchObject([
      { object: { name: 'below' }, outcomes: [{ end: 'deleted' }, { end: 'kept' }] },
    ]);
    expect(titles(deleted)).toEqual(['ConfigMap top']);
    expect(titles(terminating)).toEqual(['Secret held']);
  });

  test('an owner that is referred to twice may be there at one look and waiting or gone at the next, however much goes on', () => {
    const others = Array.from(
      { length: 1300 },
      (_, index) => `- {kind: ConfigMap, name: other-${index}, owners: [v1 ConfigMap top top +b]}`,
    );
    const view = viewOf(`
- {kind: ConfigMap, name: top}
- {kind: Secret, name: middle, owners: [v1 ConfigMap top top +b]}
- {kind: Secret, name: bottom, owners: [v1 ConfigMap top top +b, v1 Secret middle middle, v1 Secret middle middle +b]}
${others.join('\n')}`);
    const forecast = planDelete(view, 'top', 'foreground');
    expect(forecast.ordersTried).toBeLessThan(5);
    expect(forecast.timingDependent).toMatchObject([{ object: { name: 'bottom' } }]);
    expect(forecast.timingDependent[0]?.outcomes.map(({ end }) => end).sort()).toEqual(['deleted', 'kept']);
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

  const running = {
    finalizer: 'example.com/served',
    handler: 'x',
    state: 'running',
    evidence: [],
    words: 'runs',
  } as const;
  const absent = { ...running, finalizer: 'example.com/hold', state: 'absent' } as const;
  const served: Partial<ForecasterOptions> = {
    handlers: (_, finalizer) => (finalizer === running.finalizer ? running : absent),
  };
  const emptied =
    '- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Active}}';

  test('a namespace is emptied kind after kind: the collector takes references off what its turn has not come to', () => {
    const view = viewOf(`
${emptied}
- {kind: ConfigMap, name: a, namespace: shop}
- {kind: Secret, name: b, namespace: shop}
- {kind: Service, name: kept, namespace: shop, finalizers: [example.com/hold], owners: [v1 ConfigMap a, v1 Secret b]}
- {kind: Service, name: one, namespace: shop, finalizers: [example.com/hold], owners: [v1 ConfigMap a]}`);
    const { timingDependent, terminating } = planDelete(view, 'shop');
    expect(timingDependent).toMatchObject([{ object: { name: 'kept' }, ifHandled: false }]);
    expect(timingDependent[0]?.outcomes.map(({ words }) => words)).toEqual([
      'stuck deleting',
      'stuck deleting, without its reference to ConfigMap a',
      'stuck deleting, without its reference to Secret b',
    ]);
    expect(titles(terminating)).toEqual(['Namespace shop', 'Service one']);
  });

  test('two orders meet every pair of kinds, whichever is emptied first', () => {
    const pair = (owner: string, kind: string): string => `
- {kind: ${owner}, name: ${owner.toLowerCase()}, namespace: shop}
- {kind: ${kind}, name: held, namespace: shop, finalizers: [example.com/hold], owners: [v1 ${owner} ${owner.toLowerCase()}, v1 Node node]}`;
    for (const [owner, kind] of [
      ['ConfigMap', 'Service'],
      ['Service', 'ConfigMap'],
      ['Secret', 'ConfigMap'],
      ['ConfigMap', 'Secret'],
    ] as const) {
      const view = viewOf(`${emptied}\n- {kind: Node, name: node, namespace: ""}${pair(owner, kind)}`);
      const { timingDependent, ordersTried } = planDelete(view, 'shop', 'background', { mostOrders: 2 });
      expect(ordersTried).toBe(2);
      expect(timingDependent.map(({ object }) => object.name)).toEqual(['held']);
    }
  });

  test('what is certain as long as handlers wait may depend on the order once they have done their work', () => {
    const view = viewOf(`
${emptied}
- {kind: Pod, name: first, namespace: shop, finalizers: [example.com/served]}
- {kind: ConfigMap, name: a, namespace: shop}
- {kind: Secret, name: b, namespace: shop}
- {kind: Service, name: kept, namespace: shop, finalizers: [example.com/hold], owners: [v1 ConfigMap a, v1 Secret b]}`);
    const { outcome, timingDependent, ifHandled, terminating } = planDelete(
      view,
      'shop',
      'background',
      served,
    );
    expect(outcome).toBe('Stuck');
    expect(titles(terminating)).toEqual(['Namespace shop', 'Pod first']);
    expect(timingDependent).toMatchObject([{ object: { name: 'kept' }, ifHandled: true }]);
    expect(titles(ifHandled?.terminating ?? [])).toEqual(['Namespace shop']);
    expect(titles(ifHandled?.deleted ?? [])).toEqual(['ConfigMap a', 'Pod first', 'Secret b']);
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

  test('what is held either way names who has to remove its finalizer, which the end of others hangs on', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}
- {kind: ConfigMap, name: either, finalizers: [example.com/outside], owners: [v1 ConfigMap b b +b, v1 ConfigMap a a +b]}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap either either +b]}`);
    const outside = {
      finalizer: 'example.com/outside',
      handler: 'x',
      state: 'unknown',
      evidence: [],
      words: 'may be away',
    } as const;
    const forecast = planDelete(view, 'a', 'background', { handlers: () => outside });
    expect(forecast).toMatchObject({
      outcome: 'Depends',
      terminating: [],
      timingDependent: [{ object: { name: 'either' }, handlers: [outside] }],
    });
    expect(Forecast.dependsOnUnknown(forecast)).toBe(true);
    expect(dependence(forecast)).toContain('completes only if x removes example.com/outside');
  });

  test('the collector may delete an object before the reference that condemns it is removed', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap lost]}
- {kind: ClusterRole, name: below, owners: [v1 ConfigMap stray]}`);
    const { timingDependent } = planUnblock(view, 'stray', 'prune-reference/lost');
    expect(timingDependent.map(({ object }) => object.name)).toEqual(['stray']);
    expect(timingDependent[0]?.outcomes.map(({ end }) => end)).toEqual(['deleted', 'kept']);
  });

  test('a request that stays the only one is tried in no other order', () => {
    const view = viewOf(
      '- {kind: Secret, name: both, owners: [v1 ConfigMap a, v1 ConfigMap b]}\n- {kind: ConfigMap, name: a}\n- {kind: ConfigMap, name: b}',
    );
    const forecast = planDelete(view, 'both');
    expect(forecast).toMatchObject({ outcome: 'Completes', timingDependent: [], ordersTried: 0 });
    expect(warningWords.all(forecast)).toEqual([]);
  });

  test('a plain tree is not tried in other orders', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: Secret, name: below, owners: [v1 ConfigMap a]}`);
    expect(planDelete(view, 'a').ordersTried).toBe(0);
  });
});

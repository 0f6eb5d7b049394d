import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/forecast/action.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { createForecaster } from '../../src/forecast/forecaster.ts';
import type { Forecast } from '../../src/forecast/plan.ts';
import type { ApplicableRemedy } from '../../src/forecast/remedy.ts';
import { KubeObject } from '../../src/model/object.ts';
import { Random } from '../../src/simulation/random.ts';
import { NOW } from '../simulation/fixtures.ts';
import { deployment, nodes, now, objectOf, remedyOf, titles, viewOf } from './fixtures.ts';
import { pick, viewOf as viewOfObjects, world } from './random-world.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;

/** Several random graphs, each in namespaces of its own, with deletions under way in all of them. */
function busyWorld(random: Random): KubeObject[] {
  const objects: KubeObject[] = [];
  for (let part = 0; part < 4; part++) {
    for (const each of world(random)) {
      const uid = `${part}-${each.uid}` as KubeObject['uid'];
      const deleting = random.below(3) === 0;
      const finalizer = pick(random, ['foregroundDeletion', 'orphan', 'example.com/hold'] as const);
      objects.push(
        new KubeObject({
          ...each,
          uid,
          name: uid,
          namespace: each.namespace === '' ? '' : `${each.namespace}-${part}`,
          owners: each.owners.map(owner => ({
            ...owner,
            uid: `${part}-${owner.uid}` as KubeObject['uid'],
            name: owner.name === 'renamed' ? owner.name : `${part}-${owner.uid}`,
          })),
          ...(deleting ? { deletionTimestamp: NOW - 1000, finalizers: [finalizer] } : {}),
        }),
      );
    }
  }
  return objects;
}

/** What the action itself brings about. */
function ofItsOwn(plan: Forecast): object {
  const own = <T extends { readonly anyway: boolean }>(list: readonly T[]): readonly T[] =>
    list.filter(({ anyway }) => !anyway);
  const { outcome, deleted, terminating, changed, recreated, untouched } = plan;
  return {
    outcome,
    deleted: own(deleted),
    terminating: own(terminating),
    changed: own(changed),
    recreated: own(recreated),
    untouched,
  };
}

function withoutFunctions(plan: Forecast): object {
  return { ...plan, steps: plan.steps() };
}

describe('a forecaster', () => {
  const view = viewOf(`${nodes}${deployment('api', 2)}${deployment('web', 2)}
- {kind: ConfigMap, name: a, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b], deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap lost]}`);

  test('tells of each action what it would tell if it were the only one', () => {
    const actions: Action[] = [
      ...cascades.map((cascade): Action => ({ verb: 'delete', cascade, targets: [objectOf(view, 'api')] })),
      { verb: 'none' },
      { verb: 'restart' },
      { verb: 'delete', cascade: 'background', targets: [objectOf(view, 'b')] },
      {
        verb: 'unblock',
        target: objectOf(view, 'a'),
        remedy: remedyOf(view, objectOf(view, 'a'), 'clear-block/configmap/b'),
      },
      { verb: 'delete', cascade: 'foreground', targets: [objectOf(view, 'web-h')] },
    ];
    const forecaster = createForecaster(view, { now });
    for (const action of [...actions, ...actions.toReversed()]) {
      expect(withoutFunctions(forecaster.forecast(action))).toEqual(
        withoutFunctions(forecast(view, action, { now })),
      );
    }
  });

  test('applies a remedy that it is handed, of one request or of several', () => {
    const [a, b] = [objectOf(view, 'a'), objectOf(view, 'b')];
    const remedy: ApplicableRemedy = {
      id: 'free-both',
      title: 'free both',
      risk: 'dangerous',
      effect: 'both go',
      requests: [],
      kubectl: 'kubectl patch',
      apply: api => [
        api.patch(b, { finalizers: [] }, { uid: b.uid }),
        api.patch(a, { finalizers: [] }, { uid: a.uid }),
      ],
    };
    const told = createForecaster(view, { now }).forecast({ verb: 'unblock', target: a, remedy });
    expect(told).toMatchObject({ outcome: 'Completes', action: { verb: 'unblock', remedy: 'free-both' } });
    expect(titles(told.deleted.filter(({ anyway }) => !anyway))).toEqual(['ConfigMap a', 'ConfigMap b']);
    const gone = createForecaster(view, { now }).forecast({
      verb: 'unblock',
      target: a,
      remedy: { ...remedy, apply: api => api.patch({ ...a, name: 'nobody' }, {}) },
    });
    expect(gone.outcome).toBe('Refused');
  });

  test('narrowed to the action leaves out what goes on elsewhere, and tells the same of what the action does', () => {
    const far = viewOf(`
- {kind: ConfigMap, name: here}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap here]}
- {kind: ConfigMap, name: near, owners: [v1 ConfigMap gone]}
- {kind: ConfigMap, name: far, namespace: infra, owners: [v1 ConfigMap lost]}`);
    const action: Action = { verb: 'delete', cascade: 'background', targets: [objectOf(far, 'here')] };
    const narrow = createForecaster(far, { now, scope: 'action' }).forecast(action);
    expect(titles(narrow.deleted)).toEqual(['ConfigMap below', 'ConfigMap here', 'ConfigMap near']);
    expect(titles(forecast(far, action, { now }).deleted)).toContain('ConfigMap far');
  });

  test('narrowed to the action agrees with a forecast of everything on random graphs', () => {
    let compared = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const objects = busyWorld(random);
      const busy = viewOfObjects(objects);
      const whole = createForecaster(busy, { now: NOW, mostOrders: 3 });
      const narrow = createForecaster(busy, { now: NOW, mostOrders: 3, scope: 'action' });
      for (let round = 0; round < 2; round++) {
        const target = objects[random.below(objects.length)];
        if (target === undefined) continue;
        const action: Action = { verb: 'delete', cascade: pick(random, cascades), targets: [target] };
        const [all, some] = [whole.forecast(action), narrow.forecast(action)];
        // Which other orders are sampled depends on everything that waits in them.
        if (all.timingDependent.length > 0 || some.timingDependent.length > 0) continue;
        expect(ofItsOwn(some), `seed ${seed}`).toEqual(ofItsOwn(all));
        expect(some.terminating.length).toBeLessThanOrEqual(all.terminating.length);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });
});

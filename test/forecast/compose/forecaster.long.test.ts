import { describe, expect, test } from 'vitest';
import type { Action, ApplicableRemedy } from '../../../src/forecast/action.ts';
import { Forecaster, forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { FinalizerHandler, HandlerJudge } from '../../../src/forecast/finalizer-handlers.ts';
import { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { identityOfObject, isDeleting } from '../../../src/graph/index.ts';
import { KubeObject } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { builtIn, NOW } from '../../simulation/fixtures.ts';
import { deployment, nodes, now, objectOf, remedyOf, titles, viewOf } from '../fixtures.ts';
import { oddWorkloads } from '../odd-workloads.ts';
import { pick, viewOf as viewOfObjects, world } from '../random-world.ts';

const ROUNDS = Number(process.env['NARROWED_ROUNDS'] ?? 20);

const cascades = ['background', 'foreground', 'orphan'] as const;

/** Several random graphs, each in namespaces of its own or all in the same, with deletions under way in all of them. */
function busyWorld(random: Random, together: boolean): KubeObject[] {
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
          namespace: each.namespace === '' ? '' : `${each.namespace}-${together ? 0 : part}`,
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

/** Takes every finalizer off. */
function freeing(target: KubeObject): ApplicableRemedy {
  return {
    id: 'free',
    title: 'free it',
    risk: 'dangerous',
    effect: 'it is removed',
    requests: [],
    kubectl: [{ words: ['kubectl', 'patch'] }],
    apply: api => api.patch(target, { finalizers: [] }, { uid: target.uid }),
  };
}

/** What the action itself brings about. */
function ofItsOwn(plan: Forecast): object {
  const own = <T extends { readonly anyway: boolean }>(list: readonly T[]): readonly T[] =>
    list.filter(({ anyway }) => !anyway);
  const { outcome, deleted, terminating, changed, recreated, untouched, timingDependent } = plan;
  const end = Forecast.expectedEnd(plan);
  return {
    outcome,
    deleted: own(deleted),
    terminating: own(terminating),
    changed: own(changed),
    recreated: own(recreated),
    untouched,
    timingDependent: own(timingDependent),
    end: [own(end.deleted), own(end.terminating), own(end.changed)],
    alarms: plan.alarms,
  };
}

function withoutFunctions(plan: Forecast): object {
  return { ...plan, steps: plan.steps(), stepsInSlices: undefined };
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
    const forecaster = Forecaster.create(view, { now });
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
      kubectl: [{ words: ['kubectl', 'patch'] }],
      apply: api => [
        api.patch(b, { finalizers: [] }, { uid: b.uid }),
        api.patch(a, { finalizers: [] }, { uid: a.uid }),
      ],
    };
    const told = Forecaster.create(view, { now }).forecast({ verb: 'unblock', target: a, remedy });
    expect(told).toMatchObject({ outcome: 'Completes', action: { verb: 'unblock', remedy: 'free-both' } });
    expect(titles(told.deleted.filter(({ anyway }) => !anyway))).toEqual(['ConfigMap a', 'ConfigMap b']);
    const gone = Forecaster.create(view, { now }).forecast({
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
- {kind: ConfigMap, name: near, owners: [v1 ConfigMap gone, v1 ConfigMap here]}
- {kind: ConfigMap, name: far, namespace: infra, owners: [v1 ConfigMap lost]}`);
    const action: Action = { verb: 'delete', cascade: 'background', targets: [objectOf(far, 'here')] };
    const narrow = Forecaster.create(far, { now, scope: 'action' }).forecast(action);
    expect(titles(narrow.deleted)).toEqual(['ConfigMap below', 'ConfigMap here', 'ConfigMap near']);
    expect(titles(forecast(far, action, { now }).deleted)).toContain('ConfigMap far');
  });

  test.each([
    ['the last that holds a namespace', '[foregroundDeletion]', ['ConfigMap held', 'Namespace old']],
    ['one of two that hold a namespace', '[example.com/keep]', ['ConfigMap held']],
  ])('narrowed to %s knows whether the namespace is deleted', (_, finalizers, deleted) => {
    const old = viewOf(`
- {kind: Namespace, name: old, deletionTimestamp: "2026-11-21T11:48:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceContentRemaining, status: "True"}]}}
- {kind: ConfigMap, namespace: old, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, namespace: old, name: other, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: ${finalizers}}`);
    const target = objectOf(old, 'held');
    const action: Action = { verb: 'unblock', target, remedy: freeing(target) };
    for (const scope of ['everything', 'action'] as const) {
      const told = Forecaster.create(old, { now, scope }).forecast(action);
      expect(titles(told.deleted.filter(({ anyway }) => !anyway)).sort(), scope).toEqual(deleted);
    }
  });

  test('narrowed to the last pod of a namespace that is being deleted knows what is deleted after it', () => {
    const old = viewOf(`
- {kind: Namespace, name: old, deletionTimestamp: "2026-11-21T11:48:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceContentRemaining, status: "True"}]}}
- {kind: Pod, namespace: old, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: Pod, namespace: old, name: going, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, namespace: old, name: live}
- {kind: ConfigMap, namespace: old, name: stuck, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/keep]}`);
    const target = objectOf(old, 'held');
    const action: Action = { verb: 'unblock', target, remedy: freeing(target) };
    for (const scope of ['everything', 'action'] as const) {
      const told = Forecaster.create(old, { now, scope }).forecast(action);
      const own = titles(told.deleted.filter(({ anyway }) => !anyway));
      expect(own.sort(), scope).toEqual(['ConfigMap live', 'Pod held']);
    }
  });

  test('narrowed to a namespace knows what goes on about the volumes of its claims', () => {
    const bound = viewOf(`
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Namespace, name: old, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Namespace, name: other, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: PersistentVolumeClaim, namespace: old, name: data, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv}, status: {phase: Bound}}
- {kind: PersistentVolume, name: pv, namespace: "", finalizers: [kubernetes.io/pv-protection], spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {namespace: old, name: data, uid: data}}, status: {phase: Bound}}
- {kind: Pod, namespace: other, name: going, owners: [v1 PersistentVolume pv], deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30, spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running}}`);
    const action: Action = { verb: 'delete', cascade: 'background', targets: [objectOf(bound, 'old')] };
    const [all, some] = (['everything', 'action'] as const).map(scope =>
      Forecaster.create(bound, { now, scope }).forecast(action),
    );
    expect(titles(all?.deleted ?? [])).toContain('Pod going');
    expect(titles(some?.deleted ?? [])).toEqual(titles(all?.deleted ?? []));
  });

  /** A handler that acts once these are gone. */
  function handlerAfter(finalizer: string, awaits: readonly KubeObject[]): FinalizerHandler {
    const uids = awaits.map(({ uid }) => uid);
    return { finalizer, handler: 'handler', state: 'running', evidence: [], words: '', awaits: uids };
  }

  test('narrowed to an object whose handler waits for others knows when those are deleted', () => {
    const waiting = viewOf(`
- {kind: ConfigMap, name: app, finalizers: [example.com/app]}
- {kind: ConfigMap, namespace: far, name: first, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/first]}
- {kind: ConfigMap, namespace: farther, name: second, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/second]}`);
    const handlers: HandlerJudge = ({ name }, finalizer) => {
      const next = { app: 'first', first: 'second' }[name];
      return handlerAfter(finalizer, next === undefined ? [] : [objectOf(waiting, next)]);
    };
    const action: Action = { verb: 'delete', cascade: 'background', targets: [objectOf(waiting, 'app')] };
    for (const scope of ['everything', 'action'] as const) {
      const told = Forecaster.create(waiting, { now, scope, handlers }).forecast(action);
      expect(titles(told.ifHandled?.deleted ?? []).sort(), scope).toEqual([
        'ConfigMap app',
        'ConfigMap first',
        'ConfigMap second',
      ]);
    }
  });

  test.each([
    ['is being deleted', 'deletionTimestamp: "2026-11-21T11:48:00Z", '],
    ['is about to be deleted', 'owners: [v1 ConfigMap lost], '],
  ])('narrowed to the handler of an object that %s elsewhere knows that this gets stuck', (_, going) => {
    const held = viewOf(`
- {kind: ConfigMap, name: operator}
- {kind: ConfigMap, namespace: far, name: held, ${going}finalizers: [example.com/far]}`);
    const operator = objectOf(held, 'operator');
    const handlers: HandlerJudge = (__, finalizer, aftermath) => {
      const state = aftermath.after(operator) === undefined ? 'goesToo' : 'running';
      return { ...handlerAfter(finalizer, []), state };
    };
    const action: Action = { verb: 'delete', cascade: 'background', targets: [operator] };
    for (const scope of ['everything', 'action'] as const) {
      const told = Forecaster.create(held, { now, scope, handlers }).forecast(action);
      const states = told.terminating.map(({ object, anyway, handlers: [handler] }) => [
        object.name,
        anyway,
        handler?.state,
      ]);
      expect(states, scope).toEqual([['held', false, 'goesToo']]);
      const alarms = told.alarms.map(
        each => each.code === 'handlerGoesToo' && titles(each.objects.map(object => ({ object }))),
      );
      expect(alarms, scope).toEqual([['ConfigMap held']]);
    }
  });

  /** Each action on a random world, forecast with everything that goes on and with what it can meet. */
  function agree(
    seeds: number,
    worldOf: (random: Random) => KubeObject[],
    handlersOf: (objects: readonly KubeObject[]) => HandlerJudge | undefined = () => undefined,
  ): number {
    let compared = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = new Random(seed);
      const objects = worldOf(random);
      const busy = viewOfObjects(objects);
      const handlers = handlersOf(objects);
      const options = { now: NOW, mostOrders: 3, ...(handlers && { handlers }) };
      const whole = Forecaster.create(busy, options);
      const narrow = Forecaster.create(busy, { ...options, scope: 'action' });
      for (let round = 0; round < 2; round++) {
        const target = objects[random.below(objects.length)];
        if (target === undefined) continue;
        const action: Action =
          random.below(2) === 0
            ? { verb: 'delete', cascade: pick(random, cascades), targets: [target] }
            : { verb: 'unblock', target, remedy: freeing(target) };
        const [all, some] = [whole.forecast(action), narrow.forecast(action)];
        expect(ofItsOwn(some), `seed ${seed}`).toEqual(ofItsOwn(all));
        expect(some.terminating.length).toBeLessThanOrEqual(all.terminating.length);
        const [goes, goesNarrowed] = [Forecast.deletionCheck(all), Forecast.deletionCheck(some)];
        const differing = objects.filter(({ uid }) => goes(uid) !== goesNarrowed(uid));
        expect(
          titles(differing.map(object => ({ object: identityOfObject(object) }))),
          `seed ${seed}`,
        ).toEqual([]);
        compared++;
      }
    }
    return compared;
  }

  test('narrowed to the action agrees with a forecast of everything on random graphs', () => {
    expect(agree(ROUNDS, random => busyWorld(random, false))).toBeGreaterThan(ROUNDS);
  });

  test('narrowed to the action agrees with a forecast of everything where handlers wait for each other', () => {
    const waitingHandlers =
      (objects: readonly KubeObject[]): HandlerJudge =>
      (object, finalizer, aftermath) => {
        const index = objects.findIndex(({ uid }) => uid === object.uid);
        const handler = handlerAfter(finalizer, index % 3 === 0 ? objects.slice(index + 5, index + 6) : []);
        if (index % 4 === 1) return { ...handler, state: 'absent' };
        const needed = objects.slice((index * 7) % objects.length, ((index * 7) % objects.length) + 1);
        const isLost = needed.map(each => aftermath.after(each)).some(each => !each || isDeleting(each));
        return isLost ? { ...handler, state: 'goesToo' } : handler;
      };
    expect(agree(ROUNDS, random => busyWorld(random, false), waitingHandlers)).toBeGreaterThan(ROUNDS / 2);
  });

  test('narrowed to the action agrees with a forecast of everything on graphs that share a namespace', () => {
    expect(agree(ROUNDS, random => busyWorld(random, true))).toBeGreaterThan(ROUNDS);
  });

  test('narrowed to the action agrees with a forecast of everything in a namespace that is being deleted', () => {
    const terminating = (random: Random): KubeObject[] => [
      new KubeObject({
        type: builtIn('Namespace'),
        namespace: '',
        name: 'ns1-0',
        uid: 'ns1' as KubeObject['uid'],
        resourceVersion: '1' as KubeObject['resourceVersion'],
        creationTimestamp: NOW - 60_000,
        deletionTimestamp: NOW - 30_000,
        facts: { kind: 'Namespace', phase: 'Terminating', specFinalizers: ['kubernetes'], conditions: [] },
      }),
      ...busyWorld(random, true),
    ];
    expect(agree(ROUNDS, terminating)).toBeGreaterThan(ROUNDS);
  });

  test('narrowed to the action agrees with a forecast of everything among workloads that are odd', () => {
    const deletions = (random: Random): KubeObject[] =>
      oddWorkloads(random).map(object =>
        object.namespace === '' || random.below(2) === 0
          ? object
          : new KubeObject({ ...object, deletionTimestamp: NOW - 1000, finalizers: ['example.com/hold'] }),
      );
    expect(agree(5 * ROUNDS, deletions)).toBeGreaterThan(5 * ROUNDS);
  });
});

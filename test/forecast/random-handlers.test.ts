/**
 * Random worlds with handlers at work all the time, held against forecasts that let them act only when everything else
 * has come to rest: both have to end the same way.
 */
import { expect, test } from 'vitest';
import { Forecaster } from '../../src/forecast/compose/forecaster.ts';
import type { FinalizerHandler, HandlerJudge, HandlerState } from '../../src/forecast/finalizer-handlers.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import { revised } from '../../src/simulation/api/revise.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import type { Controller, ControllerContext } from '../../src/simulation/runtime/controller.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { NOW } from '../simulation/fixtures.ts';
import { pick, viewOf, world } from './random-world.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;
const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** The finalizers of these worlds with what becomes of their handlers; the last one's workload is the first object. */
const RUNS = 'example.com/runs';
const MISSING = 'example.com/missing';
const WORKLOAD = 'o0' as Uid;
const WITH_WORKLOAD = 'example.com/workload';

/** Removes a finalizer from whatever is being deleted as soon as it sees it, while it is up. */
class ReactiveHandler implements Controller {
  readonly name: string;
  readonly #finalizer: string;
  readonly #isUp: () => boolean;

  constructor(finalizer: string, isUp: () => boolean = () => true) {
    this.name = `handler of ${finalizer}`;
    this.#finalizer = finalizer;
    this.#isUp = isUp;
  }

  start(context: ControllerContext): void {
    const queue = context.queue<Uid>('queue', uid => {
      const object = context.cache.byUid(uid);
      if (object?.deletionTimestamp === undefined || !object.finalizers.includes(this.#finalizer))
        return 'done';
      if (!this.#isUp()) return 'done';
      const finalizers = object.finalizers.filter(each => each !== this.#finalizer);
      const { resourceVersion } = object;
      const answer = context.api.patch(object, { finalizers }, { uid, resourceVersion });
      return answer.ok || answer.status === 404 ? 'done' : 'retry';
    });
    const enqueue = ({ uid }: KubeObject): void => queue.add(uid);
    context.informer('all', { added: enqueue, updated: enqueue });
  }
}

const judge: HandlerJudge = (_object, finalizer, aftermath): FinalizerHandler => {
  const workload = aftermath.after({ uid: WORKLOAD } as KubeObject);
  const isUp = workload !== undefined && workload.deletionTimestamp === undefined;
  const state: HandlerState =
    finalizer === MISSING ? 'absent' : finalizer === RUNS || isUp ? 'running' : 'goesToo';
  return { finalizer, handler: `handler of ${finalizer}`, state, evidence: [], words: '' };
};

interface Round {
  readonly outcome: string;
  readonly held: number;
  readonly foretold: readonly string[];
  readonly happened: readonly string[];
}

function round(seed: number, finalizers: readonly [string, ...string[]]): Round {
  const random = new Random(seed);
  const objects = world(random).map(object =>
    revised(object, { finalizers: random.below(2) === 0 ? [] : [pick(random, finalizers)] }),
  );
  const cluster: SimulatedCluster = new SimulatedCluster({
    now: NOW,
    types: builtInTypes,
    objects,
    processes: [
      ...controlPlane(),
      {
        name: 'handlers',
        controllers: () => [
          new ReactiveHandler(RUNS),
          new ReactiveHandler(WITH_WORKLOAD, () => {
            const workload = cluster.store.byUid(WORKLOAD);
            return workload !== undefined && workload.deletionTimestamp === undefined;
          }),
        ],
      },
    ],
  });
  cluster.start();
  cluster.run();
  const settled = [...cluster.store.all()];
  const chosen = Array.from({ length: 1 + random.below(2) }, () => settled[random.below(settled.length)]);
  const targets = [...new Set(chosen)].filter(object => object !== undefined);
  const cascade = pick(random, cascades);
  const forecaster = Forecaster.create(viewOf(settled), {
    now: cluster.clock.now,
    handlers: judge,
    mostOrders: 8,
  });
  const plan = forecaster.forecast({ verb: 'delete', cascade, targets });
  for (const target of targets) cluster.as('user').delete(target, { propagationPolicy: policies[cascade] });
  cluster.run();
  const { deleted, terminating } = plan.ifHandled ?? plan;
  const uncertain = new Set(plan.timingDependent.map(({ object }) => object.uid));
  const gone = new Set(deleted.map(({ object }) => object.uid));
  const deleting = new Set(terminating.map(({ object }) => object.uid));
  const certain = settled.filter(({ uid }) => !uncertain.has(uid)).map(({ uid }) => uid);
  return {
    outcome: plan.outcome,
    held: plan.terminating.flatMap(({ handlers }) => handlers).length,
    foretold: certain.map(
      uid => `${uid} ${gone.has(uid) ? 'deleted' : deleting.has(uid) ? 'deleting' : 'kept'}`,
    ),
    happened: certain.map(uid => {
      const after = cluster.store.byUid(uid);
      if (after === undefined) return `${uid} deleted`;
      return `${uid} ${after.deletionTimestamp === undefined ? 'kept' : 'deleting'}`;
    }),
  };
}

test('where handlers run or are missing, a world ends as is foretold of their work', () => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= 150; seed++) {
    const { foretold, happened, outcome } = round(seed, [RUNS, MISSING]);
    expect(happened, `seed ${seed}`).toEqual(foretold);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(outcomes.get('Depends')).toBeGreaterThan(20);
  expect(outcomes.get('Stuck')).toBeGreaterThan(20);
});

test('where a handler goes too, what is foretold to be deleted is, and nothing else can be but what it held', () => {
  let goesToo = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const { foretold, happened, outcome } = round(seed, [WITH_WORKLOAD]);
    for (const [index, end] of foretold.entries()) {
      const actual = happened[index] ?? '';
      if (actual === end) continue;
      // It was quicker than what deleted it.
      expect([end.split(' ')[1], outcome], `seed ${seed}: ${actual}`).toEqual(['deleting', 'Stuck']);
      goesToo += 1;
    }
  }
  expect(goesToo).toBeLessThan(20);
});

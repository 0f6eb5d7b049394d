/**
 * Forecasts on random ownership graphs, held against a cluster that has lived through everything itself: what is
 * foretold from a snapshot must be what a running cluster comes to.
 */
import { expect, test } from 'vitest';
import type { Action } from '../../src/forecast/action.ts';
import { forecast } from '../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../src/forecast/plan/forecast-result.ts';
import { endOf } from '../../src/forecast/plan/run-ends.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import type { Chooser } from '../../src/simulation/clock.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { NOW, shuffled } from '../simulation/fixtures.ts';
import { pick, viewOf, world } from './random-world.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;
const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

interface Ends {
  readonly uncertain: number;
  readonly foretold: readonly string[];
  readonly happened: readonly string[];
}

/** `starting`: the action falls into a time in which no controller manager runs. */
type Collector = 'running' | 'starting';

/** A random cluster, at rest where a collector is running, and what is to be deleted of it. */
function situation(seed: number, collector: Collector) {
  const random = new Random(seed);
  const cluster = clusterOf(world(random));
  if (collector === 'running') {
    cluster.start();
    cluster.run();
  }
  const settled = [...cluster.store.all()];
  const chosen = Array.from({ length: 1 + random.below(2) }, () => settled[random.below(settled.length)]);
  const targets = [...new Set(chosen)].filter(object => object !== undefined);
  return { cluster, settled, targets, cascade: pick(random, cascades) };
}

function clusterOf(objects: readonly KubeObject[], chooser?: Chooser, now = NOW): SimulatedCluster {
  const processes = controlPlane();
  const order = chooser === undefined ? {} : { chooser, anyOrder: true };
  return new SimulatedCluster({ now, types: builtInTypes, objects, processes, ...order });
}

/** What is foretold with certainty, and what becomes of the same objects in the cluster. */
function compared(plan: Forecast, settled: readonly KubeObject[], cluster: SimulatedCluster): Ends {
  const uncertain = new Set<Uid>(plan.timingDependent.map(({ object }) => object.uid));
  const gone = new Set<Uid>(plan.deleted.map(({ object }) => object.uid));
  const deleting = new Set<Uid>(plan.terminating.map(({ object }) => object.uid));
  const changed = new Map(plan.changed.map(change => [change.object.uid, change]));
  const certain = settled.filter(({ uid }) => !uncertain.has(uid));
  return {
    uncertain: uncertain.size,
    foretold: certain.map(({ uid }) => {
      if (gone.has(uid)) return `${uid} deleted`;
      const change = changed.get(uid);
      const altered = change === undefined ? '' : ' altered';
      return `${uid} ${deleting.has(uid) ? 'deleting' : 'kept'}${altered}`;
    }),
    happened: certain.map(before => {
      const { uid } = before;
      const after = cluster.store.byUid(uid);
      if (after === undefined) return `${uid} deleted`;
      const altered = endOf({ before, after }).words.includes(',') ? ' altered' : '';
      return `${uid} ${after.deletionTimestamp === undefined ? 'kept' : 'deleting'}${altered}`;
    }),
  };
}

function compare(seed: number, collector: Collector): Ends {
  const { cluster, settled, targets, cascade } = situation(seed, collector);
  if (targets.length === 0) return { uncertain: 0, foretold: [], happened: [] };
  const action: Action = { verb: 'delete', cascade, targets };
  const plan = forecast(viewOf(settled), action, { now: cluster.clock.now, collector });
  for (const target of targets) {
    cluster.as('user').delete(target, { propagationPolicy: policies[cascade] });
  }
  if (collector === 'starting') cluster.start();
  cluster.run();
  return compared(plan, settled, cluster);
}

test.each(['running', 'starting'] as const)(
  'what is foretold for a random graph is what a cluster comes to (collector %s)',
  collector => {
    let uncertain = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const { foretold, happened, uncertain: number } = compare(seed, collector);
      expect(foretold, `seed ${seed}`).toEqual(happened);
      uncertain += number;
    }
    // A forecast that calls everything uncertain would be worth nothing.
    expect(uncertain).toBeLessThan(60);
  },
);

test('what a forecast is certain of becomes so in whatever order queues are worked', () => {
  for (let seed = 1; seed <= 250; seed++) {
    const { cluster, settled, targets, cascade } = situation(seed, 'running');
    if (targets.length === 0) continue;
    const { now } = cluster.clock;
    const plan = forecast(viewOf(settled), { verb: 'delete', cascade, targets }, { now });
    for (let order = 1; order <= 12; order++) {
      const random = new Random(seed * 1000 + order);
      const other = clusterOf(settled, shuffled(random), now);
      other.start();
      other.run();
      for (const target of targets) {
        other.as('user').delete(target, { propagationPolicy: policies[cascade] });
        if (order % 3 === 0) other.run({ tasks: random.below(20) });
      }
      other.run();
      const { foretold, happened } = compared(plan, settled, other);
      expect(happened, `seed ${seed}, order ${order}`).toEqual(foretold);
    }
  }
});

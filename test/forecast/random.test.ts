/**
 * Forecasts on random ownership graphs, held against a cluster that has lived through everything itself: what is
 * foretold from a snapshot must be what a running cluster comes to.
 */
import { expect, test } from 'vitest';
import { forecast } from '../../src/forecast/forecaster.ts';
import { endOf } from '../../src/forecast/plan/outcome.ts';
import type { Uid } from '../../src/model/object.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import { SimulatedCluster } from '../../src/simulation/runtime/cluster.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { NOW } from '../simulation/fixtures.ts';
import { pick, viewOf, world } from './random-world.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;
const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

interface Ends {
  readonly uncertain: number;
  readonly foretold: readonly string[];
  readonly happened: readonly string[];
}

/** `starting`: the action falls into a time in which no controller manager runs. */
function compare(seed: number, collector: 'running' | 'starting'): Ends {
  const random = new Random(seed);
  const objects = world(random);
  const cluster = new SimulatedCluster({ now: NOW, types: builtInTypes, objects, processes: controlPlane() });
  if (collector === 'running') {
    cluster.start();
    cluster.run();
  }
  const settled = [...cluster.store.all()];
  const chosen = Array.from({ length: 1 + random.below(2) }, () => settled[random.below(settled.length)]);
  const targets = [...new Set(chosen)].filter(object => object !== undefined);
  if (targets.length === 0) return { uncertain: 0, foretold: [], happened: [] };
  const cascade = pick(random, cascades);
  const view = viewOf(settled);
  const plan = forecast(view, { verb: 'delete', cascade, targets }, { now: cluster.clock.now, collector });
  for (const target of targets) {
    cluster.as('user').delete(target, { propagationPolicy: policies[cascade] });
  }
  if (collector === 'starting') cluster.start();
  cluster.run();
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
    expect(uncertain).toBeLessThan(40);
  },
);

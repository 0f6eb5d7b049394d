/** A forecast in slices says what one that is made at once says, wherever others go on in between. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHandledForecaster,
  handledForecasterInSlices,
} from '../../../src/diagnosis/waits/aftermath.ts';
import type { Action } from '../../../src/forecast/action.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Sliced } from '../../../src/model/slices.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { NOW } from '../../simulation/fixtures.ts';
import { pick, viewOf, world } from '../random-world.ts';

/** Few orders of work: what is tried in others pauses in the same way. */
const options = { now: NOW, scope: 'action', mostOrders: 3 } as const;
const cascades = ['background', 'foreground', 'orphan'] as const;

/** All of a forecast that is data. */
function said(forecast: Forecast): unknown {
  return { ...forecast, steps: forecast.steps(), stepsInSlices: undefined, endElsewhere: undefined };
}

function* sliced(view: ClusterView, action: Action): Sliced<Forecast> {
  const forecaster = yield* handledForecasterInSlices(view, options);
  return yield* forecaster.forecastInSlices(action);
}

/** Does the work, and `between` wherever it pauses. Returns how often it did, too. */
function drive<T>(
  work: Sliced<T>,
  between: (pause: number) => void,
): { readonly result: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next();
    if (done === true) return { result: value, pauses };
    between(pauses);
  }
}

const worlds = fc.record({
  seed: fc.integer({ min: 1, max: 100_000 }),
  other: fc.integer({ min: 1, max: 100_000 }),
});

function actionIn(random: Random, view: ClusterView): Action | undefined {
  const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
  const target = objects[random.below(objects.length)];
  return target && { verb: 'delete', cascade: pick(random, cascades), targets: [target] };
}

test('whatever is forecast wherever a forecast pauses, both say what they say alone', () => {
  let pausesSeen = 0;
  fc.assert(
    fc.property(worlds, ({ seed, other }) => {
      const random = new Random(seed);
      const view = viewOf(world(random));
      const action = actionIn(random, view);
      const between = actionIn(new Random(other), view);
      if (action === undefined || between === undefined) return;
      const alone = (each: Action): unknown => said(createHandledForecaster(view, options).forecast(each));
      const [expected, expectedBetween] = [alone(action), alone(between)];
      // Another one is in the middle of its own work all the time, and one is made at once at some of the pauses.
      let second = sliced(view, between);
      const { result, pauses } = drive(sliced(view, action), pause => {
        const { done, value } = second.next();
        if (done === true) {
          expect(said(value)).toEqual(expectedBetween);
          second = sliced(view, between);
        }
        if (pause % 50 === other % 50) expect(alone(between)).toEqual(expectedBetween);
      });
      pausesSeen += pauses;
      expect(said(result)).toEqual(expected);
    }),
    { numRuns: 40, seed: 1 },
  );
  expect(pausesSeen).toBeGreaterThan(500);
});

test('given up at any pause, a forecast leaves nothing behind', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = new Random(seed);
    const view = viewOf(world(random));
    const action = actionIn(random, view);
    if (action === undefined) continue;
    const expected = said(createHandledForecaster(view, options).forecast(action));
    const { pauses } = drive(sliced(view, action), () => undefined);
    for (let last = 0; last < pauses; last += 5) {
      const work = sliced(view, action);
      for (let pause = 0; pause <= last; pause++) work.next();
      work.return(undefined as never);
      if (last % 25 === 0)
        expect(said(createHandledForecaster(view, options).forecast(action))).toEqual(expected);
    }
    expect(said(drive(sliced(view, action), () => undefined).result)).toEqual(expected);
  }
});

import { describe, expect, test } from 'vitest';
import type { CollectorState } from '../../../src/collector/collector-state.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { Stepper } from '../../../src/simulation/stepping/stepper.ts';
import { type DemoSettings, LiveSteps, playScenario } from '../../../src/source/demo/play-scenario.ts';
import { type Scenario, ScenarioError } from '../../../src/source/demo/scenario.ts';
import { steppedScenario } from '../../../src/source/demo/scenario-world.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { graphDefinitions, modes, randomScenario } from '../../conformance/fuzz/random-graphs.ts';
import { scenarioFiles } from '../../conformance/scenario-files.ts';

const NOW = Date.parse('2027-03-01T10:00:00Z');
const GRAPHS = Number(process.env['GC_TREE_STEPPED_GRAPHS'] ?? 12);

const described = await readScenarios();
const files = scenarioFiles().flatMap(({ file, scenarios }) =>
  scenarios.map(scenario => ({ file, title: scenario.title, scenario })),
);

/** Everything that was asked of the API server, and everything that is left. */
function endOf({ api, store, clock }: SimulatedCluster) {
  return {
    at: clock.now,
    requests: api.log.entries.map(
      ({ at, actor, verb, type, namespace, name, subresource, options, status, because }) =>
        JSON.stringify([
          at,
          actor,
          verb,
          type.apiVersion,
          type.kind,
          namespace,
          name,
          subresource,
          options,
          status,
          because,
        ]),
    ),
    objects: objectsOf(store.all()),
  };
}

function objectsOf(objects: Iterable<KubeObject>): string[] {
  return Array.from(objects, ({ type, ...object }) =>
    JSON.stringify([type.apiVersion, type.kind, object]),
  ).sort();
}

async function run(scenario: Scenario, settings?: DemoSettings): Promise<SimulatedCluster> {
  const { world, player } = await playScenario(scenario, NOW, settings);
  const wait = (scenario.live ?? []).reduce(
    (sum, step) => sum + (step !== 'settle' && 'wait' in step ? step.wait : 0),
    0,
  );
  if (wait > 0) await new LiveSteps(scenario.live ?? [], player, world).advance(NOW + wait - 1);
  // The last wait ends where the first step would be repeated.
  world.advance(NOW + wait);
  return world.cluster;
}

async function stepThrough(scenario: Scenario, settings?: DemoSettings): Promise<Stepper> {
  const stepper = await Stepper.begin(await steppedScenario(scenario, NOW, settings));
  while ((await stepper.next('task')) !== undefined);
  return stepper;
}

test('there is something to compare', () => {
  expect(described.length).toBeGreaterThan(5);
  expect(files.length).toBeGreaterThan(50);
});

describe('stepping to the end comes to what running comes to', () => {
  test.each(described)('$name', async scenario => {
    const stepper = await stepThrough(scenario);
    expect(endOf(stepper.cluster)).toEqual(endOf(await run(scenario)));
    expect(stepper.ended).toBe(true);
  });

  test.each(described)('$name, with the collector of 1.5', async scenario => {
    const settings: DemoSettings = { collector: '1.5' };
    const stepper = await stepThrough(scenario, settings);
    expect(endOf(stepper.cluster)).toEqual(endOf(await run(scenario, settings)));
    expect(new Set(stepper.state.queues.map(({ name }) => name))).toEqual(
      new Set(['eventQueue', 'dirtyQueue', 'orphanQueue']),
    );
  });

  test.each(files)('$file: $title', async ({ scenario }) => {
    expect(endOf((await stepThrough(scenario)).cluster)).toEqual(endOf(await run(scenario)));
  });
});

describe('going back over random graphs', () => {
  const withVirtualNodes: number[] = [];
  const withFirstCollector: number[] = [];
  const collectorFor = (seed: number) => (seed % 2 === 0 ? '1.5' : '1.36');

  test.each(
    Array.from({ length: GRAPHS }, (_, index) => ({
      seed: index + 1,
      mode: modes[index % modes.length] ?? 'running',
    })),
  )('graph $seed, $mode: restores state and objects exactly', async ({ seed, mode }) => {
    const { steps, ...scenario } = randomScenario(seed, mode);
    const defined = { ...scenario, steps: [{ create: graphDefinitions }, ...steps] };
    const make = await steppedScenario(defined, NOW, { collector: collectorFor(seed) }).catch(
      // The API server of 1.5 refuses finalizers that it doesn't know.
      (error: unknown) => {
        if (!(error instanceof ScenarioError)) throw error;
        return steppedScenario(defined, NOW);
      },
    );
    const stepper = await Stepper.begin(make);
    const seen: { readonly state: CollectorState; readonly objects: readonly string[] }[] = [];
    const look = () => ({ state: stepper.state, objects: objectsOf(stepper.cluster.store.all()) });
    seen.push(look());
    while ((await stepper.next('task')) !== undefined) seen.push(look());
    const end = look();
    const taken = [...stepper.steps];
    if (seen.some(({ state }) => state.virtualNodes.length > 0)) withVirtualNodes.push(seed);
    const isFirst = seen.some(({ state }) => state.queues.some(({ name }) => name === 'dirtyQueue'));
    if (isFirst) withFirstCollector.push(seed);
    const random = new Random(seed);
    for (let round = 0; round < 6; round++) {
      const n = random.below(taken.length + 1);
      await stepper.goTo(n);
      expect(look()).toEqual(seen[n]);
      expect(stepper.steps).toEqual(taken.slice(0, n));
    }
    await stepper.run();
    expect(stepper.steps).toEqual(taken);
    expect(look()).toEqual(end);
  });

  test('some of them have owners that are only heard of', () => {
    expect(withVirtualNodes.length).toBeGreaterThan(GRAPHS / 4);
    expect(withFirstCollector.length).toBeGreaterThan(0);
  });
});

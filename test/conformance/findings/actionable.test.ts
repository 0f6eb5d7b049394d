/** Every scenario that there is, and every situation that users reported: each answer ends in something to do. */
import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { graphTypes } from '../fuzz/random-graphs.ts';
import { playSimulated } from '../simulate.ts';
import { differentCosts, withoutRemedy } from '../truth/actionable.ts';
import { findingFiles } from './files.ts';
import { viewOf } from './judge-simulated.ts';
import { waited } from './judged.ts';

const scenarios: readonly Scenario[] = [
  ...(await readScenarios()),
  ...findingFiles().flatMap(each => each.scenarios),
];

/** What is told of a removal, by the finalizer and the object. */
const told = new Set<string>();

describe('an answer about what is stuck', () => {
  test.each(scenarios)('ends in something to do: $title', async scenario => {
    const { world, player } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
    const view = viewOf(world.cluster);
    const now = world.now + waited(scenario);
    const calm = Forecaster.create(view, { now }).forecast({ verb: 'none' });
    const state = { player, view, calm, diagnosis: diagnoseCluster(view, now) };
    expect([...withoutRemedy(state), ...differentCosts(state, what => told.add(what))]).toEqual([]);
  });

  test('has been asked for removals of many finalizers', () => {
    expect(told.size).toBeGreaterThan(15);
  });
});

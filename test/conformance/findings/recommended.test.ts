/** What `u` proposes in every scenario that there is, held to the same as on random clusters. */
import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { graphTypes } from '../fuzz/random-graphs.ts';
import { playSimulated } from '../simulate.ts';
import { wrongRecommendations } from '../truth/recommended.ts';
import { findingFiles } from './files.ts';
import { viewOf } from './judge-simulated.ts';
import { waited } from './judged.ts';

const scenarios: readonly Scenario[] = [
  ...(await readScenarios()),
  ...findingFiles().flatMap(each => each.scenarios),
];

/** `clear-block` and the like. */
const proposed = new Set<string>();

describe('what u proposes', () => {
  test.each(scenarios)('is safe, or frees the object and deletes nothing else: $title', async scenario => {
    const { world, player } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
    const view = viewOf(world.cluster);
    const now = world.now + waited(scenario);
    const state = { world, player, view, forecaster: Forecaster.create(view, { now }) };
    const wrong = wrongRecommendations({ ...state, diagnosis: diagnoseCluster(view, now) }, ({ id }) =>
      proposed.add(id.split('/')[0] ?? ''),
    );
    expect([...wrong]).toEqual([]);
  });

  test('is something where there is something', () => {
    expect([...proposed].sort()).toEqual([
      'clear-block',
      'let-go',
      'prune-reference',
      'redelete',
      'remove-finalizer',
      'repair-reference',
      'set-block',
      'unblock-all',
    ]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { conform } from '../../conformance/conform.ts';
import type { Compared } from '../../conformance/real/run.ts';
import { scenarioFiles } from '../../conformance/scenario-files.ts';

const files = scenarioFiles();
let results: ReadonlyMap<Scenario, Compared>;

beforeAll(async () => {
  results = await conform(files.flatMap(({ scenarios }) => scenarios));
}, 2_400_000);

describe.each(files)('a real cluster and the simulation on $file', ({ scenarios }) => {
  test.each(scenarios)('$title: end alike', scenario => {
    expect(results.get(scenario)?.differences).toEqual([]);
  });
});

/** Scenarios of built-in controllers that few clusters need, with the feature gates that they take. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '../../../../src/source/demo/scenario.ts';
import { conform } from '../../../conformance/conform.ts';
import type { Compared } from '../../../conformance/real/run.ts';
import { controllerScenarios, gatedKinds } from '../../../conformance/scenario-files.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';

const minor = minorNumber(testedVersion());
const files = controllerScenarios(minor);
let results: ReadonlyMap<Scenario, Compared>;

beforeAll(async () => {
  results = await conform(
    files.flatMap(({ scenarios }) => scenarios),
    gatedKinds(minor),
  );
}, 1_200_000);

describe.each(files)('a real cluster and the simulation on $file', ({ scenarios }) => {
  test.each(scenarios)('$title: end alike', scenario => {
    expect(results.get(scenario)?.differences).toEqual([]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/source/demo/scenario.ts';
import { findingFiles } from '../conformance/finding-files.ts';
import { realFindings } from '../conformance/findings-real.ts';
import type { FindingDifference } from '../conformance/judged.ts';

const files = findingFiles();
let results: ReadonlyMap<Scenario, FindingDifference>;

beforeAll(async () => {
  results = await realFindings(files.flatMap(({ scenarios }) => scenarios));
}, 2_400_000);

describe.each(files)('$file on a real control plane', ({ scenarios }) => {
  test.each(scenarios)('$title: has these findings', scenario => {
    expect(results.get(scenario)).toEqual({ missing: [], unexpected: [] });
  });
});

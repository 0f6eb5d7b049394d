import { beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { findingFiles } from '../../conformance/findings/files.ts';
import type { FindingDifference } from '../../conformance/findings/judged.ts';
import { realFindings } from '../../conformance/real/findings.ts';
import { shippedFindings } from '../../conformance/scenario-files.ts';

const some = process.env['GC_TREE_SCENARIOS'] !== undefined;
const files = [...(some ? [] : findingFiles()), ...shippedFindings()];
let results: ReadonlyMap<Scenario, FindingDifference>;

beforeAll(async () => {
  results = await realFindings(files.flatMap(({ scenarios }) => scenarios));
}, 2_400_000);

describe.each(files)('$file on a real control plane', ({ scenarios }) => {
  test.each(scenarios)('$title: has these findings', scenario => {
    expect(results.get(scenario)).toEqual({ missing: [], unexpected: [] });
  });
});

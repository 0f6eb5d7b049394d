import { beforeAll, describe, expect, test } from 'vitest';
import { findingFiles } from '../../conformance/findings/files.ts';
import {
  type RemedyResult,
  type RemedyRun,
  remedyRuns,
  tryRemedies,
} from '../../conformance/findings/remedy-runs.ts';

const runs: RemedyRun[] = [];
for (const { scenarios } of findingFiles()) {
  for (const scenario of scenarios) runs.push(...(await remedyRuns(scenario, ['safe', 'caution'])));
}
let results: ReadonlyMap<RemedyRun, RemedyResult>;

beforeAll(async () => {
  results = await tryRemedies(runs);
}, 2_400_000);

describe('every remedy that is safe or asks for caution, on a real control plane', () => {
  test.each(runs)('$finding, $remedy ($scenario.title): does what its effect says', run => {
    const result = results.get(run);
    expect(result).toMatchObject({ resolved: true, differences: [] });
    expect(result?.outcome).not.toBe('Refused');
    expect(result?.statuses.every(status => status < 300)).toBe(true);
  });
});

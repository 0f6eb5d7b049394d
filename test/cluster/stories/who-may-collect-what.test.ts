import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { FindingDifference } from '../../conformance/findings/judged.ts';
import { realFindings } from '../../conformance/real/findings.ts';

const file = 'who-may-collect-what.yaml';
const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'source', 'demo', 'scenarios');
const [story] = parseScenarios(readFileSync(join(folder, file), 'utf8'), file);
if (story === undefined) throw new Error('no story');

const restarted: Scenario = {
  ...story,
  title: `${story.title}; and then it restarts`,
  steps: [...story.steps, { controllerManager: 'stop' }, { controllerManager: 'start' }, 'settle'],
  // What slept is gone; what the unknown kind holds is as it was.
  findings: (story.findings ?? []).filter(({ code }) => code !== 'OwnerReferenceMismatch'),
};
let results: ReadonlyMap<Scenario, FindingDifference>;

beforeAll(async () => {
  results = await realFindings([story, restarted]);
});

test('the story has the same findings on a real control plane', () => {
  expect(results.get(story)).toEqual({ missing: [], unexpected: [] });
});

test('a restart of a real controller manager deletes what slept, and nothing else', () => {
  expect(results.get(restarted)).toEqual({ missing: [], unexpected: [] });
});

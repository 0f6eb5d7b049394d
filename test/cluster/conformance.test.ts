import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conform } from '../conformance/conform.ts';
import { startPlane } from '../conformance/plane.ts';
import type { Compared, RealPlane } from '../conformance/real-run.ts';
import { scenarioFiles } from '../conformance/scenario-files.ts';

const files = scenarioFiles();
let plane: (RealPlane & { stop(): Promise<void> }) | undefined;
let results: ReadonlyMap<string, Compared>;

beforeAll(async () => {
  plane = await startPlane({ scheduler: true });
  results = await conform(
    plane,
    files.flatMap(({ scenarios }) => scenarios),
  );
}, 600_000);

afterAll(() => plane?.stop());

describe.each(files)('a real cluster and the simulation on $file', ({ scenarios }) => {
  test.each(scenarios)('$title: end alike', ({ title }) => {
    expect(results.get(title)?.differences).toEqual([]);
  });
});

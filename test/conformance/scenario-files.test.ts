import { describe, expect, test } from 'vitest';
import { graphTypes } from './random-graphs.ts';
import { scenarioFiles } from './scenario-files.ts';
import { exploreEnds } from './simulate.ts';

describe.each(scenarioFiles())('the simulation of $file', ({ scenarios }) => {
  test.each(scenarios)('$title: comes to one end in whatever order', async scenario => {
    const { expected, timingDependent } = await exploreEnds(
      scenario,
      { prefix: 's', customTypes: graphTypes },
      12,
    );
    expect(expected.size).toBeGreaterThan(0);
    expect(Object.fromEntries(timingDependent)).toEqual({});
  });
});

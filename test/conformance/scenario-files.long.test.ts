import { describe, expect, test } from 'vitest';
import { minorNumber, testedVersion } from '../harness/processes/versions.ts';
import { graphTypes } from './fuzz/random-graphs.ts';
import { RESTLESS_MS } from './real/run.ts';
import { controllerScenarios, gatedKinds, scenarioFiles } from './scenario-files.ts';
import { exploreEnds } from './simulate.ts';

/**
 * What a controller makes anew or not, depending on which event it sees last, on a real cluster as well: a
 * StatefulSet that is being deleted looks for its revisions whenever a pod of it changes, and makes one where the
 * garbage collector has just deleted it (pkg/controller/statefulset/stateful_set_control.go, v1.36).
 */
const races = [/^made by controllers: ControllerRevision; in \S+; owned by apps\/v1 StatefulSet /u];

const minor = minorNumber(testedVersion());
const customTypes = [...graphTypes, ...(gatedKinds(minor)?.types ?? [])];

describe.each([...scenarioFiles(), ...controllerScenarios(minor)])(
  'the simulation of $file',
  ({ scenarios }) => {
    test.each(scenarios)('$title: comes to one end in whatever order', async scenario => {
      const { expected, timingDependent } = await exploreEnds(scenario, { prefix: 's', customTypes }, 12);
      expect(expected.size).toBeGreaterThan(0);
      const unforeseen = [...timingDependent].filter(([name]) => !races.some(race => race.test(name)));
      expect(Object.fromEntries(unforeseen)).toEqual({});
    });
    test.each(scenarios)('$title: can come to rest before that is given up', ({ quiet = 0 }) => {
      expect(quiet * 1000).toBeLessThan(RESTLESS_MS / 3);
    });
  },
);

import { describe, expect, test } from 'vitest';
import { Activity } from '../../src/activity/activity.ts';
import type { Scenario } from '../../src/source/demo/scenario.ts';
import { graphTypes, modes, randomScenario } from '../conformance/fuzz/random-graphs.ts';
import { scenarioFiles } from '../conformance/scenario-files.ts';
import { playSimulated } from '../conformance/simulate.ts';
import { line } from '../simulation/fixtures.ts';
import { replay, replayLate, type ToldWrite } from './replay.ts';

const COLLECTOR = 'garbage-collector';

/** What is wrong with what was told of each write, by who wrote it. */
async function faults(scenario: Scenario): Promise<readonly string[]> {
  const { world } = await playSimulated(scenario, { prefix: 's', customTypes: graphTypes, order: 1 });
  return collectorsOwn(replay(world, view => new Activity(view))).flatMap(faultsOf);
}

function collectorsOwn(told: readonly ToldWrite[]): readonly ToldWrite[] {
  // Who does what the collector would do while it isn't there yet cannot be told from it.
  const [first] = told
    .filter(({ request }) => request.actor === COLLECTOR)
    .map(({ request }) => request.n)
    .sort((a, b) => a - b);
  return told.filter(({ request }) => request.actor !== 'user' || request.n > (first ?? Infinity));
}

function faultsOf({ request, entries }: ToldWrite): readonly string[] {
  const told = entries.map(({ what, by, because }) => `${what} by [${by.join()}] ${JSON.stringify(because)}`);
  const where = `${request.actor} ${line(request)} (${request.because ?? ''}): ${told.join('; ') || 'nothing told'}`;
  const isCollectors = request.actor === COLLECTOR;
  if (isCollectors && !entries.some(({ by }) => by.includes(COLLECTOR))) return [`missing: ${where}`];
  const isClaimed = entries.some(({ by }) => by.length === 1 && by[0] === COLLECTOR);
  return isClaimed && !isCollectors ? [`invented: ${where}`] : [];
}

describe.each(scenarioFiles())('of $file', ({ scenarios }) => {
  test.each(scenarios)(
    '$title: each write of the collector is told as its own, and no other',
    async scenario => {
      expect(await faults(scenario)).toEqual([]);
    },
  );
});

test('of random graphs each write of the collector is told as its own, and no other', async () => {
  const found: string[] = [];
  for (const mode of modes)
    for (let seed = 1; seed <= 60; seed += 1)
      for (const fault of await faults(randomScenario(seed, mode))) found.push(`${mode} ${seed}: ${fault}`);
  expect(found).toEqual([]);
});

test('of random graphs no write is told as the collector’s that is not, whatever a kind’s watch brings late', async () => {
  const found: string[] = [];
  for (const mode of modes)
    for (let seed = 1; seed <= 60; seed += 1) {
      const scenario = randomScenario(seed, mode);
      const { world } = await playSimulated(scenario, { prefix: 's', customTypes: graphTypes, order: seed });
      const told = replayLate(world, seed);
      for (const fault of collectorsOwn(told).flatMap(faultsOf)) found.push(`${mode} ${seed}: ${fault}`);
    }
  expect(found).toEqual([]);
});

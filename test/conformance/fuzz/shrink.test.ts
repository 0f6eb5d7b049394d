import { expect, test } from 'vitest';
import { manifestsOf, type Scenario } from '../../../src/source/demo/scenario.ts';
import { randomScenario } from './random-graphs.ts';
import { shrink } from './shrink.ts';

test('a scenario shrinks to what its difference needs', async () => {
  const scenario = randomScenario(7, 'stopped');
  const held = [...manifestsOf(scenario).values()].find(
    ({ metadata }) => metadata.ownerReferences !== undefined,
  );
  const name = held?.metadata.name;
  const needs = (candidate: Scenario): boolean =>
    [...manifestsOf(candidate).values()].some(
      ({ metadata }) => metadata.name === name && (metadata.ownerReferences ?? []).length > 0,
    );
  const smallest = await shrink(scenario, candidates => Promise.resolve(candidates.map(needs)));
  const left = [...manifestsOf(smallest).values()];
  const owner = left.find(({ metadata }) => metadata.name === name)?.metadata.ownerReferences?.[0]?.of;
  expect(left.length).toBe(
    owner === undefined || owner.endsWith(`/${name}`) || owner.endsWith(` ${name}`) ? 1 : 2,
  );
  expect(smallest.steps.some(step => typeof step === 'object' && 'delete' in step)).toBe(false);
});

test('a scenario that can lose nothing stays as it is', async () => {
  const scenario = randomScenario(8, 'running');
  expect(await shrink(scenario, candidates => Promise.resolve(candidates.map(() => false)))).toBe(scenario);
});

import { expect, test } from 'vitest';
import { fuzzActions, tally } from '../../conformance/fuzz/action-fuzz.ts';

// `npm run test:fuzz -- --actions --rounds 200` takes many more.
test('every action on 10 random stuck graphs ends as forecast, or says itself that it does not', async () => {
  const results = await fuzzActions({ graphs: 10, seed: 20_261_121 });
  expect(results.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  const { alike, refused } = tally(results);
  expect(alike / results.length).toBeGreaterThan(0.95);
  // Nobody else acts on these graphs, and everything is allowed.
  expect(refused).toBe(0);
}, 1_200_000);

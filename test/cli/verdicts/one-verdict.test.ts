import { expect, test } from 'vitest';
import { verdictsIn } from './disagreements.ts';

test('commands, scopes and the screen have one verdict on each object', async () => {
  const { disagreements, count } = await verdictsIn(8, 5);
  expect(disagreements).toEqual([]);
  expect([count.handled, count.stuck]).toEqual([expect.any(Number), expect.any(Number)]);
});

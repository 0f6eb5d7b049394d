import { expect, test } from 'vitest';
import type { Uid } from '../../../src/model/object.ts';
import { command } from '../console.ts';
import { ScopedSource } from '../scoped-source.ts';
import { verdictsIn } from './disagreements.ts';
import { waitingCluster } from './waiting-cluster.ts';

test('commands, scopes and the screen have one verdict on each object', async () => {
  const { disagreements, count } = await verdictsIn(8, 5);
  expect(disagreements).toEqual([]);
  expect([count.handled, count.stuck]).toEqual([expect.any(Number), expect.any(Number)]);
});

test.each([
  [43, 'reads the node of a pod for which a deletion waits'],
  [47, 'has the forecast tell what happens next to a claim in use'],
])('cluster %i %s', async seed => {
  expect((await verdictsIn(seed, 1)).disagreements).toEqual([]);
});

test('a forecast reads the fields of each object once, though it changes objects', async () => {
  const { whole, contentOf, now } = await waitingCluster(42);
  const read: Uid[] = [];
  const source = new ScopedSource(whole, 'shop-0', object => {
    read.push(object.uid);
    return contentOf?.(object);
  });
  expect((await command('plan', { source, now: () => now })).exitCode).toBe(0);
  expect(read.length).toBeGreaterThan(5);
  expect(read.toSorted()).toEqual([...new Set(read)].sort());
});

import { expect, test } from 'vitest';
import { compareAround } from '../../src/collector/event-branches.ts';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import { object } from '../graph/fixtures.ts';

test('an object that is being deleted when it is first seen begins its deletion', () => {
  const graph = new OwnershipGraph();
  const event = {
    op: 'upsert',
    object: object({ uid: 'pod', deletionTimestamp: 1 }),
    old: undefined,
  } as const;
  const branches = compareAround(graph, event);
  graph.process(event);
  expect(branches()).toEqual(['NodeAdded', 'DeletionBegan']);
});

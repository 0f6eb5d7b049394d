import { expect, test } from 'vitest';
import { BatchQueue } from '../../../src/app/session/batch-queue.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { objects } from '../../documents/cluster.ts';

test('what came is taken over together, but no state of the connection is passed over', () => {
  const taken: SourceBatch[] = [];
  const inflow = new BatchQueue({ now: () => 0, after: () => () => {} }, batch => taken.push(batch));
  const [a, b, c] = ['a', 'b', 'c'].map(name => objects(`[{ kind: ConfigMap, name: ${name} }]`));
  inflow.open();
  inflow.push({ changes: a ?? [] });
  inflow.push({ changes: [], connection: { state: 'lost', reason: 'reset', since: 0 } });
  inflow.push({ changes: b ?? [] });
  inflow.push({ changes: [], connection: { state: 'catchingUp', cause: 'restored', since: 0 } });
  inflow.push({ changes: c ?? [], connection: { state: 'live' } });
  inflow.flush();
  expect(taken.map(({ changes, connection }) => [changes.length, connection?.state])).toEqual([
    [2, 'lost'],
    [0, 'catchingUp'],
    [1, 'live'],
  ]);
});

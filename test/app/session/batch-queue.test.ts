import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchQueue } from '../../../src/app/session/batch-queue.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { objects } from '../../documents/cluster.ts';

test('what came is taken over together, but no state of the connection is passed over', () => {
  const taken: SourceBatch[] = [];
  let frame = (): void => {};
  const after = (_: number, run: () => void) => {
    frame = run;
    return () => {};
  };
  const inflow = new BatchQueue({ now: () => 0, after }, batch => taken.push(batch));
  const [a, b, c] = ['a', 'b', 'c'].map(name => objects(`[{ kind: ConfigMap, name: ${name} }]`));
  inflow.open();
  inflow.push({ changes: a ?? [] });
  inflow.push({ changes: [], connection: { state: 'lost', reason: 'reset', since: 0 } });
  inflow.push({ changes: b ?? [] });
  inflow.push({ changes: [], connection: { state: 'catchingUp', cause: 'restored', since: 0 } });
  inflow.push({ changes: c ?? [], connection: { state: 'live' } });
  frame();
  expect(taken.map(({ changes, connection }) => [changes.length, connection?.state])).toEqual([
    [2, 'lost'],
    [0, 'catchingUp'],
    [1, 'live'],
  ]);
});

test('much is taken over in slices, in its order, and what is said of it comes after it', () => {
  const [change] = objects('[{ kind: ConfigMap, name: a }]');
  if (change === undefined) throw new Error('no change');
  const [type] = builtInTypes;
  if (type === undefined) throw new Error('no type');
  const status = { type, state: 'synced', count: 0, facts: true } as const;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 8 }), sizes => {
      const frames: (() => void)[] = [];
      const after = (_: number, run: () => void) => {
        frames.push(run);
        return () => {};
      };
      const taken: (SourceBatch | string)[] = [];
      const inflow = new BatchQueue({ now: () => 0, after }, batch => taken.push(batch));
      inflow.open();
      let number = 0;
      for (const size of sizes) {
        const changes = Array.from({ length: size }, () => ({ ...change, number: number++ }));
        inflow.push({ types: builtInTypes, changes, statuses: [{ ...status, count: number }] });
        inflow.afterwards(() => taken.push(`after ${number}`));
      }
      inflow.afterwards(() => taken.push('end'));
      for (let frame = frames.shift(); frame !== undefined; frame = frames.shift()) {
        const before = taken.length;
        frame();
        const batches = taken.slice(before).filter(each => typeof each !== 'string');
        expect(batches.flatMap(({ changes }) => changes).length).toBeLessThanOrEqual(1_000);
      }
      expect(taken.at(-1)).toBe('end');
      let seen = 0;
      for (const each of taken) {
        if (typeof each === 'string') continue;
        for (const one of each.changes) expect(one).toHaveProperty('number', seen++);
        for (const { count } of each.statuses ?? []) expect(count).toBe(seen);
      }
      expect(seen).toBe(number);
      const told = taken.flatMap(each => (typeof each === 'string' ? [] : (each.statuses ?? [])));
      expect(told).toHaveLength(sizes.length);
    }),
    { numRuns: 40 },
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchQueue } from '../../../src/app/session/batch-queue.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { objects } from '../../cli/documents/cluster.ts';

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
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 8 }),
      fc.boolean(),
      (sizes, isTyping) => {
        const frames: (() => void)[] = [];
        const after = (_: number, run: () => void) => {
          frames.push(run);
          return () => {};
        };
        const taken: (SourceBatch | string)[] = [];
        let clock = 0;
        const inflow = new BatchQueue({ now: () => clock, after }, batch => {
          taken.push(batch);
          clock += batch.changes.length / 100;
        });
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
          if (isTyping) inflow.giveWay(400);
          frame();
          const batches = taken.slice(before).filter(each => typeof each !== 'string');
          // Four milliseconds, and what was begun by then, which is less where somebody types.
          const most = isTyping ? 500 : 800;
          expect(batches.flatMap(({ changes }) => changes).length).toBeLessThanOrEqual(most);
        }
        expect(taken.at(-1)).toBe('end');
        const batches = taken.filter(each => typeof each !== 'string');
        const seen: number[] = [];
        for (const { changes, statuses = [] } of batches) {
          for (const each of changes) seen.push(Reflect.get(each, 'number'));
          for (const { count } of statuses) expect(count).toBe(seen.length);
        }
        expect(seen).toEqual(Array.from({ length: number }, (_, nth) => nth));
        const told = batches.flatMap(({ statuses = [] }) => statuses);
        expect(told).toHaveLength(sizes.length);
      },
    ),
    { numRuns: 40 },
  );
});

test('while somebody is at the keys the rest has more of the time, and all is taken over nevertheless', () => {
  const [change] = objects('[{ kind: ConfigMap, name: a }]');
  if (change === undefined) throw new Error('no change');
  /** Milliseconds until all is there, and how many of them were for the rest. */
  const drain = (isTyping: boolean): { taken: number; took: number; rest: number } => {
    let clock = 0;
    let taken = 0;
    let due: { readonly at: number; readonly run: () => void } | undefined;
    const after = (wait: number, run: () => void) => {
      due = { at: clock + wait, run };
      return () => {};
    };
    const inflow = new BatchQueue({ now: () => clock, after }, ({ changes }) => {
      taken += changes.length;
      clock += changes.length / 100;
    });
    inflow.open();
    inflow.push({ changes: Array.from({ length: 10_000 }, () => change) });
    let rest = 0;
    while (due !== undefined) {
      const { at, run }: NonNullable<typeof due> = due;
      due = undefined;
      rest += Math.max(0, at - clock);
      clock = Math.max(clock, at);
      if (isTyping) inflow.giveWay(400);
      run();
    }
    return { taken, took: clock, rest };
  };
  const alone = drain(false);
  const typing = drain(true);
  expect(alone.taken).toBe(10_000);
  expect(typing.taken).toBe(10_000);
  // A hundred milliseconds of work, with as much for the rest, and with three times as much.
  expect(typing.rest).toBeGreaterThan(2.2 * alone.rest);
  expect(typing.took).toBeLessThan(450);
});

test('what comes waits until what a key does is on the screen, and is taken over however fast keys come', () => {
  const [change] = objects('[{ kind: ConfigMap, name: a }]');
  if (change === undefined) throw new Error('no change');
  let clock = 1_000;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  const after = (wait: number, run: () => void) => {
    const timer = { at: clock + wait, run };
    due.add(timer);
    return () => due.delete(timer);
  };
  const pass = (milliseconds: number): void => {
    const until = clock + milliseconds;
    for (;;) {
      const [next] = [...due].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      due.delete(next);
      clock = Math.max(clock, next.at);
      next.run();
    }
    clock = until;
  };
  const taken: number[] = [];
  const inflow = new BatchQueue({ now: () => clock, after }, () => taken.push(clock));
  inflow.open();

  inflow.giveWay(400);
  inflow.push({ changes: [change] });
  const key = clock;
  pass(100);
  expect(taken).toEqual([key + 15]);

  pass(1_000);
  inflow.push({ changes: [change] });
  inflow.push({ changes: [change] });
  for (let time = 0; time < 100; time++) {
    inflow.giveWay(400);
    pass(1);
  }
  expect(taken).toHaveLength(2);
  expect(due.size).toBe(0);
});

test('what comes is shown within some seconds, however little time this program has, and though somebody types', () => {
  const [change] = objects('[{ kind: ConfigMap, name: a }]');
  if (change === undefined) throw new Error('no change');
  let clock = 0;
  let due: { readonly at: number; readonly run: () => void } | undefined;
  const after = (milliseconds: number, run: () => void) => {
    const next = { at: clock + milliseconds, run };
    due = next;
    return () => {
      if (due === next) due = undefined;
    };
  };
  let taken = 0;
  const inflow = new BatchQueue({ now: () => clock, after }, batch => {
    taken += batch.changes.length;
    // What the screen makes of them takes as long, however few they are.
    clock += 300;
  });
  inflow.open();
  let sent = 0;
  let longest = 0;
  // Five hundred changes a second for ten minutes.
  while (clock < 600_000) {
    for (; sent < clock / 2; sent += 5) inflow.push({ changes: Array.from({ length: 5 }, () => change) });
    inflow.giveWay(400);
    const next = due as { readonly at: number; readonly run: () => void } | undefined;
    clock = Math.max(clock + 10, Math.min(next?.at ?? clock, clock + 10));
    if (next !== undefined && next.at <= clock) {
      due = undefined;
      next.run();
    }
    longest = Math.max(longest, (sent - taken) / 500);
  }
  expect(longest).toBeLessThan(15);
});

import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/simulation/clock.ts';
import { SimulatedQueue, type WorkQueueOptions } from '../../../src/simulation/runtime/work-queue.ts';

function queue(options?: WorkQueueOptions) {
  const clock = new VirtualClock(0);
  const handled: string[] = [];
  const it = new SimulatedQueue<string>(clock, 'q', key => handled.push(`${key}@${clock.now}`), options);
  return { clock, handled, it };
}

describe('a controller’s queue', () => {
  test('what waits isn’t queued twice, and what is worked on can be queued again', () => {
    const { clock, handled, it } = queue();
    for (const key of ['a', 'b', 'a']) it.add(key);
    expect(it.items).toEqual(['a', 'b']);
    clock.run();
    it.add('a');
    clock.run();
    expect(handled).toEqual(['a@0', 'b@0', 'a@0']);
  });

  test('what comes up while a look at it goes on is looked at again once that has ended, and not before', () => {
    const { clock, handled, it } = queue();
    it.add('a');
    clock.run();
    it.conclude('a', 'pending');
    it.add('a');
    it.addAfter('a', 100);
    it.add('b');
    clock.run();
    expect(handled).toEqual(['a@0', 'b@0']);
    it.conclude('a', 'done');
    it.add('a');
    clock.run();
    expect(handled).toEqual(['a@0', 'b@0', 'a@100']);
  });

  test('a delayed key comes back once, at the earliest time asked for', () => {
    const { clock, handled, it } = queue();
    it.addAfter('a', 100);
    it.addAfter('a', 50);
    it.addAfter('a', 200);
    expect(it.later).toEqual([{ key: 'a', at: 50, failures: 0 }]);
    clock.run();
    expect(handled).toEqual(['a@50']);
  });

  test('work is not put off by a later retry, nor a retry by later work', () => {
    const { clock, it } = queue();
    it.addAfter('a', 100, 'retry');
    it.addAfter('a', 200, 'work');
    expect(clock.atRest).toBe(false);
    clock.run();
    expect(clock.now).toBe(100);
  });

  test('failures back off twice as long each time, up to the limit, until they are forgotten', () => {
    const { clock, handled, it } = queue({ maxDelay: 30, bucket: undefined });
    for (let i = 0; i < 5; i++) {
      it.addRateLimited('a');
      clock.run({ until: clock.now + 30 });
    }
    expect(handled).toEqual(['a@5', 'a@40', 'a@80', 'a@120', 'a@150']);
    it.forget('a');
    it.addRateLimited('a');
    clock.run({ until: 155 });
    expect(handled.at(-1)).toBe('a@155');
  });

  test('beyond a burst of a hundred ten a second come back', () => {
    const { clock, handled, it } = queue();
    for (let i = 0; i < 120; i++) it.addRateLimited(`k${i}`);
    clock.run({ until: 99 });
    expect(handled).toHaveLength(100);
    clock.run({ until: 1_100 });
    expect(handled).toHaveLength(111);
  });

  test('a stopped queue forgets everything', () => {
    const { clock, handled, it } = queue();
    it.add('a');
    it.addAfter('b', 5);
    it.stop();
    it.add('c');
    clock.run({ until: 10 });
    expect(handled).toEqual([]);
    expect(clock.atRest).toBe(true);
  });

  test('a key that is retried and queues another each time comes to rest once both were looked at', () => {
    const clock = new VirtualClock(0);
    const handled: string[] = [];
    const it = new SimulatedQueue<string>(clock, 'q', key => {
      handled.push(key);
      if (key !== 'owner') return;
      for (const dependent of ['a', 'b']) it.addAgain(dependent);
      it.addRateLimited(key);
    });
    it.add('owner');
    expect(clock.run({ tasks: 100 })).toBe('rest');
    expect(new Set(handled)).toEqual(new Set(['owner', 'a', 'b']));
    // After a change each is worth another look.
    const before = handled.length;
    clock.progressed();
    expect(clock.run({ tasks: 100 })).toBe('rest');
    expect(new Set(handled.slice(before))).toEqual(new Set(['owner', 'a', 'b']));
  });

  test('a retry that is far off is not awaited through thousands that repeat themselves', () => {
    const clock = new VirtualClock(0);
    const repeat = (): void => {
      clock.schedule('quick', repeat, { delay: 100, kind: 'retry' });
    };
    const late: number[] = [];
    clock.schedule('slow', () => late.push(clock.now), { delay: 1_000_000, kind: 'retry' });
    repeat();
    expect(clock.run({ tasks: 2000 })).toBe('rest');
    expect(late).toEqual([1_000_000]);
  });
});

import { describe, expect, test } from 'vitest';
import { type Chooser, VirtualClock } from '../../../src/simulation/clock.ts';

function recorded(chooser?: Chooser) {
  const clock = new VirtualClock(1000, chooser);
  const seen: string[] = [];
  const note = (text: string) => () => {
    seen.push(`${text}@${clock.now}`);
  };
  return { clock, seen, note };
}

describe('virtual time', () => {
  test('tasks run by time, and at one time in the order of scheduling', () => {
    const { clock, seen, note } = recorded();
    clock.schedule('a', note('late'), { delay: 50 });
    clock.schedule('a', note('first'));
    clock.schedule('b', note('soon'), { delay: 10 });
    clock.schedule('b', note('second'));
    clock.schedule('c', note('soon too'), { delay: 10 });
    expect(clock.run()).toBe('rest');
    expect(seen).toEqual(['first@1000', 'second@1000', 'soon@1010', 'soon too@1010', 'late@1050']);
  });

  test('a cancelled task doesn’t run and keeps nothing from being at rest', () => {
    const { clock, seen, note } = recorded();
    const now = clock.schedule('a', note('now'));
    const later = clock.schedule('a', note('later'), { delay: 10 });
    clock.cancel(now);
    clock.cancel(later);
    clock.cancel(later);
    expect(clock.atRest).toBe(true);
    clock.run({ until: 2000 });
    expect(seen).toEqual([]);
    expect(clock.now).toBe(2000);
  });

  test('running for a while stops at its end, with later tasks still pending', () => {
    const { clock, seen, note } = recorded();
    clock.schedule('a', note('in'), { delay: 10 });
    clock.schedule('a', note('out'), { delay: 20 });
    expect(clock.run({ until: 1015 })).toBe('until');
    expect(seen).toEqual(['in@1010']);
    expect(clock.now).toBe(1015);
    expect(clock.atRest).toBe(false);
  });

  test('a simulation that never rests is cut off by the number of tasks', () => {
    const clock = new VirtualClock(0);
    const again = (): void => {
      clock.schedule('a', again, { delay: 1 });
    };
    again();
    expect(clock.run({ tasks: 100 })).toBe('limit');
  });
});

describe('being at rest', () => {
  test('a failing attempt is repeated once after the last change, not for ever', () => {
    const clock = new VirtualClock(0);
    let attempts = 0;
    const attempt = (): void => {
      attempts++;
      clock.schedule('retry', attempt, { delay: 5, kind: 'retry' });
    };
    clock.schedule('retry', attempt);
    expect(clock.run()).toBe('rest');
    expect(attempts).toBe(1);
    clock.schedule('work', () => {});
    expect(clock.run()).toBe('rest');
    expect(attempts).toBe(2);
  });

  test('with a chooser a short back-off may be over before what is due, and a long one is not', () => {
    const { clock, seen, note } = recorded(ready => ready.at(-1) ?? failed());
    clock.schedule('due', note('due'));
    clock.schedule('long', note('long'), { delay: 1_000, kind: 'retry' });
    clock.schedule('short', note('short'), { delay: 5, kind: 'retry' });
    clock.schedule('shorter', note('shorter'), { delay: 4, kind: 'retry' });
    expect(clock.run()).toBe('rest');
    expect(seen).toEqual(['short@1005', 'shorter@1005', 'due@1005', 'long@2000']);
    clock.schedule('due', note('due'));
    clock.schedule('late', note('late'), { delay: 20 });
    clock.run({ until: 2_010 });
    expect(seen.slice(4)).toEqual(['due@2000']);
  });

  test('what is years away is reached without all the periodic looks until then', () => {
    const clock = new VirtualClock(0);
    let looks = 0;
    const look = (): void => {
      looks++;
      clock.schedule('look', look, { delay: 20_000, kind: 'retry' });
    };
    clock.schedule('look', look);
    const year = 365 * 86_400_000;
    clock.schedule('work', () => {}, { delay: year });
    expect(clock.run({ tasks: 10_000 })).toBe('rest');
    expect(clock.now).toBe(year);
    // And once more after it.
    expect(looks).toBeGreaterThan(1000);
    expect(looks).toBeLessThan(2000);
  });

  test('an attempt that changes something is repeated until it doesn’t', () => {
    const clock = new VirtualClock(0);
    let changes = 3;
    let attempts = 0;
    const attempt = (): void => {
      attempts++;
      if (changes-- > 0) clock.progressed();
      clock.schedule('retry', attempt, { delay: 5, kind: 'retry' });
    };
    clock.schedule('retry', attempt, { kind: 'retry' });
    expect(clock.run()).toBe('rest');
    expect(attempts).toBe(4);
  });

  test('the second half of an attempt is waited for, and fails like the first', () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    const attempt = (): void => {
      seen.push('decide');
      const act = (): void => {
        seen.push('act');
        clock.schedule('retry', attempt, { delay: 5, kind: 'retry' });
      };
      clock.schedule('act', act, { continues: true });
    };
    clock.schedule('retry', attempt);
    expect(clock.run({ tasks: 100 })).toBe('rest');
    expect(seen).toEqual(['decide', 'act']);
  });

  test('an attempt that failed because something changed between its halves is repeated', () => {
    const clock = new VirtualClock(0);
    let attempts = 0;
    const attempt = (): void => {
      attempts++;
      const act = (): void => {
        clock.schedule('retry', attempt, { delay: 5, kind: 'retry' });
      };
      clock.schedule('act', act, { continues: true, slow: true });
    };
    clock.schedule('retry', attempt);
    clock.schedule('other', () => {});
    expect(clock.run({ tasks: 100 })).toBe('rest');
    expect(attempts).toBe(2);
  });

  test('idle tasks are run in passing and never waited for', () => {
    const { clock, seen, note } = recorded();
    clock.schedule('idle', note('idle'), { delay: 10, kind: 'idle' });
    clock.schedule('work', note('work'), { delay: 20 });
    clock.schedule('idle', note('never'), { delay: 30, kind: 'idle' });
    expect(clock.run()).toBe('rest');
    expect(seen).toEqual(['idle@1010', 'work@1020']);
  });
});

describe('a chooser', () => {
  test('it picks among the oldest tasks of each lane, so that a lane stays in order', () => {
    const offered: string[][] = [];
    const { clock, seen, note } = recorded(ready => {
      offered.push(ready.map(({ lane }) => lane));
      return ready[ready.length - 1] ?? failed();
    });
    for (const text of ['a1', 'a2']) clock.schedule('a', note(text));
    for (const text of ['b1', 'b2']) clock.schedule('b', note(text));
    clock.run();
    expect(seen.map(each => each.slice(0, 2))).toEqual(['b1', 'b2', 'a1', 'a2']);
    expect(offered).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });
});

function failed(): never {
  throw new Error('nothing was offered');
}

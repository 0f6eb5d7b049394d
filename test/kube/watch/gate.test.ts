/** Who may send a list now. */
import { setImmediate as soon } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BEHIND, Gate } from '../../../src/kube/watch/gate.ts';

class Queue {
  readonly entered: number[] = [];
  readonly #gate: Gate;
  readonly #ways = new Map<number, () => void>();

  constructor(places: number, behind: number) {
    this.#gate = new Gate(places, behind);
  }

  enter(...ranks: readonly number[]): void {
    for (const rank of ranks) {
      void this.#gate.enter(rank).then(leave => {
        this.entered.push(rank);
        this.#ways.set(rank, leave);
      });
    }
  }

  leave(rank: number): void {
    this.#ways.get(rank)?.();
  }
}

test('of those that wait the lowest rank comes next', async () => {
  const queue = new Queue(2, 2);
  queue.enter(5, 6, 9, 7, 8);
  await soon();
  expect(queue.entered).toEqual([5, 6]);
  queue.leave(6);
  // Going out twice gives no second place.
  queue.leave(6);
  await soon();
  expect(queue.entered).toEqual([5, 6, 7]);
  queue.leave(5);
  queue.leave(7);
  await soon();
  expect(queue.entered).toEqual([5, 6, 7, 8, 9]);
});

test('of those of one rank the first that came is next', async () => {
  const gate = new Gate(1, 1);
  const leave = await gate.enter(5);
  const entered: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const next = await gate.enter(5);
    entered.push(name);
    next();
  };
  const all = ['a', 'b', 'c'].map(pass);
  leave();
  await Promise.all(all);
  expect(entered).toEqual(['a', 'b', 'c']);
});

test('those that nobody waits for leave places to others', async () => {
  const queue = new Queue(3, 1);
  queue.enter(BEHIND + 1, BEHIND + 2, BEHIND + 3);
  await soon();
  expect(queue.entered).toEqual([BEHIND + 1]);
  queue.enter(1, 2, 3);
  await soon();
  expect(queue.entered).toEqual([BEHIND + 1, 1, 2]);
  queue.leave(1);
  await soon();
  expect(queue.entered.at(-1)).toBe(3);
  queue.leave(2);
  queue.leave(3);
  await soon();
  expect(queue.entered).toHaveLength(4);
  queue.leave(BEHIND + 1);
  await soon();
  expect(queue.entered.at(-1)).toBe(BEHIND + 2);
});

/** Work with pauses in it: what it does is the same, and how much lies between two of them is bounded. */
import { expect, test } from 'vitest';
import { Sliced } from '../../src/model/slices.ts';

function pausesOf(work: Sliced<unknown>): number {
  let pauses = 0;
  while (work.next().done !== true) pauses += 1;
  return pauses;
}

test('everything is walked through in its order, with a pause for each five hundred', () => {
  const items = Array.from({ length: 2_600 }, (_, i) => i);
  const seen: number[] = [];
  expect(pausesOf(Sliced.each(items, each => seen.push(each)))).toBe(5);
  expect(seen).toEqual(items);
});

test('what is made one after the other is all there, with a pause after each', () => {
  expect(Sliced.atOnce(Sliced.list(['a', 'b', 'c']))).toEqual(['a', 'b', 'c']);
  expect(pausesOf(Sliced.list(['a', 'b', 'c']))).toBe(3);
});

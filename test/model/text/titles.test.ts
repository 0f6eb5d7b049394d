import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCount } from '../../../src/model/text/titles.ts';

test('thousands are separated as in English', () => {
  expect([0, 7, 999, 1000, 12_431, 1_000_000].map(formatCount)).toEqual([
    '0',
    '7',
    '999',
    '1,000',
    '12,431',
    '1,000,000',
  ]);
  fc.assert(
    fc.property(fc.integer(), count => {
      expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
});

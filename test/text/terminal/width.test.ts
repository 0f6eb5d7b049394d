import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, padEnd, truncate, truncateMiddle } from '../../../src/text/terminal/width.ts';

test('East Asian characters take two columns', () => {
  expect(displayWidth('東京')).toBe(4);
  expect(padEnd('東京', 6)).toBe('東京  ');
});

test('text that fits stays whole, text that does not ends in an ellipsis', () => {
  expect(truncate('web-0', 5)).toBe('web-0');
  expect(truncate('web-0', 4)).toBe('web…');
  expect(truncate('web-0', 4, '~')).toBe('web~');
  expect(truncate('東京都', 5)).toBe('東京…');
  expect(truncate('東京都', 4)).toBe('東…');
  expect(truncate('web-0', 0)).toBe('');
});

test('truncated text is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
      expect(displayWidth(truncate(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

test('a name that does not fit keeps its beginning and its end', () => {
  expect(truncateMiddle('api-bb88d6465-bwrgd', 19)).toBe('api-bb88d6465-bwrgd');
  expect(truncateMiddle('api-bb88d6465-bwrgd', 12)).toBe('api-bb…bwrgd');
  expect(truncateMiddle('api-bb88d6465-bwrgd', 12, '~')).toBe('api-bb~bwrgd');
  expect(truncateMiddle('東京都の名前のポッド', 12)).toBe('東京都…ッド');
  expect(truncateMiddle('api-bb88d6465-bwrgd', 6)).toBe('api-b…');
});

test('a name cut in its middle is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(40), (text, width) => {
      expect(displayWidth(truncateMiddle(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, padEnd, truncate, truncated } from '../../../src/text/terminal/width.ts';

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
  expect(truncated.middle('api-bb88d6465-bwrgd', 19)).toBe('api-bb88d6465-bwrgd');
  expect(truncated.middle('api-bb88d6465-bwrgd', 12)).toBe('api-bb…bwrgd');
  expect(truncated.middle('api-bb88d6465-bwrgd', 12, '~')).toBe('api-bb~bwrgd');
  expect(truncated.middle('東京都の名前のポッド', 12)).toBe('東京都…ッド');
  expect(truncated.middle('api-bb88d6465-bwrgd', 6)).toBe('api-b…');
});

test('a name cut in its middle is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(40), (text, width) => {
      expect(displayWidth(truncated.middle(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

test('a sentence that is too wide keeps its last word, and the beginning and end of a long path', () => {
  const path = '/home/somebody/some/long/folder/of/theirs/gc-tree-tree-20261123T224000Z.txt';
  expect(truncated.sentence(`Wrote 25 rows to ${path}`, 100)).toBe(`Wrote 25 rows to ${path}`);
  expect(truncated.sentence(`Wrote 25 rows to ${path}`, 58)).toMatch(
    /^Wrote 25 rows to \/home\/somebody.*….*T224000Z\.txt$/u,
  );
  const sentence =
    'This shows all namespaces, because the object that was looked for is in none: { leads back.';
  expect(truncated.sentence(sentence, 60)).toMatch(/^This shows all namespaces.*… back\.$/u);
  for (let width = 1; width < 120; width += 1)
    for (const text of [sentence, `Wrote ${path}`, path, '東京 '.repeat(30), ''])
      expect(displayWidth(truncated.sentence(text, width))).toBeLessThanOrEqual(width);
});

test('what stands between two columns is as wide as these are apart, half a character being a blank', () => {
  expect(truncated.between('ab東京cd', 1, 5)).toBe('b東 ');
  expect(truncated.between('ab東京cd', 3, 7)).toBe(' 京c');
  expect(truncated.between('├─ web-0 …', 3, 8)).toBe('web-0');
  const texts = fc.array(fc.constantFrom('a', 'é', '東', '▾', '👩‍🚒', ' ')).map(each => each.join(''));
  fc.assert(
    fc.property(texts, fc.nat(20), fc.nat(20), (text, from, more) => {
      const whole = padEnd(text, from + more);
      expect(displayWidth(truncated.between(whole, from, from + more))).toBe(more);
    }),
  );
});

/** A countdown changes each second in its last minute alone. */
import { expect, test } from 'vitest';
import { podGcWords } from '../../../src/text/podgc/podgc-words.ts';

test.each([
  [900, '1s'],
  [59_001, '60s'],
  [60_001, '2m'],
  [119_000, '2m'],
  [121_000, '3m'],
])('%i ms are waited for %s', (left, words) => {
  expect(podGcWords.wait(left)).toBe(words);
});

import { expect, it } from 'vitest';
import { connectionWords } from '../../../src/text/connection/connection.ts';

it.each([
  [429, 12_000, 'the API server is too busy (429); trying again in 12s'],
  [503, 1_400, 'the API server is not available (503); trying again in 1s'],
  [504, 900, 'the API server answered 504; trying again'],
  [undefined, -50, 'the connection broke; trying again'],
])('a request that was answered %s waits %d ms', (status, left, words) => {
  expect(connectionWords.pausing({ status, until: 5_000 + left }, 5_000)).toBe(words);
});

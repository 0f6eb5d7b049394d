import { expect, test } from 'vitest';
import { timeText } from '../../../src/text/terminal/age.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

// Each threshold of kubectl's HumanDuration from both sides.
test.each([
  [-3 * s, '<invalid>'],
  [-1.5 * s, '0s'],
  [0, '0s'],
  [119 * s, '119s'],
  [120 * s, '2m'],
  [9 * m + 59 * s, '9m59s'],
  [10 * m + 30 * s, '10m'],
  [179 * m, '179m'],
  [180 * m, '3h'],
  [7 * h + 59 * m, '7h59m'],
  [8 * h + 30 * m, '8h'],
  [47 * h, '47h'],
  [48 * h, '2d'],
  [51 * h, '2d3h'],
  [8 * d - h, '7d23h'],
  [8 * d + h, '8d'],
  [729 * d, '729d'],
  [730 * d, '2y'],
  [731 * d, '2y1d'],
  [8 * 365 * d + d, '8y'],
])('%d ms is %s', (duration, text) => {
  expect(timeText.duration(duration)).toBe(text);
});

test('an object without a creation timestamp has an unknown age', () => {
  expect(timeText.age(0, 1)).toBe('<unknown>');
  expect(timeText.age(undefined, 1)).toBe('<unknown>');
  expect(timeText.age(1, 1 + 5 * m)).toBe('5m');
});

test('timestamps are whole seconds, and impossible ones do not throw', () => {
  expect(timeText.timestamp(Date.UTC(2026, 10, 21, 9, 14, 5, 678))).toBe('2026-11-21T09:14:05Z');
  expect(timeText.timestamp(Number.NaN)).toBe('<invalid>');
  expect(timeText.timestamp(1e20)).toBe('<invalid>');
});

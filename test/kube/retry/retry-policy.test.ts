import { describe, expect, it } from 'vitest';
import {
  type AttemptOutcome,
  type History,
  pauseBefore,
  retryAfter,
  spread,
} from '../../../src/kube/transport/retry-policy.ts';

const question: History = {
  harmless: true,
  alone: false,
  sent: 1,
  elapsed: 0,
  patience: undefined,
  random: 0,
};
const change: History = { ...question, harmless: false };
const list: History = { ...question, alone: true };
const answered = (status: number, retryAfterMs?: number): AttemptOutcome => ({ status, retryAfterMs });

describe('what is sent again', () => {
  // The pause in milliseconds; `-` for what stands as it is.
  it.each([
    //                                       question change list
    ['200', answered(200), '- - -'],
    ['404', answered(404), '- - -'],
    ['408, which is no 5xx', answered(408, 1_000), '- - -'],
    ['429 without Retry-After', answered(429), '- - -'],
    ['429', answered(429, 1_000), '1000 1000 -'],
    ['429 with Retry-After 0', answered(429, 0), '500 500 -'],
    ['429 that asks for an hour', answered(429, 3_600_000), '- - -'],
    ['500', answered(500), '- - -'],
    ['500 with Retry-After', answered(500, 2_000), '2000 - -'],
    ['502', answered(502), '- - -'],
    ['503 without Retry-After', answered(503), '- - -'],
    ['503', answered(503, 2_000), '2000 2000 -'],
    ['504 with Retry-After', answered(504, 2_000), '2000 - -'],
    ['no connection', { fate: 'unsent' }, '- - -'],
    ['a refused stream', { fate: 'unprocessed' }, '1000 1000 -'],
    ['a broken connection', { fate: 'broken' }, '0 - 0'],
    ['a deadline that passed', { fate: 'other' }, '- - -'],
  ] as const)('after %s', (_, outcome, expected) => {
    const pauses = [question, change, list].map(history => String(pauseBefore(outcome, history) ?? '-'));
    expect(pauses.join(' ')).toBe(expected);
  });

  it('is sent ten times more at most, and for a minute at most', () => {
    expect(pauseBefore(answered(429, 1_000), { ...change, sent: 10 })).toBe(8_000);
    expect(pauseBefore(answered(429, 1_000), { ...change, sent: 11 })).toBeUndefined();
    expect(pauseBefore(answered(429, 9_000), { ...change, sent: 2, elapsed: 51_000 })).toBe(9_000);
    expect(pauseBefore(answered(429, 9_000), { ...change, sent: 2, elapsed: 51_001 })).toBeUndefined();
  });

  it('is not waited for beyond --request-timeout', () => {
    expect(pauseBefore(answered(429, 9_000), { ...question, patience: 10_000 })).toBe(9_000);
    expect(pauseBefore(answered(429, 11_000), { ...question, patience: 10_000 })).toBeUndefined();
  });

  it('waits longer each time, so that a server that asks everybody for a second is left alone', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map(sent => pauseBefore(answered(429, 1_000), { ...question, sent }));
    expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it('tries another kept connection at once, and then waits a second each time', () => {
    const pauses = [1, 2, 3, 10].map(sent => pauseBefore({ fate: 'broken' }, { ...question, sent }));
    expect(pauses).toEqual([0, 0, 1_000, 1_000]);
    expect(pauseBefore({ fate: 'broken' }, { ...list, sent: 3 })).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  it.each([
    [{}, undefined],
    [{ 'retry-after': '1' }, 1_000],
    [{ 'retry-after': ' 86400 ' }, 86_400_000],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '1.5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:07 GMT' }, 7_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    // The server's clock is an hour behind the one here, and its own date says so.
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:07 GMT', date: 'Sat, 21 Nov 2026 11:00:00 GMT' }, 7_000],
  ] as const)('of %j is read', (headers, expected) => {
    expect(retryAfter(headers, now)).toBe(expected);
  });

  it('is never cut short, and spread over half as much again', () => {
    expect(spread(1_000, 0)).toBe(1_000);
    expect(spread(1_000, 1)).toBe(1_500);
  });
});

import type { RecordedRange } from '../../source/index.ts';
import { timeText } from '../../text/index.ts';
import { parseDuration } from '../runtime/duration.ts';
import { UsageError } from '../runtime/errors.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Moments copied from output have whole seconds. */
const SECOND = 1_000;

/**
 * Parses RFC 3339, a local time of day (its last in the recording), or a duration from the end (`-5m`) or start (`+5m`)
 * into milliseconds since the epoch. Throws a `UsageError` for anything else, or outside the recording.
 */
export function momentIn(text: string, { from, to }: RecordedRange): number {
  const range = `the recording goes from ${timeText.timestamp(from)} to ${timeText.timestamp(to)}`;
  const at = relative(text, { from, to }) ?? absolute(text) ?? ofDay(text, to);
  if (at === undefined)
    throw new UsageError(
      `--at: ${JSON.stringify(text)} is no time. Write 2026-11-21T14:02:00Z, 14:02, or -5m from the end; ${range}.`,
    );
  if (at < from - SECOND || at > to + SECOND) throw new UsageError(`--at: ${text} is not in it: ${range}.`);
  return Math.min(Math.max(at, from), to);
}

/** Parses RFC 3339, or a duration before `now`, into milliseconds since the epoch. Throws a `UsageError`. */
export function momentBefore(flag: string, text: string, now: number): number {
  return absolute(text) ?? now - parseDuration(flag, text);
}

function relative(text: string, { from, to }: RecordedRange): number | undefined {
  const [, sign, duration = ''] = /^([-+])(\d.*)$/u.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const milliseconds = parseDuration('--at', duration);
  return sign === '-' ? to - milliseconds : from + milliseconds;
}

function absolute(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[-+]\d\d:\d\d)$/u.test(text))
    return undefined;
  const at = Date.parse(text.replace(' ', 'T').toUpperCase());
  return Number.isNaN(at) ? undefined : at;
}

function ofDay(text: string, to: number): number | undefined {
  const [, hours, minutes, seconds = '0'] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/u.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const day = new Date(to);
  day.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (day.getTime() > to + SECOND) day.setTime(day.getTime() - DAY);
  return day.getTime();
}

import { UsageError } from './errors.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a duration like kubectl (`90s`, `1h30m`), or seconds; returns milliseconds. Throws a `UsageError`. */
export function parseDuration(flag: string, text: string): number {
  if (/^\d+$/u.test(text)) return Number(text) * 1000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/u.test(text))
    throw new UsageError(`${flag}: ${text} is no duration. Write 90s, 5m or 1h30m.`);
  let total = 0;
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu))
    total += Number(number) * (units[unit] ?? 0);
  return total;
}

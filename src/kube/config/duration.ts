/** `--request-timeout`, which kubectl reads as seconds or as a Go duration. */
import { SourceError } from '../../source/source.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of `30`, `1m30s`, `500ms`; 0 means no limit. Throws a `SourceError` (clientcmd `ParseTimeout`). */
export function parseTimeout(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy)];
  const matched = parts.reduce((length, part) => length + part[0].length, 0);
  if (text === '' || matched !== text.length) {
    throw new SourceError(
      `invalid --request-timeout "${text}": give seconds or a duration such as 30s, 2m or 1h.`,
    );
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (unitMs[part[2] ?? ''] ?? 0), 0);
}

/** How long an answer asks to wait: its Retry-After, in seconds or as a date. */

/** Nobody waits longer than this for one answer; what asks for more is told. */
export const LONGEST_WAIT_MS = 60_000;

const LONG_MS = 10_000;

type Headers = Readonly<Record<string, string>>;

/**
 * Milliseconds that an answer asks to wait before the request is sent again; undefined where it doesn't ask. The API
 * server gives seconds, and client-go (v0.36, rest/request.go) reads nothing else; proxies may give a date, which is
 * compared with the answer's own Date, so that no clock here has to be right.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const text = (headers['retry-after'] ?? '').trim();
  if (/^\d+$/u.test(text)) return Number(text) * 1_000;
  // `Sat, 21 Nov 2026 12:00:07 GMT`; JavaScript takes `-1` for a date as well.
  const at = /^[A-Z][a-z]{2}/u.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const said = Date.parse(headers['date'] ?? '');
  return Math.max(0, at - (Number.isNaN(said) ? now : said));
}

/** Of an answer that asks to wait longer than a person would: ` (it asks to wait 3600 s)`, else `''`. */
export function longWait(headers: Headers, now: number): string {
  const asked = retryAfter(headers, now) ?? 0;
  return asked < LONG_MS ? '' : ` (it asks to wait ${Math.round(asked / 1_000)} s)`;
}

/** The same, and longer by up to half of it: those who were refused together don't come back together. */
export function spread(milliseconds: number, random: number): number {
  return milliseconds * (1 + random / 2);
}

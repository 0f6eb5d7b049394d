/**
 * Repeats requests like client-go (v0.36, rest/with_retry.go and rest/request.go) and net/http, with two extra bounds.
 */

/**
 * `unsent`: no connection was made. `unprocessed`: refused by REFUSED_STREAM or a GOAWAY. `broken`: the effect is
 * unknown. `other`: for example a deadline.
 */
export type Fate = 'unsent' | 'unprocessed' | 'broken' | 'other';

export type AttemptOutcome =
  | { readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly fate: Fate };

export interface History {
  readonly harmless: boolean;
  /** The sender repeats it itself, like a reflector, or accepts any answer, like a probe. */
  readonly alone: boolean;
  readonly sent: number;
  /** Milliseconds since the first attempt. */
  readonly elapsed: number;
  /** Milliseconds until it fails: `--request-timeout`, if shorter than the default. */
  readonly patience: number | undefined;
  readonly random: number;
}

/** client-go repeats a request ten times. */
const MOST_REPEATS = 10;
/** Two kept connections may have died together; the client notices further ones. */
const AT_ONCE = 2;
/** client-go's pause after a broken connection. */
const BROKEN_MS = 1_000;
/** The limit of the pauses that grow if the server keeps asking for one second. */
const LONGEST_GROWN_MS = 8_000;

/** Returns milliseconds before the next attempt; undefined if the outcome is final. */
export function pauseBefore(outcome: AttemptOutcome, history: History): number | undefined {
  if (history.sent > MOST_REPEATS) return undefined;
  const pause = 'fate' in outcome ? afterFailure(outcome.fate, history) : afterAnswer(outcome, history);
  if (history.alone && pause !== 0) return undefined;
  const left = Math.min(history.patience ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS) - history.elapsed;
  return pause === undefined || pause > left ? undefined : pause;
}

/**
 * Never repeats a change after 500 or 504, unlike client-go: slow storage may have made it (apiserver v0.36,
 * storage/errors/storage.go).
 */
function afterAnswer(
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs: number | undefined },
  { harmless, sent, random }: History,
): number | undefined {
  const isRepeated = saysUnprocessed(status) || (harmless && status >= 500);
  if (retryAfterMs === undefined || !isRepeated) return undefined;
  const grown = Math.min(LONGEST_GROWN_MS, 500 * 2 ** (sent - 1));
  return spread(Math.max(retryAfterMs, grown), random);
}

function saysUnprocessed(status: number): boolean {
  return status === 429 || status === 503;
}

function afterFailure(fate: Fate, { harmless, sent, random }: History): number | undefined {
  // client-go fails at once here, so a wrong address is reported without a wait.
  if (fate === 'unsent' || fate === 'other') return undefined;
  if (fate === 'broken' && !harmless) return undefined;
  // undici has already repeated unprocessed requests.
  const atOnce = fate === 'broken' && sent <= AT_ONCE;
  return atOnce ? 0 : spread(BROKEN_MS, random);
}

/** The longest wait for one answer; longer requested waits are reported. */
export const LONGEST_WAIT_MS = 60_000;

const LONG_MS = 10_000;

type Headers = Readonly<Record<string, string>>;

/**
 * Returns milliseconds. client-go (v0.36, rest/request.go) reads seconds only; a proxy's date is compared with the
 * answer's own Date, so that no local clock matters.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const text = (headers['retry-after'] ?? '').trim();
  if (/^\d+$/u.test(text)) return Number(text) * 1_000;
  // `Sat, 21 Nov 2026 12:00:07 GMT`; JavaScript would also parse `-1` as a date.
  const at = /^[A-Z][a-z]{2}/u.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const said = Date.parse(headers['date'] ?? '');
  return Math.max(0, at - (Number.isNaN(said) ? now : said));
}

/** Returns ` (it asks to wait 3600 s)` for a long wait, else `''`. */
export function longWait(headers: Headers, now: number): string {
  const asked = retryAfter(headers, now) ?? 0;
  return asked < LONG_MS ? '' : ` (it asks to wait ${Math.round(asked / 1_000)} s)`;
}

/** Adds up to half, so that clients refused together don't return together. */
export function spread(milliseconds: number, random: number): number {
  return milliseconds * (1 + random / 2);
}

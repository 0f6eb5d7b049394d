/**
 * Whether a request is sent again, and after what pause: the rules of client-go (v0.36, rest/with_retry.go and
 * rest/request.go) and of the transport below it (Go's net/http), with two bounds of our own. Pure, so that the rules
 * stand side by side.
 */

/**
 * What became of a request that got no whole answer.
 * - `unsent`: no connection was made.
 * - `unprocessed`: the server said that it didn't look at it: REFUSED_STREAM, or a GOAWAY that ends before it.
 * - `broken`: the connection broke while it was under way; what it did is unknown.
 * - `other`: the rest, such as a deadline that passed.
 */
export type Fate = 'unsent' | 'unprocessed' | 'broken' | 'other';

export type AttemptOutcome =
  | { readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly fate: Fate };

export interface History {
  /** Sending it twice does no more than sending it once. */
  readonly harmless: boolean;
  /** Whoever sent it asks again by itself, as a reflector, or any answer will do, as for a probe. */
  readonly alone: boolean;
  /** How often it was sent so far; at least once. */
  readonly sent: number;
  /** Milliseconds since it was sent first. */
  readonly elapsed: number;
  /** Milliseconds after which it is given up: `--request-timeout`, if that is shorter than what is usual. */
  readonly patience: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/** client-go repeats a request ten times. */
const MOST_REPEATS = 10;
/** Two kept connections may have died together; of more the client knows by then. */
const AT_ONCE = 2;
/** What client-go waits after a broken connection. */
const BROKEN_MS = 1_000;
/** Where the server asks for a second again and again, the pauses grow. */
const LONGEST_GROWN_MS = 8_000;

/** Milliseconds before the request is sent again; undefined where the outcome stands. */
export function pauseBefore(outcome: AttemptOutcome, history: History): number | undefined {
  if (history.sent > MOST_REPEATS) return undefined;
  const pause = 'fate' in outcome ? afterFailure(outcome.fate, history) : afterAnswer(outcome, history);
  if (history.alone && pause !== 0) return undefined;
  const left = Math.min(history.patience ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS) - history.elapsed;
  return pause === undefined || pause > left ? undefined : pause;
}

/**
 * client-go repeats whatever was answered 429 or 5xx with a Retry-After, changes too. Here a change is repeated only
 * where the status says that it wasn't carried out: with 500 and 504 the API server also answers where the storage
 * didn't reply in time (apiserver v0.36, storage/errors/storage.go), and then it may have been.
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

/** Too many requests; not available. */
function saysUnprocessed(status: number): boolean {
  return status === 429 || status === 503;
}

function afterFailure(fate: Fate, { harmless, sent, random }: History): number | undefined {
  // client-go fails at once, and a wrong address is reported without a wait.
  if (fate === 'unsent' || fate === 'other') return undefined;
  if (fate === 'broken' && !harmless) return undefined;
  // What wasn't processed was sent again by undici already.
  const atOnce = fate === 'broken' && sent <= AT_ONCE;
  return atOnce ? 0 : spread(BROKEN_MS, random);
}

/** The longest wait for one answer; a server that asks for more is reported. */
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

/**
 * The credentials that this process has read, so that no message shows one, whoever repeats it. Of the process and not
 * of a connection: a credential of one connection must not appear in the messages of another either.
 */
import { HIDDEN, withoutCredentials } from '../../model/text/credentials.ts';

/** Tokens that are renewed again and again must not fill memory. */
const MOST = 200;
/** Shorter values cannot be told apart from ordinary words. */
const SHORTEST = 4;
/** What is shorter may be a part of another word. */
const LONG = 12;

const known = new Map<string, RegExp>();

/** From now on none of these is shown, as it is or in base64 or in a URL. */
export function keepSecret(values: Iterable<string | undefined>): void {
  for (const value of values) {
    if (value === undefined || value.trim().length < SHORTEST) continue;
    for (const form of formsOf(value.trim())) {
      // What came last is what is used.
      known.delete(form);
      known.set(form, pattern(form));
    }
  }
  for (const oldest of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(oldest);
  }
}

/** What others say, without the credentials that are known, and without what looks like one. */
export function concealed(text: string): string {
  let shown = text;
  for (const [form, found] of known) if (shown.includes(form)) shown = shown.replace(found, HIDDEN);
  return withoutCredentials(shown);
}

function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  return new Set([
    value,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ]);
}

function pattern(form: string): RegExp {
  const literal = form.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(form.length >= LONG ? literal : `(?<!\\w)${literal}(?!\\w)`, 'gu');
}

/** Printable characters alone, without credentials, white space collapsed, cut at `limit`. */
export function plainText(text: string, limit = 300): string {
  const line = withoutEscapes(concealed(text))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

/** Without the sequences that move the cursor or change colours. */
export function withoutEscapes(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is taken out
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '');
}

/** The process's credentials, kept out of every message, including those of other connections. */
import { credentials } from '../../model/index.ts';

/** Tokens that are renewed repeatedly must not fill memory. */
const MOST = 200;
/** Shorter values can't be distinguished from ordinary words. */
const SHORTEST = 4;
/** Shorter values may be part of another word. */
const LONG = 12;

const known = new Map<string, RegExp>();

/** Hides these values from now on, plain, in base64 and in URLs. */
export function keepSecret(values: Iterable<string | undefined>): void {
  for (const value of values) {
    if (value === undefined || value.trim().length < SHORTEST) continue;
    for (const form of formsOf(value.trim())) {
      known.delete(form);
      known.set(form, pattern(form));
    }
  }
  for (const oldest of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(oldest);
  }
}

/** Removes known credentials and text that looks like one. */
export function concealed(text: string): string {
  let shown = text;
  for (const [form, found] of known) if (shown.includes(form)) shown = shown.replace(found, credentials.mark);
  return credentials.removed(shown);
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

/** Returns one line of printable characters without credentials, cut at `limit`. */
export function plainText(text: string, limit = 300): string {
  const line = withoutEscapes(concealed(text))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

/** Removes the sequences that move the cursor or change colours. */
export function withoutEscapes(text: string): string {
  // oxlint-disable-next-line no-control-regex -- removes escape sequences
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '');
}

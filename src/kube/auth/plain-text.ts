/** Text of foreign programs and servers as one short line for an error message. */
import { concealed } from './known-credentials.ts';

/** Printable characters alone, without credentials, white space collapsed, cut at `limit`. */
export function plainText(text: string, limit = 300): string {
  const line = concealed(text)
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is taken out
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

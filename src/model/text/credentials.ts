/**
 * What in the text of others looks like a credential. A plugin that fails, a proxy or a server may repeat the token that
 * it was given; where their words are shown, that is not. Better a harmless word too many is hidden than a secret shown.
 */

export const HIDDEN = '(hidden)';

const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/gu;
/** The end of one whose beginning was cut off. */
const restOfKey = /^[\s\S]*-----END [A-Z0-9 ]*PRIVATE KEY-----/u;
/** A JSON Web Token, or what is left of one: its header is JSON in base64, which begins like this. */
const webToken = /\beyJ[\w-]{10,}(?:\.[\w-]*)*/gu;
/** Those of cloud providers and forges, which say themselves what they are. */
const branded =
  /\b(?:k8s-aws-v1\.[\w-]+|(?:AKIA|ASIA)[0-9A-Z]{16}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|ya29\.[\w.-]+)/gu;
/** Base64 as long as a line of a key. */
const block = /(?<![\w+/=-])(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])[\w+/-]{60,}={0,2}/gu;
/** A password may hold what should have been encoded. */
const userInfo = /\b([a-z][a-z\d+.-]{0,20}:\/\/)(?:[^\s/@"':]*:[^\s@"']{1,512}|[^\s/@"']+)@/giu;
const scheme = /\b(bearer|basic|negotiate|digest)(\s+)([^\s"',;]+)/giu;
const key =
  'token|passw(?:or)?d|passphrase|secret|credential|(?:api|access|account|client|private|signing|storage)[_.-]?key';
/** `token=…`, `"password": "…"`, `AWS_SECRET_ACCESS_KEY=…`, `--token …`. */
const keyed = new RegExp(
  `((?:${key})s?[\\w.-]{0,64}["']?)(\\s*[=:]\\s*|(?<=--[\\w-]{0,64})\\s+)(?!\\(hidden\\))(?:"((?:[^"\\\\]|\\\\.)*)"|'([^']*)'|([^\\s"',;&)}\\]]+))`,
  'giu',
);

/** The text with `(hidden)` in place of what looks like a credential. A second time changes nothing. */
export function withoutCredentials(text: string): string {
  return text
    .replace(privateKey, HIDDEN)
    .replace(restOfKey, HIDDEN)
    .replace(userInfo, `$1${HIDDEN}@`)
    .replace(webToken, HIDDEN)
    .replace(branded, HIDDEN)
    .replace(scheme, (all: string, name: string, gap: string, value: string) =>
      isRandom(value) ? `${name}${gap}${HIDDEN}` : all,
    )
    .replace(keyed, hideValue)
    .replace(block, HIDDEN);
}

/** The end of a text, at most so many characters: from a whole word on, for half a credential cannot be told for one. */
export function lastWords(text: string, most: number): string {
  return text.length <= most ? text : text.slice(-most).replace(/^\S+/u, '');
}

function hideValue(
  all: string,
  name: string,
  gap: string,
  double: string | undefined,
  single: string | undefined,
  bare = '',
): string {
  const isQuoted = double !== undefined || single !== undefined;
  const value = double ?? single ?? bare;
  // Behind a colon there may be a sentence: "token: expired".
  const isMeant = value !== '' && (gap.includes('=') || isRandom(value) || (isQuoted && !/\s/u.test(value)));
  if (!isMeant) return all;
  const quote = double !== undefined ? '"' : single !== undefined ? "'" : '';
  return `${name}${gap}${quote}${HIDDEN}${quote}`;
}

/** No word of a sentence. */
function isRandom(value: string): boolean {
  return value.length >= 6 && /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|=$/u.test(value);
}

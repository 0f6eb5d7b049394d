/**
 * Hides what looks like a credential in foreign text: a failing plugin, proxy or server may repeat the token it
 * received. Hiding a harmless word is better than showing a secret, but paths stay visible: an error without its file
 * name is useless.
 */

const HIDDEN = '(hidden)';

const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/gu;
/** The end of a key whose beginning was cut off. */
const restOfKey = /^[\s\S]*-----END [A-Z0-9 ]*PRIVATE KEY-----/u;
/** A JSON Web Token or its rest: its header is base64 of JSON, which begins like this. */
const webToken = /\beyJ[\w-]{10,}(?:\.[\w-]*)*/gu;
/** Tokens of cloud providers, forges, Vault and OpenShift with a recognisable prefix. */
const branded =
  /\b(?:k8s-aws-v1\.[\w-]+|(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|xapp-[\w-]{10,}|ya29\.[\w.-]+|GOCSPX-[\w-]{20,}|AIza[\w-]{35}|hv[sbr]\.[\w-]{20,}|npm_\w{36}|sha256~[\w-]{43})/gu;
/** Mixed-case base64 as long as a line of a key. */
const block = /(?<![\w+/=-])(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])[\w+/-]{60,}={0,2}/gu;
/** Random characters that no file name has by chance; names of temporary folders have ten. */
const LONG_NAME = 28;
/** Characters below which a part cannot be judged. */
const SHORTEST_PART = 6;
/** Parts of words: words have few, random characters many. */
const syllables = /[A-Z]?[a-z]+|[A-Z]+|\d+/gu;
/** Characters per syllable: nearly all mixed-case random base64 has fewer, names have more. */
const RANDOM = 4;
/** Share of base64 that is in parts long enough to judge. */
const MOSTLY = 0.5;
const extensions = '\\.(?:ya?ml|json|jsonl|txt|log|gz|tgz|zip|tar|key|pem|crt)\\b';
/** A path from its root, or up to its extension. Base64 has no dot, and hardly ever such a first folder. */
const rooted =
  /(?:^|[^\w+/=.-])(?:\.{1,2}\/|~\/|(?:[A-Za-z]:)?[/\\](?:build|builds|data|etc|github|home|mnt|nix|opt|private|root|run|srv|tmp|usr|Users|var|work|workspace)[/\\])[\w+./\\@~-]*$/u;
const withExtension = new RegExp(`^(?:[\\w+./@~-]{0,512})${extensions}`, 'u');
const LONGEST_PATH = 4_096;
const LONGEST_ROOT = 64;
/** A password may contain characters that should have been encoded. */
const userInfo = /\b([a-z][a-z\d+.-]{0,20}:\/\/)(?:[^\s/@"']*:[^\s@"']{1,512}|[^\s/@"']+)@/giu;
const scheme = /\b(bearer|basic|negotiate|digest)(\s+)([^\s"',;]+)/giu;
const key =
  'token|passw(?:or)?d|passphrase|secret|credential|(?:api|access|account|client|private|signing|storage)[_.-]?key';
/** `token=…`, `"password": "…"`, `AWS_SECRET_ACCESS_KEY=…`, `--token …`; not `secrets.yaml: …` or `tokenFile: …`. */
const keyed = new RegExp(
  `((?:${key})s?[\\w.-]{0,64}(?<!${extensions}|[_.-]?(?:file|path|dir))["']?)(\\s*[=:]\\s*|(?<=--[\\w-]{0,64})\\s+)(?!\\(hidden\\))(?:"((?:[^"\\\\]|\\\\.)*)"|'([^']*)'|([^\\s"',;&)}\\]]+))`,
  'giu',
);

const kind = /^(?:[A-Z][a-z]+)+$/u;

/** Replaces what looks like a credential with `(hidden)`. Idempotent. */
function withoutCredentials(text: string): string {
  return withoutKeyed(
    text
      .replace(privateKey, HIDDEN)
      .replace(restOfKey, HIDDEN)
      .replace(userInfo, `$1${HIDDEN}@`)
      .replace(webToken, HIDDEN)
      .replace(branded, HIDDEN)
      .replace(scheme, (all: string, name: string, gap: string, value: string) =>
        isRandom(value) && isOfScheme(name.toLowerCase(), value) ? `${name}${gap}${HIDDEN}` : all,
      ),
  ).replace(block, (all: string, at: number, whole: string) =>
    isPath(whole, at, all) || !looksRandom(all) ? all : HIDDEN,
  );
}

/** Returns at most the last `most` characters from a whole word on: half a credential cannot be recognised. */
function lastWords(text: string, most: number): string {
  return text.length <= most ? text : text.slice(-most).replace(/^\S+/u, '');
}

/** Hides values of keys, also in text that isn't itself a key's value: `token: password=…`. */
function withoutKeyed(text: string): string {
  let shown = '';
  let end = 0;
  keyed.lastIndex = 0;
  for (let found = keyed.exec(text); found !== null; found = keyed.exec(text)) {
    const [all, name = '', gap = '', double, single, bare = ''] = found;
    const isQuoted = double !== undefined || single !== undefined;
    const value = double ?? single ?? bare;
    // A colon may introduce a sentence: "token: expired".
    const isMeant =
      value !== '' && (gap.includes('=') || isRandom(value) || (isQuoted && !/\s/u.test(value)));
    // A folder's name may precede its error: "dump/secrets: ConfigMap web …".
    const isKind =
      kind.test(bare) && /\/[\w.-]{0,64}$/u.test(text.slice(Math.max(0, found.index - 65), found.index));
    if (!isMeant || isKind) {
      keyed.lastIndex = found.index + name.length + gap.length;
      continue;
    }
    const quote = double !== undefined ? '"' : single !== undefined ? "'" : '';
    shown += `${text.slice(end, found.index)}${name}${gap}${quote}${HIDDEN}${quote}`;
    end = found.index + all.length;
  }
  return shown + text.slice(end);
}

/** `Basic` also begins folder names, and `digest` precedes an image's digest. */
function isOfScheme(name: string, value: string): boolean {
  if (name === 'basic') return /^[\w+/-]+=*[.:)\]}]?$/u.test(value);
  return name !== 'digest' || !/^sha\d+:[\da-f]+/u.test(value);
}

function isPath(text: string, at: number, part: string): boolean {
  const end = at + part.length;
  if (withExtension.test(text.slice(end, end + LONGEST_PATH))) return true;
  const before = text.slice(Math.max(0, at - LONGEST_PATH), at);
  return rooted.test(`${before}${part.slice(0, LONGEST_ROOT)}`);
}

function looksRandom(text: string): boolean {
  const names = text.split('/').map(randomCharacters);
  const sum = names.reduce((all, each) => all + each, 0);
  return sum >= MOSTLY * text.length || names.some(each => each >= LONG_NAME);
}

/** Ignores hashes and uids, which have one case. */
function randomCharacters(name: string): number {
  return name
    .split(/[_-]/u)
    .filter(part => part.length >= SHORTEST_PART && /[a-z]/u.test(part) && /[A-Z]/u.test(part))
    .filter(part => part.length < RANDOM * (part.match(syllables)?.length ?? 0))
    .reduce((sum, { length }) => sum + length, 0);
}

function isRandom(value: string): boolean {
  return value.length >= 6 && /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|=$/u.test(value);
}

export const credentials = { removed: withoutCredentials, lastWords, mark: HIDDEN };

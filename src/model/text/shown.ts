/**
 * Safe display of names and messages from a cluster: anyone with write access chooses them, and most names may hold
 * nearly any character (k8s.io/apimachinery pkg/api/validation/path/name.go forbids only `/` and `%`).
 */

// Controls, separators, characters that change text direction or have no ink, characters without an agreed shape
// (unassigned, private use, lone surrogates), and U+FFFD. A combining mark counts if it would be drawn over the blank,
// quote or slash before it. The last two begin a command in a pipeline's log: `##[…]` and `##vso[…]` anywhere in a line
// (GitHub's runner, Azure's agent), `::…::` at its start.
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd\u{1d159}]|(?! )\p{Zs}|(?<=^|[ -/:-@[-`{-~])\p{M}|#(?=#\w*\[)|(?<=^ *):(?=:)/gu;

const harmless = /^(?! *::)(?!.*##\w*\[)[ -~]*$/u;

/** Percent-encodes each hidden character (`%1B`), so that it cannot affect its neighbours. Idempotent. */
export function showHidden(text: string): string {
  return harmless.test(text) ? text : text.replace(hidden, percentEncoded);
}

function isShown(text: string): boolean {
  return showHidden(text) === text;
}

/** Returns a name for a sentence; different names never look alike. An apparent `%` encoding is encoded itself. */
export function shownName(name: string): string {
  if (ordinary.test(name)) return name;
  return showHidden(name.replace(/%(?=[0-9A-Fa-f]{2})/gu, '%25')).replace(/^ +| +$/gu, blanks =>
    '%20'.repeat(blanks.length),
  );
}

/** Returns an owner reference for sentences. The API server validates none of it, so it may name anything. */
function asShown<T extends Claim>(reference: T): T {
  const { apiVersion, kind, name } = reference;
  return {
    ...reference,
    apiVersion: shownName(apiVersion),
    kind: shownName(kind),
    name: shownName(name),
  };
}

interface Claim {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

const ordinary = /^[A-Za-z0-9./_-]*$/u;

/** Encodes as `%E2%80%AE`; a lone surrogate becomes the three bytes it would have, which no character shares. */
function percentEncoded(text: string): string {
  let encoded = '';
  for (const character of text) {
    for (const byte of bytesOf(character)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

function bytesOf(character: string): Iterable<number> {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0xd800 || code > 0xdfff) return encoder.encode(character);
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}

const encoder = new TextEncoder();

/** Returns JSON on one line with hidden characters as `\u` escapes, which parsers decode. */
function shownJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, escapeUnits);
}

function escapeUnits(text: string): string {
  let escaped = '';
  for (let i = 0; i < text.length; i += 1)
    escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** Encodes any name as a path segment of a URL, even one that no API server accepts. */
function pathSegment(name: string): string {
  return name.isWellFormed() ? encodeURIComponent(name) : name.replace(/[^\w.~!*'()-]/gu, percentEncoded);
}

export function nameInPath(segment: string): string {
  return segment.replace(/(?:%[0-9A-F]{2})+/giu, bytes =>
    bytes.replace(halfPair, half => String.fromCharCode(codeOf(half))).replace(/(?:%[0-9A-F]{2})+/giu, text),
  );
}

const halfPair = /%ED%[AB][0-9A-F]%[89AB][0-9A-F]/giu;

function codeOf(half: string): number {
  const [, , second = '', third = ''] = half.split('%');
  return 0xd000 | ((Number.parseInt(second, 16) & 0x3f) << 6) | (Number.parseInt(third, 16) & 0x3f);
}

function text(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}

// Complete escape sequences with payload, in this order: strings (OSC, DCS, SOS, PM, APC), then CSI, then short ones.
const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/gu;

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/** Puts a message on one line, without escape sequences and inkless characters. Pass nothing but the message. */
export function prose(message: string): string {
  if (harmless.test(message)) return message;
  return message.replace(escapeSequence, '').replace(lineBreaks, ' ').replace(hidden, inProse);
}

function inProse(character: string): string {
  if (/\p{Zs}/u.test(character)) return ' ';
  // An unknown character stands here, so it stays visible.
  return /[\p{Cs}\p{Co}\p{Cn}\ufffd]/u.test(character) ? percentEncoded(character) : '';
}

export const textEscapes = {
  asShown,
  isShown,
  json: shownJson,
  units: escapeUnits,
  pathSegment,
  percentEncoded,
};

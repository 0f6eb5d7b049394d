/**
 * Names and messages from a cluster as people may see them. Whoever may write to the API chooses them, and most names
 * may hold nearly any character (k8s.io/apimachinery pkg/api/validation/path/name.go forbids `/` and `%` alone). Apart
 * from printing, because sentences are composed long before anything is printed.
 */

// Controls (C0, DEL, C1), line and paragraph separators, everything that changes the direction of text or has no ink
// (joiners, fillers, tags, variation selectors, blanks that aren't the space), what has no agreed shape (unassigned,
// private use, half a surrogate pair), and U+FFFD, which stands for bytes that aren't known. A mark that would be drawn
// over the blank, quote or slash before it counts, too: that one isn't part of the name. The last two begin a command in a
// pipeline's log: `##[…]` and `##vso[…]` anywhere in a line (GitHub's runner, Azure's agent), `::…::` at its start.
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd\u{1d159}]|(?! )\p{Zs}|(?<=^|[ -/:-@[-`{-~])\p{M}|#(?=#\w*\[)|(?<=^ *):(?=:)/gu;

// Everything that Kubernetes allows in most names; such text is returned as it is.
const harmless = /^(?! *::)(?!.*##\w*\[)[ -~]*$/u;

/**
 * Each hidden character by itself as the percent-encoding of its UTF-8 bytes (`%1B`), so that nothing in a text can
 * touch what stands beside it. A second time changes nothing.
 */
export function showHidden(text: string): string {
  return harmless.test(text) ? text : text.replace(hidden, percentEncoded);
}

/** Whether the text is seen as it is. */
export function isShown(text: string): boolean {
  return showHidden(text) === text;
}

/**
 * A name to compose a sentence with: two different names never look the same. No API server takes a `%` in a name; one
 * from a file or an owner reference that could be taken for an encoding is encoded itself.
 */
export function shownName(name: string): string {
  if (ordinary.test(name)) return name;
  return showHidden(name.replace(/%(?=[0-9A-Fa-f]{2})/gu, '%25')).replace(/^ +| +$/gu, blanks =>
    '%20'.repeat(blanks.length),
  );
}

/** An owner reference to compose sentences with. It may name anything: the API server looks at none of it. */
export function asShown<T extends Claim>(reference: T): T {
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

/** `%E2%80%AE`: of half a surrogate pair the three bytes that it would have, which no other character has. */
export function percentEncoded(text: string): string {
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

/** JSON on one line in which nothing is hidden: such characters are written as `\u` escapes, which parsers turn back. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, escapeUnits);
}

/** `\u202e`, of characters beyond the basic plane both halves. */
export function escapeUnits(text: string): string {
  let escaped = '';
  for (let i = 0; i < text.length; i += 1)
    escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** A name as a segment of a URL's path; of any text, even of one that no API server takes. */
export function pathSegment(name: string): string {
  return name.isWellFormed() ? encodeURIComponent(name) : name.replace(/[^\w.~!*'()-]/gu, percentEncoded);
}

/** The name of which `pathSegment` made this. */
export function nameInPath(segment: string): string {
  return segment.replace(/(?:%[0-9A-F]{2})+/giu, bytes =>
    bytes.replace(halfPair, half => String.fromCharCode(codeOf(half))).replace(/(?:%[0-9A-F]{2})+/giu, text),
  );
}

// Half a surrogate pair, in the bytes that it would have.
const halfPair = /%ED%[AB][0-9A-F]%[89AB][0-9A-F]/giu;

function codeOf(half: string): number {
  const [, , second = '', third = ''] = half.split('%');
  return 0xd000 | ((Number.parseInt(second, 16) & 0x3f) << 6) | (Number.parseInt(third, 16) & 0x3f);
}

/** What isn't UTF-8 stays as it is. */
function text(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}

// A complete escape sequence is dropped with its payload. The order of alternatives matters: strings (OSC, DCS, SOS,
// PM, APC), then CSI, then the short escapes.
const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/gu;

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/**
 * A message from a cluster on one line, which is read and not compared: escape sequences go, line breaks and tabs
 * become one space, and characters without ink are dropped. Only ever of the message alone: of a sentence around it
 * this would take words.
 */
export function prose(message: string): string {
  if (harmless.test(message)) return message;
  return message.replace(escapeSequence, '').replace(lineBreaks, ' ').replace(hidden, inProse);
}

function inProse(character: string): string {
  if (/\p{Zs}/u.test(character)) return ' ';
  // Something is there, and nobody knows what.
  return /[\p{Cs}\p{Co}\p{Cn}\ufffd]/u.test(character) ? percentEncoded(character) : '';
}

/**
 * Makes text from a cluster safe to print. Names, labels, finalizers and messages are chosen by whoever may
 * write to the API, so anything that could move the cursor, change colours, reorder or hide text goes here,
 * and nowhere else, before it reaches a terminal.
 */

// A terminated or complete escape sequence is dropped with its payload; what remains of a broken one loses
// its introducer below and stays as harmless text. The order of alternatives matters: strings (OSC, DCS, SOS,
// PM, APC), then CSI, then the short escapes.
const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/gu;

const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

// Controls (C0, DEL, C1), characters without ink (soft hyphen, fillers, zero-width, tags, variation
// selectors, annotation marks) and everything that changes the direction of text. A joiner in a name is a
// disguise more often than an emoji. Assigned code points of other kinds, combining marks included, stay.
const invisible =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what this is about
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const unpairedSurrogate = /\p{Surrogate}/gu;

// Everything that Kubernetes allows in most names; such text is returned as it is.
const harmless = /^[ -~]*$/u;

/**
 * Text on one line without control sequences, direction overrides or invisible characters. Line breaks and
 * tabs become one space, unpaired surrogates U+FFFD.
 */
export function sanitise(text: string): string {
  if (harmless.test(text)) return text;
  return text
    .replace(escapeSequence, '')
    .replace(lineBreaks, ' ')
    .replace(invisible, '')
    .replace(unpairedSurrogate, '\ufffd');
}

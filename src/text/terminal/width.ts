/** Widths in terminal columns instead of characters; East Asian characters take two. */
import stringWidth from 'string-width';

const ascii = /^[ -~]*$/u;
// The first Intl object takes 10 ms, and most processes need none.
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Returns the columns of sanitised text, without a table look-up for ASCII. */
export function displayWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** Cuts text at the end to at most `width` columns, including `ellipsis`. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (width <= 0) return '';
  if (ascii.test(text)) {
    if (text.length <= width) return text;
    const room = width - displayWidth(ellipsis);
    return room <= 0 ? ellipsis.slice(0, width) : text.slice(0, room) + ellipsis;
  }
  if (stringWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 0) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const columns = stringWidth(segment);
    if (used + columns > room) break;
    kept += segment;
    used += columns;
  }
  return kept + ellipsis;
}

/** Cuts text in the middle to at most `width` columns: names often differ only at the end. */
function truncateMiddle(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 6) return truncate(text, width, ellipsis);
  const endWidth = Math.floor(room / 2);
  const end = lastColumns(text, endWidth);
  return truncate(text, width - displayWidth(end), ellipsis) + end;
}

const LEAST_OF_NAME = 8;

/** Cuts an object's title in the middle of its name, not of its kind: `ConfigMap settings-…-4f9c`. */
function truncateTitle(title: string, width: number, ellipsis = '…'): string {
  const at = title.indexOf(' ') + 1;
  const room = width - displayWidth(title.slice(0, at));
  return room < LEAST_OF_NAME
    ? truncateMiddle(title, width, ellipsis)
    : `${title.slice(0, at)}${truncateMiddle(title.slice(at), room, ellipsis)}`;
}

const LEAST_BEGINNING = 20;

/** Keeps the last word, which may be a path; if even that is too wide, cuts it in the middle. */
function truncateSentence(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  const at = text.lastIndexOf(' ');
  const last = text.slice(at + 1);
  const begin = truncate(
    text.slice(0, Math.max(0, at)),
    Math.max(LEAST_BEGINNING, width - displayWidth(last) - 1),
    ellipsis,
  );
  const room = width - displayWidth(begin) - 1;
  return at < 0 || room < Math.min(displayWidth(last), LEAST_BEGINNING / 2)
    ? truncate(text, width, ellipsis)
    : `${begin} ${truncateMiddle(last, room, ellipsis)}`;
}

function lastColumns(text: string, width: number): string {
  if (ascii.test(text)) return text.slice(-width);
  let kept = '';
  let used = 0;
  for (const { segment } of [...graphemes(text)].reverse()) {
    used += stringWidth(segment);
    if (used > width) break;
    kept = segment + kept;
  }
  return kept;
}

/** Characters of one column each that don't join with neighbours, such as letters, arrows and lines. */
export const oneColumnEach =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u23f1\u2500-\u25fc\u26a0\u2717]*$/u;

/** Returns the text between two columns, with a blank for half of a wide character. */
function betweenColumns(text: string, from: number, to: number): string {
  if (oneColumnEach.test(text)) return text.slice(from, Math.max(from, to));
  let out = '';
  let column = 0;
  for (const { segment } of graphemes(text)) {
    const end = column + stringWidth(segment);
    if (column >= from && end <= to) out += segment;
    else out += ' '.repeat(Math.max(0, Math.min(end, to) - Math.max(column, from)));
    column = end;
  }
  return out;
}

/** Returns wider text unchanged. */
export function padEnd(text: string, width: number): string {
  const missing = width - displayWidth(text);
  return missing > 0 ? text + ' '.repeat(missing) : text;
}

/** Text cut to a width in another way than at its end. */
export const truncated = {
  between: betweenColumns,
  sentence: truncateSentence,
  middle: truncateMiddle,
  title: truncateTitle,
};

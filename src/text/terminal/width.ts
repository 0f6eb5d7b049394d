/** Widths as a terminal shows them: columns, not characters. East Asian text takes two columns a character. */
import stringWidth from 'string-width';

const ascii = /^[ -~]*$/u;
// The first of Intl's objects takes 10 ms, and most processes need none.
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns that sanitised text takes. Plain ASCII, nearly all of it, costs no table look-up. */
export function displayWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** The text, or as much of it as fits `width` columns with `ellipsis` at the end. Never wider than `width`. */
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

/**
 * The text, or as much of its beginning and its end as fits `width` columns with `ellipsis` between them: for names,
 * which often differ in their last characters alone. Never wider than `width`.
 */
export function truncateMiddle(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  // So little says nothing of both.
  if (room < 6) return truncate(text, width, ellipsis);
  const endWidth = Math.floor(room / 2);
  const end = lastColumns(text, endWidth);
  return truncate(text, width - displayWidth(end), ellipsis) + end;
}

const LEAST_BEGINNING = 20;

/** A sentence that keeps its last word, which may be a path: only where that is too wide too, it is cut in its middle. */
export function truncateSentence(text: string, width: number, ellipsis = '…'): string {
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

/** As much of the end as fits. */
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

/**
 * What the product draws and takes one column each by itself: Latin letters, dashes and dots, arrows, lines and
 * triangles, the stopwatch, the warning sign and the cross. None of them joins with a neighbour.
 */
export const oneColumnEach =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u23f1\u2500-\u25fc\u26a0\u2717]*$/u;

/** What stands from one column up to another. Half of a wide character is a blank. */
export function betweenColumns(text: string, from: number, to: number): string {
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

/** Pads with spaces to `width` columns; wider text is returned as it is. */
export function padEnd(text: string, width: number): string {
  const missing = width - displayWidth(text);
  return missing > 0 ? text + ' '.repeat(missing) : text;
}

/** Widths as a terminal shows them: columns, not characters. East Asian text takes two columns a character. */
import stringWidth from 'string-width';

const ascii = /^[ -~]*$/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

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
  for (const { segment } of graphemes.segment(text)) {
    const columns = stringWidth(segment);
    if (used + columns > room) break;
    kept += segment;
    used += columns;
  }
  return kept + ellipsis;
}

/** Pads with spaces to `width` columns; wider text is returned as it is. */
export function padEnd(text: string, width: number): string {
  const missing = width - displayWidth(text);
  return missing > 0 ? text + ' '.repeat(missing) : text;
}

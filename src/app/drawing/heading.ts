/** Draws a group's heading: fold mark, mark, title with count, and meaning. */
import { counted, formatCount } from '../../model/index.ts';
import { displayWidth, type Glyphs, type Line, padEnd, type Span, truncate } from '../../text/index.ts';
import { glyphsOf, widthOf } from './fit.ts';

export interface Heading {
  readonly chosen: boolean;
  readonly folded: boolean;
  /** One column before the title. */
  readonly mark?: Span;
  readonly title: string;
  /** Undefined if unknown. */
  readonly count: number | undefined;
  readonly meaning: string;
}

/** Returns exactly `width` columns. */
export function headingLine(heading: Heading, width: number, glyphs: Glyphs): Line {
  const { title, count, meaning } = heading;
  const start = headingStart(heading, glyphs);
  const used = widthOf(start);
  const head = truncate(
    `${title} (${count === undefined ? '?' : formatCount(count)})`,
    width - used - 1,
    glyphs.ellipsis,
  );
  const room = width - used - 1 - displayWidth(head);
  const rest = truncate(meaning, Math.max(0, room - 2), glyphs.ellipsis);
  return [
    ...start,
    { text: head, style: 'title' },
    { text: padEnd(rest === '' ? '' : `  ${rest}`, room + 1), style: 'muted' },
  ];
}

/** Draws cursor, fold mark and mark. */
export function headingStart(
  { chosen, folded, mark }: Pick<Heading, 'chosen' | 'folded' | 'mark'>,
  { ascii }: Glyphs,
): Line {
  const fold = ascii ? (folded ? '>' : 'v') : folded ? '▸' : '▾';
  return [
    { text: `${chosen ? '>' : ' '}${fold} `, style: 'plain' },
    ...(mark === undefined ? [] : [{ ...mark, text: `${mark.text} ` }]),
  ];
}

interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

interface Look {
  readonly options: { readonly ascii: boolean; readonly screenReader: boolean };
}

/** Returns `✗ 3 ⚠ 11`, or words for a screen reader. */
export function troubleSpans({ errors, warnings }: Counts, look: Look): Line {
  const { danger, warning } = glyphsOf(look);
  const { screenReader } = look.options;
  const spans: Span[] = [];
  const add = (count: number, mark: string, word: string, style: Span['style']): void => {
    if (count === 0) return;
    if (spans.length > 0) spans.push({ text: screenReader ? ', ' : ' ', style: 'plain' });
    spans.push({ text: screenReader ? counted(count, word) : `${mark} ${formatCount(count)}`, style });
  };
  add(errors, danger, 'error', 'danger');
  add(warnings, warning, 'warning', 'warning');
  return spans;
}

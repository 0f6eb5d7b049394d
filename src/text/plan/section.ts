/** A part of a forecast for people: what happens, how often, and to what. */
import { showHidden } from '../../model/text/shown.ts';
import { formatCount } from '../../model/text/titles.ts';
import type { Style } from '../terminal/style.ts';
import type { TextLine } from '../terminal/text-line.ts';

/** Columns of a label and the blanks after it. */
export const LABEL = 11;

/** A section's first line carries its label and count, the others stand below. */
export function* section(
  label: string,
  total: number,
  lines: readonly string[],
  style: Style,
): Generator<TextLine> {
  const width = Math.max(3, formatCount(total).length);
  const indent = 2 + LABEL + width + 2;
  for (const [index, text] of (lines.length === 0 ? [''] : lines).entries()) {
    const lead =
      index === 0 ? `  ${label.padEnd(LABEL)}${formatCount(total).padStart(width)}  ` : ' '.repeat(indent);
    yield {
      spans: [
        { text: lead, style: index === 0 ? style : 'plain' },
        { text: showHidden(text), style: 'plain' },
      ],
      // What is set in goes on there.
      indent: indent + text.length - text.trimStart().length,
    };
  }
}

/** A part of a forecast: its label, count, and objects. */
import { formatCount, showHidden } from '../../model/index.ts';
import type { Style } from '../terminal/style.ts';
import type { TextLine } from '../terminal/text-line.ts';

export const LABEL = 11;

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
      // Indented lines fold at their own indent.
      indent: indent + text.length - text.trimStart().length,
    };
  }
}

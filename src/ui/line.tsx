/**
 * Draws one line of the screen. Ink tokenises every visible character in each frame, non-ASCII many times slower, so a
 * line has few coloured texts, and non-ASCII in texts of its own (200×50, cursor move: 10 ms a frame against 19 to 26).
 */
import { Box, Text } from 'ink';
import { memo, type ReactNode } from 'react';
import { type Line, PaletteName, type Span } from '../text/index.ts';

const pieces = /[ -~]+|[^ -~]+/gu;
const ascii = /^[ -~]/u;

/** Splits spans into coloured strings that are either all ASCII or free of it. */
export function runs(spans: Line, how: Paint): string[] {
  const out: string[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') out.push(plain);
    plain = '';
  };
  for (const { text, style } of spans) {
    for (const piece of text.match(pieces) ?? []) {
      const painted = paintSpan({ text: piece, style }, how);
      if (ascii.test(piece)) plain += painted;
      else {
        flush();
        out.push(painted);
      }
    }
  }
  flush();
  return out;
}

const Run = memo(function Run({ text }: { readonly text: string }): ReactNode {
  return <Text wrap="truncate">{text}</Text>;
});

interface LineProps {
  readonly spans: Line;
  readonly color: PaletteName;
  readonly inverse?: boolean;
}

/** Draws a line without wrapping. A line that looks as in the last frame isn't painted again. */
export const LineRow = memo(function LineRow({ spans, color, inverse = false }: LineProps): ReactNode {
  return (
    <Box height={1} flexShrink={0}>
      {runs(spans, { color, inverse }).map((text, i) => (
        // oxlint-disable-next-line no-array-index-key -- runs have no identity but their place
        <Run key={i} text={text} />
      ))}
    </Box>
  );
});

interface Paint {
  readonly color: PaletteName;
  /** Inverse bar for the row under the cursor, in which only signs of trouble and success keep their colour. */
  readonly inverse: boolean;
}

const kept: ReadonlySet<Span['style']> = new Set(['danger', 'warning', 'good']);

function paintSpan({ text, style }: Span, { color, inverse }: Paint): string {
  const [on, off] = PaletteName.colours(color)[style];
  if (inverse) return `\u001B[7m${kept.has(style) ? on + text + off : text}\u001B[27m`;
  return on === '' || text.trim() === '' ? text : on + text + off;
}

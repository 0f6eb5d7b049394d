/**
 * One line of the screen. Ink measures and tokenises every visible character in every frame, and non-ASCII text
 * many times slower: so each line is as few texts as possible, already coloured, with what isn't ASCII in texts
 * of its own (200×50, cursor move: 10 ms a frame against 19 to 26 with drawing characters inside).
 */
import { Box, Text } from 'ink';
import { memo, type ReactNode } from 'react';
import type { Span } from '../text/terminal/style.ts';
import { type Paint, paintSpan } from './theme.ts';

const ascii = /^[ -~]*$/u;
const nonAscii = /[^ -~]+/gu;

/** Pieces that are ASCII or free of it throughout, each one string with its colours. */
export function runs(spans: readonly Span[], how: Paint): string[] {
  const out: string[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') out.push(plain);
    plain = '';
  };
  for (const span of spans) {
    if (span.text === '') continue;
    if (ascii.test(span.text)) {
      plain += paintSpan(span, how);
      continue;
    }
    let from = 0;
    for (const match of span.text.matchAll(nonAscii)) {
      const before = span.text.slice(from, match.index);
      if (before !== '') plain += paintSpan({ text: before, style: span.style }, how);
      flush();
      out.push(paintSpan({ text: match[0], style: span.style }, how));
      from = match.index + match[0].length;
    }
    const after = span.text.slice(from);
    if (after !== '') plain += paintSpan({ text: after, style: span.style }, how);
  }
  flush();
  return out;
}

const Run = memo(function Run({ text }: { readonly text: string }): ReactNode {
  return <Text wrap="truncate">{text}</Text>;
});

export interface LineProps {
  readonly spans: readonly Span[];
  readonly color: boolean;
  readonly inverse?: boolean;
}

/** Never wraps and never shrinks in height: a line that is too wide in a stale frame is cut. */
export function LineRow({ spans, color, inverse = false }: LineProps): ReactNode {
  return (
    <Box height={1} flexShrink={0}>
      {runs(spans, { color, inverse }).map((text, i) => (
        // oxlint-disable-next-line no-array-index-key -- runs have no identity but their place
        <Run key={i} text={text} />
      ))}
    </Box>
  );
}

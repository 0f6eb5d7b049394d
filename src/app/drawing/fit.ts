/** Fits styled lines to a width. */
import type { Uid } from '../../model/index.ts';
import { displayWidth, Glyphs, type Line, type Span, truncate } from '../../text/index.ts';

export function widthOf(line: Line): number {
  return line.reduce((sum, span) => sum + displayWidth(span.text), 0);
}

export function fit(line: Line, width: number, ellipsis: string): Line {
  let room = width;
  const out: Span[] = [];
  for (const { text, style } of line) {
    if (room <= 0) break;
    const shown = truncate(text, room, ellipsis);
    out.push({ text: shown, style });
    if (shown !== text) break;
    room -= displayWidth(shown);
  }
  return out;
}

/** Spreads left and right text; drops the right one if both don't fit. */
export function justified(left: Line, right: Line, width: number, ellipsis: string): Line {
  const gap = width - widthOf(left) - widthOf(right);
  if (gap >= 2) return [...left, { text: ' '.repeat(gap), style: 'plain' }, ...right];
  return fit(left, width, ellipsis);
}

export function glyphsOf({ options }: { readonly options: { readonly ascii: boolean } }): Glyphs {
  return options.ascii ? Glyphs.ascii : Glyphs.unicode;
}

/** Returns which lines show, such as `3-14 of 30`; `''` if all do. */
export function shownPart({ top, height, total }: { top: number; height: number; total: number }): string {
  return total > height ? `${top + 1}-${Math.min(total, top + height)} of ${total}` : '';
}

/** Starts a row that can't be folded: cursor and mark. */
export function rowStart(
  { marks }: { readonly marks: ReadonlySet<Uid> },
  chosen: boolean,
  uid: Uid | undefined,
  width: number,
): Span {
  const isMarked = uid !== undefined && marks.has(uid);
  return { text: `${chosen ? '>' : ' '}${isMarked ? '*' : ' '}`.padEnd(width), style: 'plain' };
}

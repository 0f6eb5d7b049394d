/** Lines of sentences on a terminal: folded into its width, painted where it has colours, ASCII where asked for. */
import { asciiLine } from '../../text/terminal/ascii.ts';
import { type Line, paintSpans, type Span, type Style } from '../../text/terminal/style.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import { displayWidth } from '../../text/terminal/width.ts';

export interface LineLook {
  readonly colour: boolean;
  readonly ascii: boolean;
  /** Columns of the terminal; undefined where output is none. */
  readonly width: number | undefined;
}

/** The line with its line break, in as many rows as the terminal needs. */
export function printLine(line: TextLine, { colour, ascii, width }: LineLook): string {
  const shown = ascii ? asciiLine(line) : line;
  const rows = width === undefined ? [shown.spans] : foldLine(shown, width);
  return rows.map(row => `${paintSpans(row, colour).trimEnd()}\n`).join('');
}

/** The line in as many rows as it needs in so many columns. */
export function foldLine({ spans, indent, command }: TextLine, width: number): Line[] {
  return (command === true ? foldCommand : fold)(spans, indent, width);
}

/**
 * Breaks between words. One that is too wide for where the line goes on stands further to the left; one that is wider than
 * the line is left to the terminal.
 */
function fold(spans: readonly Span[], indent: number, width: number): Span[][] {
  const rows: Span[][] = [[]];
  const start = Math.min(indent, Math.max(0, width - 20));
  let used = 0;
  for (const { text, style } of spans) {
    for (const word of text.match(/ +|[^ ]+/gu) ?? []) {
      const columns = displayWidth(word);
      const blank = word.startsWith(' ');
      const isWider = columns > width;
      if (used + columns > width && !(isWider && isBlank(rows.at(-1)))) {
        const room = blank || isWider ? start : Math.min(start, width - columns);
        if (isBlank(rows.at(-1))) rows.pop();
        rows.push([{ text: ' '.repeat(room), style: 'plain' }]);
        used = room;
        if (blank) continue;
      }
      append(rows.at(-1) ?? [], word, style);
      used += columns;
    }
  }
  return rows;
}

function isBlank(row: readonly Span[] = []): boolean {
  return row.every(({ text }) => text.trim() === '');
}

// A word with all that is quoted in it.
const shellWords = /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^ '"\\]|['"\\])+/gu;
const GOES_ON = ' \\';

/**
 * As `fold`, for a command: between words of the shell alone, never inside quotes, and with a backslash at the end of
 * each row but the last, so that what is copied from the terminal is the same command.
 */
function foldCommand(spans: readonly Span[], indent: number, width: number): Span[][] {
  const start = Math.min(indent, Math.max(0, width - 20));
  const lead = /^ */u.exec(spans[0]?.text ?? '')?.[0] ?? '';
  const rows: Span[][] = [[{ text: lead, style: 'plain' }]];
  const words = spans.flatMap(({ text, style }) =>
    (text.match(shellWords) ?? []).map(word => ({ word, style })),
  );
  let used = lead.length;
  let gap = '';
  for (const [index, { word, style }] of words.entries()) {
    const columns = displayWidth(word);
    const room = index === words.length - 1 ? width : width - GOES_ON.length;
    if (gap !== '' && used + gap.length + columns > room) {
      append(rows.at(-1) ?? [], GOES_ON, style);
      rows.push([{ text: ' '.repeat(start), style: 'plain' }]);
      used = start;
      gap = '';
    }
    append(rows.at(-1) ?? [], gap + word, style);
    used += gap.length + columns;
    gap = ' ';
  }
  return rows;
}

/** Words of one style are one span: each has its escape codes. */
function append(row: Span[], text: string, style: Style): void {
  const last = row.at(-1);
  if (last?.style === style) row[row.length - 1] = { text: last.text + text, style };
  else row.push({ text, style });
}

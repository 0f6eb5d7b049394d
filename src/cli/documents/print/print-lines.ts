/** Sentences as terminal lines: folded, coloured, or in ASCII. */
import { displayWidth, inAscii, type Line, Span, type Style, type TextLine } from '../../../text/index.ts';

export interface LineLook {
  readonly colour: boolean;
  readonly ascii: boolean;
  readonly width: number | undefined;
}

export function printLine(line: TextLine, { colour, ascii, width }: LineLook): string {
  const shown = ascii ? inAscii.line(line) : line;
  const rows = width === undefined ? [shown.spans] : foldLine(shown, width);
  return rows.map(row => `${Span.paintAll(row, colour).trimEnd()}\n`).join('');
}

export function foldLine({ spans, indent, command }: TextLine, width: number): Line[] {
  return (command === true ? foldCommand : fold)(spans, indent, width);
}

/** Breaks between words. A word too wide for a continued row is indented less; wider ones are left to the terminal. */
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

const shellWords = /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^ '"\\]|['"\\])+/gu;
const GOES_ON = ' \\';

/** Breaks a command only between shell words, with a backslash at the end of rows, so that it can be copied. */
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

/** Merges words of one style, because each span has its own escape codes. */
function append(row: Span[], text: string, style: Style): void {
  const last = row.at(-1);
  if (last?.style === style) row[row.length - 1] = { text: last.text + text, style };
  else row.push({ text, style });
}

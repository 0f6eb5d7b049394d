import { percentEncoded } from '../../model/text/shown.ts';
import type { Span } from './style.ts';
import { NO_COMMAND, type TextLine } from './text-line.ts';

const foreign = /[^ -~]/gu;

/** Keeps different names different. */
export function asciiSpan({ text, style }: Span): Span {
  return { text: asciiText(text), style };
}

/** Keeps our own control characters. */
export function asciiLines(text: string): string {
  return text.replace(/[^\0-\x7f]+/gu, asciiText);
}

function asciiText(text: string): string {
  return text
    .replaceAll('→', '->')
    .replaceAll('…', '...')
    .replaceAll('§', 'section ')
    .replaceAll('·', '.')
    .replace(foreign, percentEncoded);
}

/** Replaces a command that can't be shown exactly. */
export function asciiLine(line: TextLine): TextLine {
  const [lead, command] = line.spans;
  const isLost = line.command === true && lead !== undefined && command?.text.search(foreign) !== -1;
  if (!isLost) return { ...line, spans: line.spans.map(asciiSpan) };
  return { spans: [asciiSpan(lead), { text: NO_COMMAND, style: lead.style }], indent: line.indent };
}

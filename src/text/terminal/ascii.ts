import { textEscapes } from '../../model/index.ts';
import type { Span } from './style.ts';
import { NO_COMMAND, type TextLine } from './text-line.ts';

const foreign = /[^ -~]/gu;

/** Keeps different names different. */
function asciiSpan({ text, style }: Span): Span {
  return { text: asciiText(text), style };
}

/** Keeps our own control characters. */
function asciiLines(text: string): string {
  return text.replace(/[^\0-\x7f]+/gu, asciiText);
}

function asciiText(text: string): string {
  return text
    .replaceAll('→', '->')
    .replaceAll('…', '...')
    .replaceAll('§', 'section ')
    .replaceAll('·', '.')
    .replace(foreign, textEscapes.percentEncoded);
}

/** Replaces a command that can't be shown exactly. */
function asciiLine(line: TextLine): TextLine {
  const [lead, command] = line.spans;
  const isLost = line.command === true && lead !== undefined && command?.text.search(foreign) !== -1;
  if (!isLost) return { ...line, spans: line.spans.map(asciiSpan) };
  return { spans: [asciiSpan(lead), { text: NO_COMMAND, style: lead.style }], indent: line.indent };
}

export const inAscii = { line: asciiLine, span: asciiSpan, lines: asciiLines };

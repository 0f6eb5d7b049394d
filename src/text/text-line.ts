/** A line of a longer text before it meets a terminal: what it says and how, not yet folded. */
import { sanitise } from './sanitise.ts';
import type { Span, Style } from './style.ts';

export interface TextLine {
  readonly spans: readonly Span[];
  /** Text that doesn't fit the terminal goes on below, indented by so many columns. */
  readonly indent: number;
  /** It is there to be pasted: where it goes on below, a backslash tells the shell so. */
  readonly command?: boolean;
}

/** One style throughout; the text is sanitised here. */
export function textLine(text: string, style: Style = 'plain', indent = 0): TextLine {
  return { spans: [{ text: sanitise(text), style }], indent };
}

/** A command to paste; the text is sanitised here. */
export function commandLine(text: string, style: Style, indent: number): TextLine {
  return { ...textLine(text, style, indent), command: true };
}

export const emptyLine: TextLine = { spans: [], indent: 0 };

/** A line of a longer text before it meets a terminal: what it says and how, not yet folded. */
import { sanitise } from './sanitise.ts';
import type { Span, Style } from './style.ts';

export interface TextLine {
  readonly spans: readonly Span[];
  /** Text that doesn't fit the terminal goes on below, indented by so many columns. */
  readonly indent: number;
}

/** One style throughout; the text is sanitised here. */
export function textLine(text: string, style: Style = 'plain', indent = 0): TextLine {
  return { spans: [{ text: sanitise(text), style }], indent };
}

export const emptyLine: TextLine = { spans: [], indent: 0 };

/** A line of a longer text before it meets a terminal: what it says and how, not yet folded. */
import { type ShellCommands, shellLine } from '../../model/text/shell-line.ts';
import { showHidden } from '../../model/text/shown.ts';
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
  return { spans: [{ text: showHidden(text), style }], indent };
}

/** Where no line of a shell can hold a name as it is, a look-alike would act on another object. */
export const NO_COMMAND =
  '(no command: a name in it holds characters that a line to paste cannot show; the screen, kubectl gc-tree, can do it)';

/** A command to paste, in a span of its own behind `lead`; a sentence where there is none that means just this. */
export function commandLine(lead: string, commands: ShellCommands, style: Style, indent: number): TextLine {
  const line = shellLine(commands);
  return {
    spans: [
      { text: showHidden(lead), style },
      { text: line ?? NO_COMMAND, style },
    ],
    indent,
    ...(line === undefined ? {} : { command: true }),
  };
}

export const emptyLine: TextLine = { spans: [], indent: 0 };

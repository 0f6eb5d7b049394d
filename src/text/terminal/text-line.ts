import { type ShellCommands, shellLine, showHidden } from '../../model/index.ts';
import type { Span, Style } from './style.ts';

export interface TextLine {
  readonly spans: readonly Span[];
  /** Columns to indent folded parts by. */
  readonly indent: number;
  /** True for a command to paste, which folds with a backslash for the shell. */
  readonly command?: boolean;
}

function textLine(text: string, style: Style = 'plain', indent = 0): TextLine {
  return { spans: [{ text: showHidden(text), style }], indent };
}

/** A name that no shell line can show exactly gets no command: a look-alike would act on another object. */
export const NO_COMMAND =
  '(no command: a name in it holds characters that a line to paste cannot show; the screen, kubectl gc-tree, can do it)';

/** Appends a command in its own span; or a sentence, if there is no exact command. */
function commandLine(lead: string, commands: ShellCommands, style: Style, indent: number): TextLine {
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

const emptyLine: TextLine = { spans: [], indent: 0 };

export const TextLine = { empty: emptyLine, of: textLine, command: commandLine };

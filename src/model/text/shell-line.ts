/**
 * ShellCommands as one line to paste: what the program receives is exactly the words that it was composed of, in sh, bash,
 * zsh and fish, typed or pasted. The one place that quotes; nothing is done to a line once it is composed.
 */
import { isShown } from './shown.ts';

/** A program with its arguments. */
export interface ShellCommand {
  /** Undefined is one that cannot be told to the program, such as the name of no possible object. */
  readonly words: readonly (string | undefined)[];
  /** What it reads from standard input, without a line break. */
  readonly input?: string;
}

/** One after the other, until one fails. */
export type ShellCommands = readonly ShellCommand[];

/**
 * The line; undefined where there is no command, and where a word holds something that cannot be seen or typed: a line
 * that only looks like the right one would act on another object.
 */
export function shellLine(commands: ShellCommands): string | undefined {
  if (commands.length === 0) return undefined;
  const lines = commands.map(simpleCommand);
  if (lines.includes(undefined)) return undefined;
  const line = lines.join(' && ');
  return isShown(line) ? line : undefined;
}

function simpleCommand({ words, input }: ShellCommand): string | undefined {
  const quoted: string[] = [];
  for (const word of words) {
    if (word === undefined) return undefined;
    quoted.push(shellWord(word));
  }
  const line = quoted.join(' ');
  return input === undefined ? line : `${fed(input)} | ${line}`;
}

// `echo` of dash and zsh reads backslashes in its own way.
function fed(input: string): string {
  return input.includes('\\') ? `printf '%s\\n' ${shellWord(input)}` : `echo ${shellWord(input)}`;
}

// A word of these is the same in every shell. What begins with a tilde or an equals sign isn't (zsh's =command),
// nor is an empty one.
const plain = /^[A-Za-z0-9_./:,@+-][A-Za-z0-9_./:,@+=-]*$/u;

/**
 * A word as shells read it back. Single quotes keep everything, bash's and zsh's history (`!`) included, but for
 * themselves; and for backslashes, which fish reads inside of them, too.
 */
function shellWord(word: string): string {
  if (plain.test(word)) return word;
  if (word === '') return "''";
  return word.replace(/\\|'|[^\\']+/gu, part => (part === '\\' || part === "'" ? `\\${part}` : `'${part}'`));
}

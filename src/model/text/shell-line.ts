/** ShellCommands as one line that passes exactly the given words in sh, bash, zsh and fish. Only this file quotes. */
import { textEscapes } from './shown.ts';

export interface ShellCommand {
  /** Undefined for a word that cannot be passed, such as the name of no possible object. */
  readonly words: readonly (string | undefined)[];
  /** Standard input, without its line break. */
  readonly input?: string;
}

export type ShellCommands = readonly ShellCommand[];

/** Returns undefined without a command, or if a word has characters that cannot be seen or typed. */
export function shellLine(commands: ShellCommands): string | undefined {
  if (commands.length === 0) return undefined;
  const lines = commands.map(simpleCommand);
  if (lines.includes(undefined)) return undefined;
  const line = lines.join(' && ');
  return textEscapes.isShown(line) ? line : undefined;
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

// `echo` of dash and zsh interprets backslashes.
function fed(input: string): string {
  return input.includes('\\') ? `printf '%s\\n' ${shellWord(input)}` : `echo ${shellWord(input)}`;
}

// Every shell reads such a word as it is; zsh treats a leading equals sign specially (=command).
const plain = /^[A-Za-z0-9_./:,@+-][A-Za-z0-9_./:,@+=-]*$/u;

/** Quotes a word. Single quotes preserve all, even history's `!`, but themselves and, in fish, backslashes. */
function shellWord(word: string): string {
  if (plain.test(word)) return word;
  if (word === '') return "''";
  return word.replace(/\\|'|[^\\']+/gu, part => (part === '\\' || part === "'" ? `\\${part}` : `'${part}'`));
}

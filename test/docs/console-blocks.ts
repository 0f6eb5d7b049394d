/** The commands that a page shows with their output, in blocks of `console`, and what each prints now. */
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { consoleFor } from '../cli/console.ts';

export interface ShownCommand {
  /** Without the prompt: `kubectl gc-tree check --demo shop`. */
  readonly line: string;
  /** What the page says that it prints, without trailing blanks. */
  readonly output: string;
  /** In the file, from 1. */
  readonly at: number;
}

/** Columns of the terminal that pages are written for. */
const COLUMNS = 110;

/** Every command in the page's `console` blocks; a line that begins with `$ ` is one, and what follows is its output. */
export function shownCommands(page: string): readonly ShownCommand[] {
  const found: { line: string; output: string[]; at: number }[] = [];
  let inside = false;
  for (const [index, text] of page.split('\n').entries()) {
    if (text.startsWith('```')) {
      inside = !inside && text.trim() === '```console';
    } else if (inside && text.startsWith('$ ')) {
      found.push({ line: text.slice(2), output: [], at: index + 1 });
    } else if (inside) {
      found.at(-1)?.output.push(text);
    }
  }
  return found.map(({ line, output, at }) => ({ line, at, output: trimmed(output.join('\n')) }));
}

/** Where a command may begin: at the start of a line, behind a prompt or another command, or as a value of YAML. */
const begin = /(?:^\s*|[$|&(] |<\(|\b(?:run|script): )kubectl gc-tree(?= |$)/gu;

/**
 * The command lines of the product in blocks of every language, as a shell would split them, without its name; of `console`
 * what is typed and not what is printed. Lines that say how others are written are none.
 */
export function commandLines(page: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let language: string | undefined;
  // A line that ends with a backslash goes on in the next.
  for (const text of page.replaceAll(/ \\\n\s*/gu, ' ').split('\n')) {
    if (text.startsWith('```')) language = language === undefined ? text.slice(3).trim() : undefined;
    else if (language !== undefined && (language !== 'console' || text.startsWith('$ '))) {
      if (text.includes('[flags]')) continue;
      for (const match of text.matchAll(begin))
        found.push(words(simpleCommand(text.slice(match.index + match[0].length))));
    }
  }
  return found;
}

/** Up to what a shell does with it: a pipe, a file, a comment; and up to the next column, in which pages explain it. */
function simpleCommand(text: string): string {
  return /^(?:'[^']*'|"[^"]*"|(?! {2,}| #)[^|<>;&)'"])*/u.exec(text)?.[0] ?? '';
}

/** Whether the command can be run here: it is the product's, and reads a simulated cluster or files of `docs/`. */
export function isRunnable({ line }: ShownCommand): boolean {
  return /^kubectl gc-tree (?:.*(?:--demo[= ]|-f docs\/)|demo .*--step)/u.test(line);
}

/** What the command prints on a terminal, errors included, and its exit code where that isn't 0. */
export async function printed({ line }: ShownCommand): Promise<string> {
  const { io, services, result } = consoleFor({ terminal: true, columns: COLUMNS, env: { NO_COLOR: '1' } });
  await runCommandLine(
    words(line).slice(2),
    { ...io, stdinIsTerminal: false, now: () => Date.now() },
    services,
  );
  const { out, err } = result();
  return trimmed(out + err);
}

/** A shell's words, as far as pages need them: quotes keep blanks. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/gu)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/gu, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}

function trimmed(text: string): string {
  return text
    .split('\n')
    .map(each => each.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/gu, '');
}

/** What a page shows may end with this line, for more that is printed. */
const MORE = '…';

/** What is printed, cut off where a page cuts it off. */
export function shortened(text: string, shown: string): string {
  const lines = shown.split('\n');
  if (lines.at(-1) !== MORE) return text;
  return [...text.split('\n').slice(0, lines.length - 1), MORE].join('\n');
}

/** The page with these outputs, by the line of their command, in place of what it shows. */
export function withOutputs(page: string, outputs: ReadonlyMap<number, string>): string {
  const lines: string[] = [];
  let replaced = false;
  for (const [index, text] of page.split('\n').entries()) {
    if (text.startsWith('```')) replaced = false;
    const output = outputs.get(index + 1);
    if (text.startsWith('$ ')) {
      // A blank line sets a command off from what the one before has printed.
      if (replaced && lines.at(-1) !== '') lines.push('');
      replaced = output !== undefined;
    } else if (replaced) {
      continue;
    }
    lines.push(text);
    if (output !== undefined && output !== '') lines.push(output);
  }
  return lines.join('\n');
}

/** Parses the words before the cursor, even if incomplete. */
import type { Command, Option } from 'commander';
import { normaliseArgv } from '../program/argv.ts';
import { appendFiles, appendValue } from '../program/option.ts';
import { buildProgram } from '../program/program.ts';
import type { Flags } from '../runtime/flags.ts';

export interface TypedLine {
  readonly command: Command;
  readonly operands: readonly string[];
  readonly pending: Option | undefined;
  readonly flags: Flags;
  /** True after `--`. */
  readonly isPastFlags: boolean;
}

export function readLine(before: readonly string[]): TypedLine {
  const program = buildProgram(() => Promise.resolve());
  let command = program;
  const operands: string[] = [];
  const values: Record<string, unknown> = {};
  let pending: Option | undefined;
  let isPastFlags = false;
  for (const word of normaliseArgv(program, before)) {
    if (pending !== undefined) {
      take(values, pending, word);
      pending = undefined;
    } else if (isPastFlags || !word.startsWith('-')) {
      const sub = command === program && operands.length === 0 ? subcommand(program, word) : undefined;
      if (sub === undefined) operands.push(word);
      else command = sub;
    } else if (word === '--') isPastFlags = true;
    else pending = takeFlags(values, [program, command], word);
  }
  return {
    command,
    operands,
    pending,
    flags: { headers: true, color: 'auto', verbosity: 0, ...values },
    isPastFlags,
  };
}

/** Finds the flag `--output` or `-o`; for `--wait`, its negation. */
export function findOption({ command }: Pick<TypedLine, 'command'>, word: string): Option | undefined {
  return optionOf(command.parent === null ? [command] : [command, command.parent], word);
}

function optionOf(commands: readonly Command[], word: string): Option | undefined {
  const off = word.replace(/^--/u, '--no-');
  for (const { options } of commands)
    for (const option of options)
      if (option.short === word || option.long === word || option.long === off) return option;
  return undefined;
}

function takesValue(option: Option): boolean {
  return option.required;
}

/** Parses flags in one word: `--output=json`, `-Aw`, `-nshop`. Returns the one whose value is still missing. */
function takeFlags(
  values: Record<string, unknown>,
  commands: readonly Command[],
  word: string,
): Option | undefined {
  if (word.startsWith('--')) {
    const [name = '', value] = word.split(/=(.*)/su);
    const option = optionOf(commands, name);
    if (option === undefined) return undefined;
    if (!takesValue(option)) values[option.attributeName()] = !option.negate;
    else if (value === undefined) return option;
    else take(values, option, value);
    return undefined;
  }
  for (let at = 1; at < word.length; at++) {
    const option = optionOf(commands, `-${word[at] ?? ''}`);
    if (option === undefined) return undefined;
    if (takesValue(option)) {
      const value = word.slice(at + 1);
      if (value === '') return option;
      take(values, option, value);
      return undefined;
    }
    values[option.attributeName()] = true;
  }
  return undefined;
}

/** Appends to the list of a repeatable flag; ignores an empty value. */
function take(values: Record<string, unknown>, option: Option, word: string): void {
  if (word === '') return;
  const name = option.attributeName();
  const before = values[name];
  const earlier: readonly string[] = Array.isArray(before) ? before : [];
  if (option.parseArg === appendFiles) values[name] = [...earlier, ...word.split(',').filter(Boolean)];
  else values[name] = option.parseArg === appendValue ? [...earlier, word] : word;
}

function subcommand(program: Command, word: string): Command | undefined {
  return program.commands.find(each => each.name() === word);
}
